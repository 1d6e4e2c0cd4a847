package chain

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// scrubbedSink hands chunks on without secrets, also without those that are
// cut in two by the border of chunks: what may be the beginning of a secret is
// held back until the next chunk of the same text, or the end, shows whether
// it is. Otherwise chunks keep their borders. Chunks come one at a time.
type scrubbedSink struct {
	scrubber *Scrubber
	sink     func(actions.Chunk)
	call     actions.Call    // with this sink in the place of its own
	held     map[string]held // by the text that the chunks are pieces of
	changed  bool            // whether there was a secret
}

// held is the end of a text that may be the beginning of a secret, with the
// chunk that it came in.
type held struct {
	text string
	from actions.Chunk
}

// put takes the next chunk.
func (s *scrubbedSink) put(c actions.Chunk) {
	if s.scrubber.secrets.Load() == nil {
		s.sink(c)
		return
	}
	lane, text, ok := piece(c.Data)
	if !ok {
		c.Data = s.clean(c.Data)
		s.sink(c)
		return
	}
	whole := s.held[lane].text + text
	out, rest, masked := s.scrubber.begin(whole)
	s.changed = s.changed || masked
	if s.held == nil {
		s.held = map[string]held{}
	}
	s.held[lane] = held{rest, c}
	if out == "" && text != "" && onlyPiece(c.Data) {
		return
	}
	c.Data = s.clean(withPiece(c.Data, out))
	s.sink(c)
}

// clean returns data without secrets, and notes whether there were any.
func (s *scrubbedSink) clean(data value.Value) value.Value {
	out, changed := s.scrubber.value(data)
	s.changed = s.changed || changed
	return out
}

// end hands on what is held back, and tells whether there was any secret. On
// nil it does nothing.
func (s *scrubbedSink) end() (changed bool) {
	if s == nil || len(s.held) == 0 {
		return s != nil && s.changed
	}
	for _, lane := range slices.Sorted(maps.Keys(s.held)) {
		if h := s.held[lane]; h.text != "" {
			h.from.Data = s.clean(withPiece(bare(h.from.Data), h.text))
			s.sink(h.from)
		}
	}
	s.held = nil
	return s.changed
}

// The members of a chunk that are pieces of a longer text.
const (
	memberText      = "text"
	memberToolCall  = "tool_call"
	memberArguments = "arguments"
	memberIndex     = "index"
)

// piece returns the text in a chunk that is a piece of a longer one, and the
// name of that: a string, {text: …} or {tool_call: {index, arguments: …}}.
func piece(data value.Value) (lane, text string, ok bool) {
	if text, ok = data.AsString(); ok {
		return "", text, true
	}
	if text, ok = data.At(memberText).AsString(); ok {
		return memberText, text, true
	}
	call := data.At(memberToolCall)
	if text, ok = call.At(memberArguments).AsString(); ok {
		index, _ := call.At(memberIndex).AsInt()
		return memberToolCall + strconv.FormatInt(index, 10), text, true
	}
	return "", "", false
}

// withPiece returns the chunk's data with another text in the place of its
// piece.
func withPiece(data value.Value, text string) value.Value {
	switch {
	case data.Kind() == value.KindString:
		return value.String(text)
	case data.At(memberText).Kind() == value.KindString:
		return data.With(memberText, value.String(text))
	}
	return data.With(memberToolCall, data.At(memberToolCall).With(memberArguments, value.String(text)))
}

// onlyPiece tells whether a chunk says nothing but its piece.
func onlyPiece(data value.Value) bool { return value.Equal(data, bare(data)) }

// bare returns the chunk's data with nothing but the piece and what says of
// which text it is one.
func bare(data value.Value) value.Value {
	switch {
	case data.Kind() == value.KindString:
		return data
	case data.At(memberText).Kind() == value.KindString:
		return value.Object(value.M(memberText, data.At(memberText)))
	}
	call, only := data.At(memberToolCall), value.Object()
	for _, key := range []string{memberIndex, memberArguments} {
		if v, ok := call.Get(key); ok {
			only = only.With(key, v)
		}
	}
	return value.Object(value.M(memberToolCall, only))
}

// begin replaces the secrets in the beginning of a text of which more may
// come. rest is the end that may be the beginning of a secret: nothing is said
// about it yet.
func (s *Scrubber) begin(text string) (out, rest string, masked bool) {
	spelled := s.secrets.Load().Spelled()
	var b strings.Builder
	for i := 0; i < len(text); {
		match := ""
		for _, secret := range spelled {
			switch {
			case len(secret) > len(text)-i && strings.HasPrefix(secret, text[i:]):
				return b.String(), text[i:], masked
			case strings.HasPrefix(text[i:], secret):
				match = secret
			}
			if match != "" {
				break
			}
		}
		if match == "" {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteString(value.Mask)
		i, masked = i+len(match), true
	}
	return b.String(), "", masked
}
