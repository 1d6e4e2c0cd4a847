package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/internal/diag"
	"gopkg.in/yaml.v3"
)

// Text is a string of the document that knows where its characters stand.
// The zero Text is empty and nowhere.
type Text struct {
	Value string
	Pos   diag.Pos // where the scalar begins; the first character inside its quotes is At(0)

	src   *source
	style yaml.Style
}

// IsZero tells whether the text was not written at all.
func (t Text) IsZero() bool { return t.Pos == diag.Pos{} && t.Value == "" }

// Width is how many characters a caret line under the text takes: its first
// line in the file.
func (t Text) Width() int {
	first, _, _ := strings.Cut(t.Value, "\n")
	if t.src != nil {
		rest := t.src.at(t.Pos.Line, t.Pos.Col).rest()
		first = first[:min(len(first), len(rest))]
	}
	return max(1, utf8.RuneCountInString(first))
}

// IsBlock tells whether the text is a block scalar (`|` or `>`).
func (t Text) IsBlock() bool { return t.style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 }

// At returns where the byte at offset of the text stands in the file. It is
// exact for plain, single-quoted and block scalars and for double-quoted ones
// with the usual escapes; where the file does not spell the text (a text that
// was made by substitution) it is the place at which the text begins.
func (t Text) At(offset int) diag.Pos {
	if t.src == nil || t.Pos.Line == 0 {
		return t.Pos
	}
	start := t.content()
	if t.IsBlock() {
		return t.inBlock(start, offset)
	}
	return t.inFlow(start, offset)
}

// LineCol returns where a line and a column (in characters) of the text stand
// in the file, all counted from 1.
func (t Text) LineCol(line, col int) diag.Pos {
	offset := 0
	for n := 1; n < line; n++ {
		i := strings.IndexByte(t.Value[offset:], '\n')
		if i < 0 {
			break
		}
		offset += i + 1
	}
	for n := 1; n < col && offset < len(t.Value) && t.Value[offset] != '\n'; n++ {
		_, size := utf8.DecodeRuneInString(t.Value[offset:])
		offset += size
	}
	return t.At(offset)
}

// content is where the scalar itself begins, behind its tag and anchor.
func (t Text) content() cursor {
	c := t.src.at(t.Pos.Line, t.Pos.Col)
	for c.rest() != "" && strings.IndexByte("&!", c.rest()[0]) >= 0 {
		end := strings.IndexAny(c.rest(), " \t")
		if end < 0 {
			return c
		}
		c = c.skip(end).blank()
	}
	return c
}
