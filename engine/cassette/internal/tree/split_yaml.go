package tree

import (
	"bytes"
	"strings"
)

// SplitYAML is SplitJSON for a document as AppendYAML writes it, with the list
// as its last key and the line "..." at the end. It looks at lines only, and at
// any that AppendYAML would not write, in a file edited by hand, it gives up:
// then ParseYAML has to read the whole.
func SplitYAML(data []byte, list string, keys ...string) (head []byte, parts []Part, ok bool) {
	from := bytes.Index(data, []byte("\n"+list+":\n"))
	if from < 0 || !bytes.HasSuffix(data, []byte("\n...\n")) {
		return nil, nil, false
	}
	s := &yamlSplitter{splitter: splitter{data: data, list: list, keys: keys}}
	s.head = data[:from+1]
	begin := from + 1 + len(list) + 2
	s.line = bytes.Count(data[:begin], []byte{'\n'})
	if !s.entries(begin, len(data)-len("...\n")) {
		return nil, nil, false
	}
	return s.head, s.parts, true
}

type yamlSplitter struct {
	splitter
	line  int
	block int // the column of the key of the literal block under way, or -1
}

// entryColumn is where the keys of an entry stand.
const entryColumn = 2 * step

// entries goes through the lines of the list.
func (s *yamlSplitter) entries(from, end int) bool {
	s.block = -1
	start := from
	for pos := from; pos < end; {
		next := pos + bytes.IndexByte(s.data[pos:end], '\n') + 1
		line := s.data[pos : next-1]
		s.line++
		column := leading(line)
		switch {
		case s.block >= 0 && (column > s.block || column == len(line)): // in a block
		case column == step && bytes.HasPrefix(line[column:], []byte("- ")):
			s.close(start, pos)
			start = pos
			s.parts = append(s.parts, Part{Line: s.line})
			if !s.structure(line, column) {
				return false
			}
		case column < entryColumn || len(s.parts) == 0 || !s.structure(line, column):
			return false
		}
		pos = next
	}
	s.close(start, end)
	return len(s.parts) > 0
}

// close ends the entry under way.
func (s *yamlSplitter) close(start, end int) {
	if n := len(s.parts); n > 0 {
		s.parts[n-1].Text = s.data[start:end]
	}
}

// structure looks at a line outside of blocks: dashes, a key, and what follows
// on the same line. It tells whether AppendYAML could have written it.
func (s *yamlSplitter) structure(line []byte, column int) bool {
	s.block = -1
	at := column
	for bytes.HasPrefix(line[at:], []byte("- ")) {
		at += step
	}
	rest := line[at:]
	if string(rest) == "-" {
		return true
	}
	key, after, isKey := cutKey(rest)
	if isKey && key[0] != '"' && !plain(string(key)) {
		return false
	}
	if !isKey {
		return at > column && s.scalar(rest, at-step)
	}
	if len(after) == 0 {
		return true
	}
	if at == entryColumn && s.wants(key) {
		text, ok := unquote(string(after))
		if !ok {
			return false
		}
		s.keep(&s.parts[len(s.parts)-1], key, text)
	}
	return s.scalar(after, at)
}

// cutKey cuts "key: rest" or "key:" apart. A key in quotes has to end on the
// line too.
func cutKey(line []byte) (key, rest []byte, ok bool) {
	from := 0
	if len(line) > 0 && line[0] == '"' {
		if from = closing(line); from < 0 {
			return nil, nil, false
		}
	}
	i := bytes.IndexByte(line[from:], ':')
	switch {
	case i < 0 || from+i == 0 || from > 0 && i > 0:
		return nil, nil, false
	case from+i+1 == len(line):
		return line[:from+i], nil, true
	case line[from+i+1] == ' ':
		return line[:from+i], line[from+i+2:], true
	}
	return nil, nil, false
}

// closing returns the place behind a string in double quotes, -1 if it does not
// end.
func closing(line []byte) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// scalar looks at a value on the line of its key or dash in that column.
func (s *yamlSplitter) scalar(text []byte, column int) bool {
	switch {
	case len(text) == 0:
		return false
	case text[0] == '"':
		return closing(text) == len(text)
	}
	switch t := string(text); t {
	case "|", "|-", "|+", "|2", "|2-", "|2+":
		s.block = column
		return true
	case "{}", "[]", "null", "true", "false":
		return true
	default:
		return plain(t) || number(t)
	}
}

// number tells whether s is made of what numbers are made of.
func number(s string) bool {
	return (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && strings.Trim(s, "0123456789+-.eE") == ""
}

func leading(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}
