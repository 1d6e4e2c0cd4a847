package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/internal/diag"
	"gopkg.in/yaml.v3"
)

// inFlow maps an offset inside a plain or quoted scalar that begins at c, by
// walking the file and the value side by side.
func (t Text) inFlow(c cursor, offset int) diag.Pos {
	if t.style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		c = c.skip(1)
	}
	for i := 0; i < offset && i < len(t.Value); {
		next, n := t.step(c, t.Value[i:])
		if n == 0 {
			return t.Pos
		}
		c, i = next, i+n
	}
	if c.done() {
		return t.Pos
	}
	return c.pos()
}

// step moves c over what spells the beginning of value, and returns how many
// bytes of value that was; 0 when the file does not spell it.
func (t Text) step(c cursor, value string) (cursor, int) {
	rest := c.rest()
	if strings.TrimRight(rest, " \t") == "" || rest == "\\" {
		return fold(c, value)
	}
	switch {
	case t.style&yaml.SingleQuotedStyle != 0 && strings.HasPrefix(rest, "''"):
		return c.skip(2), 1
	case t.style&yaml.DoubleQuotedStyle != 0 && rest[0] == '\\':
		_, size := utf8.DecodeRuneInString(value)
		return c.skip(escape(rest)), size
	}
	r, size := utf8.DecodeRuneInString(rest)
	if v, _ := utf8.DecodeRuneInString(value); r != v {
		return c, 0
	}
	return c.skip(size), size
}

// fold moves c over the end of its line and the empty lines that follow. One
// line end is a space of the value, more are newlines, one fewer than there
// are; a line end behind a backslash is nothing.
func fold(c cursor, value string) (cursor, int) {
	escaped := strings.HasSuffix(c.rest(), "\\")
	breaks := 0
	for !c.done() && (breaks == 0 || strings.TrimSpace(c.rest()) == "") {
		c = cursor{src: c.src, line: c.line + 1}
		breaks++
	}
	c = c.blank()
	switch {
	case escaped:
		_, size := utf8.DecodeRuneInString(c.rest())
		return c.skip(size), size
	case breaks == 1:
		return c, 1
	default:
		return c, min(breaks-1, len(value))
	}
}

// escape is the length of the escape that begins s.
func escape(s string) int {
	lengths := map[byte]int{'x': 4, 'u': 6, 'U': 10}
	if len(s) > 1 {
		if n, ok := lengths[s[1]]; ok {
			return min(n, len(s))
		}
	}
	return min(2, len(s))
}
