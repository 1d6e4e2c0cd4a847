package shell

import (
	"strings"

	"github.com/tea-agents/tea/internal/llm"
)

// prompt writes a request as text: the words of a user who speaks alone as they
// are, else each turn after its speaker's name.
func prompt(r llm.Request) string {
	turns := r.Messages
	if words := r.Format.Instruction(); words != "" {
		turns = instructed(turns, words)
	}
	if len(turns) == 1 && turns[0].Role == llm.User {
		return text(turns[0])
	}
	blocks := make([]string, 0, len(turns))
	for _, m := range turns {
		blocks = append(blocks, string(m.Role)+": "+text(m))
	}
	return strings.Join(blocks, "\n\n") + "\n"
}

func instructed(turns []llm.Message, words string) []llm.Message {
	return append([]llm.Message{{Role: llm.System, Parts: []llm.Part{{Text: words}}}}, turns...)
}

// text is what a turn says, the calls it asks for included.
func text(m llm.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	for _, c := range m.ToolCalls {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.Name + c.Arguments.String())
	}
	return b.String()
}
