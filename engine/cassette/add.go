package cassette

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tea-agents/tea/engine/cassette/internal/redact"
	"github.com/tea-agents/tea/value"
)

// Add takes what came of a call that Lookup let pass. In the modes that record,
// it is masked and kept until Finish. Of an HTTP header are kept Content-Type,
// Content-Encoding, Content-Language, Location, ETag, Link, Retry-After, Retry-After-Ms,
// X-Should-Retry, Request-Id and X-Request-Id.
func (s *Session) Add(r Request, res Response) error {
	c := &Call{Request: s.prepare(r), Response: s.clean(res), Timestamp: s.options.Now()}
	var err error
	if c.Hash, err = hash(c.Key, s.steps); err != nil && s.options.Mode.records() {
		return err
	}
	if err := checkJSON(c); err != nil && s.options.Mode.records() {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finished != nil {
		return ErrClosed
	}
	s.made++
	s.log = append(s.log, c)
	if s.options.Mode.records() {
		s.touched[c.Hash] = true
		s.added = append(s.added, c)
	}
	return nil
}

// checkJSON finds values that no cassette can hold.
func checkJSON(c *Call) error {
	all := append([]value.Value{c.Output, c.Usage}, c.ToolUses...)
	for _, chunk := range c.Chunks {
		all = append(all, chunk.Data)
	}
	for _, v := range all {
		if err := v.Check(); err != nil {
			return err
		}
	}
	return nil
}

// clean returns a response without secrets.
func (s *Session) clean(r Response) Response {
	if r.isHTTP() && len(r.Body) == 0 {
		r.Body = joined(r.Chunks)
	}
	inChunks := r.bodyInChunks()
	r.Output, r.Usage = s.key(r.Output), s.key(r.Usage)
	if r.Failure != nil {
		f := *r.Failure
		f.Code, f.Message = s.text(f.Code), s.text(f.Message)
		r.Failure = &f
	}
	r.Header = s.cleanHeader(r.Header)
	r.Raw = s.bytes(r.Raw)
	r.Chunks = s.cleanChunks(r.Chunks)
	if r.Body = s.bytes(r.Body); inChunks {
		r.Body = joined(r.Chunks)
	}
	r.Text = s.text(r.Text)
	uses := slices.Clone(r.ToolUses)
	for i, u := range uses {
		uses[i] = s.key(u)
	}
	r.ToolUses = uses
	return r
}

// key returns a value as it is kept.
func (s *Session) key(v value.Value) value.Value { return redact.Value(names(v), s.redact) }

// bytes masks secrets in bytes, text or not.
func (s *Session) bytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if masked := s.redact(string(b)); masked != string(b) {
		return []byte(masked)
	}
	return slices.Clone(b)
}

func (s *Session) cleanHeader(h http.Header) http.Header {
	var kept http.Header
	for name, values := range h {
		if !keptHeader(http.CanonicalHeaderKey(name)) || len(values) == 0 {
			continue
		}
		if kept == nil {
			kept = http.Header{}
		}
		for _, v := range values {
			kept.Add(name, s.text(v))
		}
	}
	return kept
}

func keptHeader(name string) bool {
	switch name {
	case "Content-Type", "Content-Encoding", "Content-Language", "Location", "Etag", "Link", "Retry-After", "Retry-After-Ms",
		"X-Should-Retry", "Request-Id", "X-Request-Id":
		return true
	}
	return false
}

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
