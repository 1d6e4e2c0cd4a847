package tree

import (
	"bytes"
	"strings"

	"github.com/tea-agents/tea/value"
)

// Part is an entry of a list in a document, not decoded yet.
type Part struct {
	Text []byte // the entry; shares memory with the document
	Line int    // where it begins, from 1; 0 if unknown
	// Keys are those that were looked for, with their text; one that is missing,
	// empty or no scalar is not in it.
	Keys map[string]string
}

// splitter takes a document apart.
type splitter struct {
	data  []byte
	list  string
	keys  []string
	head  []byte
	parts []Part
}

func (s *splitter) wants(key []byte) bool {
	for _, k := range s.keys {
		if string(key) == k {
			return true
		}
	}
	return false
}

// keep notes a key of the entry under way.
func (s *splitter) keep(p *Part, key []byte, text string) {
	if !s.wants(key) || text == "" {
		return
	}
	if p.Keys == nil {
		p.Keys = make(map[string]string, len(s.keys))
	}
	p.Keys[string(key)] = text
}

// unquote returns the text of a scalar on one line.
func unquote(s string) (string, bool) {
	if !strings.HasPrefix(s, `"`) {
		return s, true
	}
	if !strings.Contains(s, `\`) {
		return s[1 : len(s)-1], true
	}
	v, err := ParseYAML([]byte(s))
	return v.Text(), err == nil
}

// SplitJSON takes a JSON document, an object, apart: what it holds beside the
// list under a key, as a document of its own in which that list is empty, and
// the objects in that list, of which the given keys are looked up. It tells
// whether it could; what it hands out may still turn out not to be JSON.
func SplitJSON(data []byte, list string, keys ...string) (head []byte, parts []Part, ok bool) {
	s := &jsonSplitter{splitter{data: data, list: list, keys: keys}, 0}
	end, ok := s.object(s.member)
	if !ok || len(bytes.TrimSpace(data[end:])) > 0 || s.head == nil {
		return nil, nil, false
	}
	return s.head, s.parts, true
}

type jsonSplitter struct {
	splitter
	pos int
}

// member looks at a member of the document.
func (s *jsonSplitter) member(key []byte) bool {
	if string(key) != s.list || s.head != nil {
		return s.skip()
	}
	from := s.pos
	if !s.array(s.entry) {
		return false
	}
	s.head = append(append(append([]byte(nil), s.data[:from]...), "[]"...), s.data[s.pos:]...)
	return true
}

// entry takes the entry at hand.
func (s *jsonSplitter) entry() bool {
	var p Part
	from := s.pos
	end, ok := s.object(func(key []byte) bool {
		start := s.pos
		if !s.skip() {
			return false
		}
		if s.wants(key) {
			v, err := value.Parse(s.data[start:s.pos])
			text := v.Text()
			if v.Kind() == value.KindBool {
				text = v.String()
			}
			s.keep(&p, key, text)
			return err == nil
		}
		return true
	})
	if ok {
		p.Text = s.data[from:end]
		s.parts = append(s.parts, p)
	}
	return ok
}

// object walks over the object at hand; member is called where a value begins
// and moves behind it.
func (s *jsonSplitter) object(member func(key []byte) bool) (end int, ok bool) {
	if !s.expect('{') {
		return 0, false
	}
	if s.expect('}') {
		return s.pos, true
	}
	for {
		s.space()
		from := s.pos
		if !s.text() || !s.expect(':') {
			return 0, false
		}
		key := s.data[from+1:]
		key = key[:bytes.IndexByte(key, '"')] // a key with escapes is none of ours
		s.space()
		if !member(key) {
			return 0, false
		}
		if s.expect('}') {
			return s.pos, true
		}
		if !s.expect(',') {
			return 0, false
		}
	}
}

func (s *jsonSplitter) array(item func() bool) bool {
	if !s.expect('[') {
		return false
	}
	if s.expect(']') {
		return true
	}
	for {
		s.space()
		if !item() {
			return false
		}
		if s.expect(']') {
			return true
		}
		if !s.expect(',') {
			return false
		}
	}
}

func (s *jsonSplitter) space() {
	for s.pos < len(s.data) && (s.data[s.pos] == ' ' || s.data[s.pos] == '\n' || s.data[s.pos] == '\t' || s.data[s.pos] == '\r') {
		s.pos++
	}
}

// expect moves behind c, if it is what comes next.
func (s *jsonSplitter) expect(c byte) bool {
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// text moves behind a string.
func (s *jsonSplitter) text() bool {
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		return false
	}
	for i := s.pos + 1; i < len(s.data); {
		quote := bytes.IndexByte(s.data[i:], '"')
		if quote < 0 {
			return false
		}
		end := i + quote
		slashes := 0
		for s.data[end-1-slashes] == '\\' {
			slashes++
		}
		i = end + 1
		if slashes%2 == 0 {
			s.pos = i
			return true
		}
	}
	return false
}

// skip moves behind any value.
func (s *jsonSplitter) skip() bool {
	depth, from := 0, s.pos
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case '"':
			if !s.text() {
				return false
			}
			s.pos--
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return s.pos > from
			}
		}
		if depth < 0 {
			return s.pos > from
		}
		s.pos++
	}
	return false
}
