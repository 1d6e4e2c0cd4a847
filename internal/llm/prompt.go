package llm

import (
	"fmt"
	"strings"

	"github.com/tea-agents/tea/value"
)

// PromptText returns the question of an input that Effective has completed as
// a person reads it: a line "role: text" for each turn, or the texts to embed,
// one after the other. Secrets are masked. It is for display only.
func PromptText(effective value.Value) string {
	masked, err := value.Resolve(effective, func(string) (string, error) { return value.Mask, nil })
	if err != nil {
		masked = effective
	}
	if list, ok := masked.Get("input"); ok {
		return joinTexts(list)
	}
	list, ok := masked.Get("messages")
	if !ok {
		return ""
	}
	messages, err := ParseMessages(list)
	if err != nil {
		return list.String()
	}
	lines := make([]string, len(messages))
	for i, m := range messages {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

func joinTexts(list value.Value) string {
	var lines []string
	for _, v := range list.Items() {
		s, ok := text(v)
		if !ok {
			s = v.String()
		}
		lines = append(lines, s)
	}
	return strings.Join(lines, "\n")
}

// String returns the turn as a person reads it, such as "user: Hello".
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(string(m.Role) + ":")
	for _, p := range m.Parts {
		b.WriteString(" " + p.String())
	}
	for _, c := range m.ToolCalls {
		arguments := c.Arguments.String()
		if s, ok := c.Arguments.AsString(); ok {
			arguments = s
		}
		fmt.Fprintf(&b, " %s(%s)", c.Name, arguments)
	}
	return b.String()
}

// String returns the text, or a word for an image.
func (p Part) String() string {
	switch {
	case p.URL != "":
		return "[image " + p.URL + "]"
	case p.MediaType != "":
		return fmt.Sprintf("[%s, %d bytes]", p.MediaType, len(p.Data))
	}
	return p.Text
}
