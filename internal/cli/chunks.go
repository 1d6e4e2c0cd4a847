package cli

import (
	"strings"
	"unicode"

	"github.com/tea-agents/tea/engine/event"
)

// chunk shows the text of a stream as it comes.
func (p *progress) chunk(b event.Chunk) {
	text, ok := b.Data.AsString()
	if !ok {
		text = b.Data.At("text").Text()
	}
	if text = printable(text); text == "" || !p.live {
		return
	}
	if p.midline != b.ID {
		p.endLine()
	}
	_, _ = p.w.Write([]byte(text)) // a closed stderr must not end a run
	p.midline = b.ID
	if strings.HasSuffix(text, "\n") {
		p.midline = ""
	}
}

// endLine ends the line that a stream is writing.
func (p *progress) endLine() {
	if p.midline != "" {
		p.midline = ""
		_, _ = p.w.Write([]byte{'\n'})
	}
}

// printable drops what would do more to a terminal than to show text.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
