package chain

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/spelling"
	"github.com/tea-agents/tea/value"
)

// MinSecret is the length in bytes from which a secret is looked for: shorter
// texts stand in too many places by chance.
const MinSecret = 4

// Scrubber knows the texts of the secrets that a run has resolved, and
// replaces them, and their common encodings, by [value.Mask]. The zero
// Scrubber knows none. It is safe for concurrent use.
type Scrubber struct {
	mu      sync.Mutex
	known   map[string]bool
	secrets atomic.Pointer[spelling.Secrets]
}

// Lookup returns lookup with every text that it finds remembered.
func (s *Scrubber) Lookup(lookup func(name string) (string, error)) func(name string) (string, error) {
	return func(name string) (string, error) {
		text, err := lookup(name)
		if err == nil {
			s.Add(text)
		}
		return text, err
	}
}

// Add remembers one more secret text.
func (s *Scrubber) Add(text string) {
	if len(text) < MinSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[text] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[text] = true
	s.secrets.Store(s.secrets.Load().And(spelling.New(value.Mask, text)))
}

// Text returns text without secrets, also without the beginnings of such that
// an ellipsis has cut off.
func (s *Scrubber) Text(text string) string {
	secrets := s.secrets.Load()
	if secrets == nil {
		return text
	}
	return withoutCut(secrets.Replace(text), secrets.Spelled())
}

// ellipsis is what messages put where they cut a text.
const ellipsis = "…"

// withoutCut masks what stands before an ellipsis and begins a secret.
func withoutCut(text string, secrets []string) string {
	head, tail, cut := strings.Cut(text, ellipsis)
	if !cut {
		return text
	}
	var b strings.Builder
	for cut {
		begun := 0
		for _, secret := range secrets {
			begun = max(begun, overlap(head, secret))
		}
		b.WriteString(head[:len(head)-begun])
		if begun > 0 {
			b.WriteString(value.Mask)
		}
		b.WriteString(ellipsis)
		head, tail, cut = strings.Cut(tail, ellipsis)
	}
	return b.String() + head
}

// overlap returns how many bytes at the end of text begin secret, 0 where they
// are too few to tell.
func overlap(text, secret string) int {
	for n := min(len(text), len(secret)-1); n >= MinSecret; n-- {
		if strings.HasSuffix(text, secret[:n]) {
			return n
		}
	}
	return 0
}

// Value returns v without secrets, v itself when there are none in it.
func (s *Scrubber) Value(v value.Value) value.Value {
	if s.secrets.Load() == nil {
		return v
	}
	out, _ := s.value(v)
	return out
}

// value returns v without secrets, and whether that changed anything.
func (s *Scrubber) value(v value.Value) (value.Value, bool) {
	return rewriter{
		text: func(text string) (value.Value, bool) {
			out := s.Text(text)
			return value.String(out), out != text
		},
		key: func(key string) (string, bool) { return s.Text(key), true },
	}.value(v)
}

// scrubbed stands for an error with secrets in its text.
type scrubbed struct {
	clean    *actions.Error
	original error
	scrubber *Scrubber
}

// Error returns the text without secrets.
func (e *scrubbed) Error() string { return e.clean.Error() }

// Unwrap returns the clean error: nothing leads to the original.
func (e *scrubbed) Unwrap() error { return e.clean }

// Error returns err without secrets: err itself when there are none in its
// text, else an error of the same code with nothing of err wrapped in it.
func (s *Scrubber) Error(err error) error {
	if err == nil {
		return nil
	}
	if text := s.Text(err.Error()); text != err.Error() {
		return &scrubbed{
			clean:    &actions.Error{Code: actions.CodeOf(err), Message: text, RetryAfter: actions.RetryAfter(err)},
			original: err, scrubber: s,
		}
	}
	return err
}

// Original returns the error that a scrubbed one stands for, to look for what
// is no text in it, such as a place in code. Whatever text is taken from it
// has to go through clean.
func Original(err error) (clean func(text string) string, original error) {
	if e, ok := errors.AsType[*scrubbed](err); ok {
		return e.scrubber.Text, e.original
	}
	return func(text string) string { return text }, err
}

// scrub removes secrets from what a call returns, fails with and streams. What
// the other side sent is kept byte for byte or not at all: where the result or
// the chunks had a secret, it would not fit them any more.
func scrub(s *Scrubber) actions.Middleware {
	return func(next actions.Handler) actions.Handler {
		return func(ctx context.Context, c *actions.Call) (actions.Result, error) {
			var stream *scrubbedSink
			if c.Sink != nil {
				stream = &scrubbedSink{scrubber: s, sink: c.Sink, call: *c}
				stream.call.Sink = stream.put
				c = &stream.call
			}
			r, err := next(ctx, c)
			changed := stream.end()
			if s.secrets.Load() == nil {
				return r, err
			}
			out, masked := s.value(r.Output)
			r.Output, r.Meta.Raw = out, s.raw(r.Meta.Raw, changed || masked)
			return r, s.Error(err)
		}
	}
}

// raw returns what the other side sent without secrets, and nothing of what
// does not fit the result any more.
func (s *Scrubber) raw(sent []byte, changed bool) []byte {
	if changed || sent == nil {
		return nil
	}
	if text := string(sent); s.Text(text) != text {
		return []byte(s.Text(text))
	}
	return sent
}
