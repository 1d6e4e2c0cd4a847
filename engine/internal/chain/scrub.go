package chain

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// MinSecret is the length in bytes from which a secret is looked for: shorter
// texts stand in too many places by chance.
const MinSecret = 4

// Scrubber knows the texts of the secrets that a run has resolved, and
// replaces them, and their common encodings, by [value.Mask]. The zero
// Scrubber knows none. It is safe for concurrent use.
type Scrubber struct {
	mu       sync.Mutex
	known    map[string]bool
	spelled  []string
	replacer atomic.Pointer[strings.Replacer]
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
	s.spelled = slices.Concat(s.spelled, spellings(text)) // a new one: others may be reading the old
	slices.SortStableFunc(s.spelled, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, spelled := range slices.Compact(slices.Clone(s.spelled)) {
		pairs = append(pairs, spelled, value.Mask)
	}
	s.replacer.Store(strings.NewReplacer(pairs...))
}

// spellings returns how a secret may appear in a text: as it is, escaped for
// JSON or a URL, and within base64.
func spellings(text string) []string {
	quoted := value.String(text).String()
	out := []string{text, quoted[1 : len(quoted)-1], url.QueryEscape(text), url.PathEscape(text)}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			out = append(out, insideBase64(enc, text, offset))
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return len(s) < MinSecret })
}

// insideBase64 returns the characters that text always becomes when it stands
// offset bytes after a multiple of three in a longer text.
func insideBase64(enc *base64.Encoding, text string, offset int) string {
	encoded := enc.EncodeToString(append(make([]byte, offset), text...))
	first := []int{0, 2, 3}[offset]
	last := len(encoded)
	if (offset+len(text))%3 != 0 {
		last-- // shares bits with what follows
	}
	return encoded[min(first, last):last]
}

// Text returns s without secrets.
func (s *Scrubber) Text(text string) string {
	if r := s.replacer.Load(); r != nil {
		return r.Replace(text)
	}
	return text
}

// Value returns v without secrets, v itself when there are none in it.
func (s *Scrubber) Value(v value.Value) value.Value {
	if s.replacer.Load() == nil {
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
			if s.replacer.Load() == nil {
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
