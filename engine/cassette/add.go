package cassette

import (
	"net/http"
	"slices"
	"strings"

	"github.com/tea-agents/tea/engine/cassette/internal/redact"
	"github.com/tea-agents/tea/value"
)

// Add takes what came of a call that Lookup let pass. In the modes that record,
// it is masked and kept until Finish. Of an HTTP header are kept Content-Type,
// Content-Encoding, Content-Language, Location, ETag, Link, Retry-After, Retry-After-Ms,
// X-Should-Retry, Request-Id, X-Request-Id, Content-Disposition, Mcp-Session-Id,
// and what begins with X-Ratelimit-, Anthropic-Ratelimit- or Access-Control-.
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
		"X-Should-Retry", "Request-Id", "X-Request-Id", "Content-Disposition", "Mcp-Session-Id":
		return true
	}
	for _, prefix := range []string{"X-Ratelimit-", "Anthropic-Ratelimit-", "Access-Control-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
