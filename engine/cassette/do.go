package cassette

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Do looks a call up and serves it, chunks first, at the speed of the options;
// or makes it with live and keeps what came of it, with the chunks that went
// through sink where the response has none itself. sink gets one chunk at a
// time; nil drops them. An error of live is kept only if the response has a
// Failure, and returned in any case. A call that is served with a Failure is no
// error.
func (s *Session) Do(ctx context.Context, r Request, sink func(Chunk), live func(ctx context.Context, sink func(Chunk)) (Response, error)) (Response, error) {
	if sink == nil {
		sink = func(Chunk) {}
	}
	c, err := s.Lookup(r)
	switch {
	case err != nil:
		return Response{}, err
	case c != nil:
		return c.Response, s.replay(ctx, c.Chunks, sink)
	}
	t := &tee{sink: sink, now: s.options.Now, start: s.options.Now()}
	res, err := live(ctx, t.take)
	if err != nil && res.Failure == nil {
		return res, err
	}
	if res.Duration == 0 {
		res.Duration = t.since()
	}
	if len(res.Chunks) == 0 {
		res.Chunks = t.taken()
	}
	if kept := s.Add(r, res); kept != nil {
		return res, kept
	}
	return res, err
}

// replay sends chunks as they were recorded.
func (s *Session) replay(ctx context.Context, chunks []Chunk, sink func(Chunk)) error {
	var sent time.Duration
	for _, c := range chunks {
		if err := s.Pace(ctx, c.After-sent); err != nil {
			return err
		}
		sent = c.After
		sink(c)
	}
	return nil
}

// Pace waits as long as d takes in a replay, which is not at all by default, or
// until ctx is done, whose cause it then returns.
func (s *Session) Pace(ctx context.Context, d time.Duration) error {
	if s.options.ReplaySpeed == 0 || d <= 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	return s.options.Sleep(ctx, time.Duration(float64(d)/s.options.ReplaySpeed))
}

// tee passes chunks on and keeps them.
type tee struct {
	sink  func(Chunk)
	now   func() time.Time
	start time.Time

	mu     sync.Mutex
	chunks []Chunk
}

func (t *tee) since() time.Duration { return t.now().Sub(t.start) }

func (t *tee) take(c Chunk) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.After == 0 {
		c.After = t.since()
	}
	kept := c
	kept.Bytes = slices.Clone(c.Bytes)
	t.chunks = append(t.chunks, kept)
	t.sink(c)
}

func (t *tee) taken() []Chunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.chunks)
}
