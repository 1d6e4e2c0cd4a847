package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/internal/diag"
)

// source is the text of a document, by lines.
type source struct {
	file  string
	lines []string
}

func newSource(file string, src []byte) *source {
	text := strings.TrimPrefix(string(src), "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return &source{file: file, lines: strings.Split(text, "\n")}
}

// line returns line n, counted from 1, or "" beyond the text.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

func (s *source) pos(line, col int) diag.Pos {
	return diag.Pos{File: s.file, Line: line, Col: col}
}

// cursor is a place in a source: a line from 1 and a byte in that line.
type cursor struct {
	src  *source
	line int
	byte int
}

// at returns the cursor for a line and a column in characters, both from 1.
func (s *source) at(line, col int) cursor {
	text, b := s.line(line), 0
	for n := 1; n < col && b < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[b:])
		b += size
	}
	return cursor{src: s, line: line, byte: b}
}

func (c cursor) pos() diag.Pos {
	text := c.src.line(c.line)
	return c.src.pos(c.line, utf8.RuneCountInString(text[:min(c.byte, len(text))])+1)
}

// rest is what follows on the cursor's line.
func (c cursor) rest() string {
	text := c.src.line(c.line)
	return text[min(c.byte, len(text)):]
}

// skip moves over n bytes of the line.
func (c cursor) skip(n int) cursor {
	c.byte += n
	return c
}

// blank moves over spaces and tabs of the line.
func (c cursor) blank() cursor {
	rest := c.rest()
	return c.skip(len(rest) - len(strings.TrimLeft(rest, " \t")))
}

// done tells whether the cursor is behind the last line.
func (c cursor) done() bool { return c.line > len(c.src.lines) }
