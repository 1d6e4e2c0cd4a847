package spec

import (
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"gopkg.in/yaml.v3"
)

// inBlock maps an offset inside a block scalar whose header is at c.
func (t Text) inBlock(c cursor, offset int) diag.Pos {
	indent := t.blockIndent(c)
	line := c.line + 1
	if t.style&yaml.LiteralStyle != 0 {
		before := t.Value[:min(offset, len(t.Value))]
		last := strings.LastIndexByte(before, '\n') + 1
		line += strings.Count(before, "\n")
		return cursor{src: t.src, line: line, byte: indent + len(before) - last}.pos()
	}
	return t.inFolded(cursor{src: t.src, line: line, byte: indent}, indent, offset)
}

// blockIndent is how many spaces stand before each line of a block scalar.
func (t Text) blockIndent(header cursor) int {
	for n := header.line + 1; n <= len(t.src.lines); n++ {
		text := t.src.line(n)
		if strings.TrimSpace(text) == "" {
			continue
		}
		spaces := len(text) - len(strings.TrimLeft(text, " "))
		first, _, _ := strings.Cut(strings.TrimLeft(t.Value, "\n"), "\n")
		return spaces - (len(first) - len(strings.TrimLeft(first, " ")))
	}
	return 0
}

// inFolded walks a folded block scalar and its value side by side: the end of
// a line is a space or a newline of the value, or nothing of it.
func (t Text) inFolded(c cursor, indent, offset int) diag.Pos {
	for i := 0; !c.done(); {
		rest := c.rest()
		if left := offset - i; left < len(rest) {
			return c.skip(left).pos()
		}
		i += len(rest)
		end := c.skip(len(rest))
		if i >= len(t.Value) {
			return end.pos()
		}
		if t.Value[i] == ' ' || t.Value[i] == '\n' {
			i++
		}
		if offset < i {
			return end.pos()
		}
		c = cursor{src: t.src, line: c.line + 1, byte: indent}
		for t.Value[i-1] == ' ' && strings.TrimSpace(c.src.line(c.line)) == "" && !c.done() {
			c.line++
		}
	}
	return t.Pos
}
