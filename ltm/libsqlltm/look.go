package libsqlltm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// asker runs statements one after another and returns their results.
type asker func(ctx context.Context, statements ...statement) ([]*result, error)

// look calls f, which reads: by one request if it asks once, else f is called
// again and all its requests see the same state. f starts afresh each time and
// returns the errors of ask.
func (c *client) look(ctx context.Context, f func(asker) error) error {
	asked := false
	err := f(func(ctx context.Context, statements ...statement) ([]*result, error) {
		if asked {
			return nil, errAgain
		}
		asked = true
		return c.run(ctx, statements...)
	})
	if !errors.Is(err, errAgain) {
		return err
	}
	for range streams {
		if err = c.lookInStream(ctx, f); !forgotten(err) {
			break
		}
	}
	return err
}

// streams is how many a look begins, if the server gives them up. What asks for
// less each time gets by on a slow line.
const streams = 4

// lookInStream calls f, whose requests see the same state.
func (c *client) lookInStream(ctx context.Context, f func(asker) error) error {
	s := &stream{client: c, base: c.base}
	defer s.close(ctx)
	if _, err := s.ask(ctx, sql("BEGIN")); err != nil {
		return err
	}
	return f(s.ask)
}

// stream is requests that share a connection to the database on the server. The
// server forgets one that it hears nothing of for some seconds.
type stream struct {
	client *client
	base   string
	baton  *string
}

func (s *stream) ask(ctx context.Context, statements ...statement) ([]*result, error) {
	if err := ctx.Err(); err != nil { // the server would not hear of the baton
		return nil, err
	}
	a, err := s.client.send(ctx, s.base, request{Baton: s.baton, Requests: []action{
		{Type: "batch", Batch: &batch{Steps: sequence(statements)}},
	}})
	if err != nil {
		s.baton = nil
		return nil, err
	}
	if s.baton = a.Baton; s.baton == nil {
		return nil, &serverError{Message: "it ended the stream of requests", Code: "STREAM_CLOSED"}
	}
	if a.BaseURL != nil && *a.BaseURL != "" {
		if err := s.move(*a.BaseURL); err != nil {
			return nil, err
		}
	}
	return a.results(len(statements))
}

// move goes on at another address, never from TLS to none.
func (s *stream) move(base string) error {
	if strings.HasPrefix(s.base, "https:") && !strings.HasPrefix(base, "https:") {
		return fmt.Errorf("%w: it sends from https to another scheme", errAnswer)
	}
	s.base = strings.TrimRight(base, "/")
	return nil
}

// close ends the transaction, which has changed nothing. When the call is over
// it does so afterwards: until it hears of it, the server keeps the stream and
// the state that it reads, and it has room for a hundred streams or so.
func (s *stream) close(ctx context.Context) {
	if s.baton == nil {
		return
	}
	end := func(ctx context.Context) { // the server ends it anyway, later
		_, _ = s.client.send(ctx, s.base, request{Baton: s.baton, Requests: []action{{Type: "close"}}})
	}
	if ctx.Err() == nil {
		end(ctx)
		return
	}
	s.client.ending.Go(func() {
		ctx, cancel := context.WithTimeout(s.client.life, endLimit)
		defer cancel()
		end(ctx)
	})
}

const (
	inlineSize = 64 << 10  // of a value in its row, at most
	partSize   = 512 << 10 // of a part of a larger one
	partsAsked = 8         // in one request
)

const queryParts = `SELECT data FROM tea_parts WHERE revision = ? AND n >= ? ORDER BY n LIMIT ?`

// fill reads the value of r where it is in parts.
func fill(ctx context.Context, ask asker, r *driver.Record) error {
	if int64(len(r.Value)) == r.Size {
		return nil
	}
	parts := int((r.Size + partSize - 1) / partSize)
	for n := 0; n < parts; n += partsAsked {
		results, err := ask(ctx, sql(queryParts, r.Revision, n, partsAsked))
		if err != nil {
			return err
		}
		for _, row := range results[0].Rows {
			var part []byte
			if err := scan(row, &part); err != nil {
				return err
			}
			r.Value = append(r.Value, part...)
		}
	}
	if int64(len(r.Value)) != r.Size {
		return fmt.Errorf("%w: of the %d bytes of %q there are %d", driver.ErrCorrupt, r.Size, r.Key.Key, len(r.Value))
	}
	return nil
}
