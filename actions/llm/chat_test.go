package llmactions_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

func TestChat(t *testing.T) {
	t.Parallel()
	b := newBench(t, "A drink.", "China.")
	first := b.Must("llm.chat", `{"model": "gpt-4o", "system": "Be brief.", "message": "What is tea?"}`)
	turns := first.At("messages").String()
	want := `[{"content":"What is tea?","role":"user"},{"content":"A drink.","role":"assistant"}]`
	if turns != want || first.At("content").Text() != "A drink." {
		t.Errorf("first: %s", first)
	}
	second := b.Must("llm.chat", `{"model": "gpt-4o", "system": "Be brief.", "messages": `+turns+`, "message": "From where?"}`)
	if got := second.At("messages").Len(); got != 4 {
		t.Errorf("second: %s", second)
	}
	if said := b.last(t).Messages; len(said) != 4 || said[0].Parts[0].Text != "Be brief." || said[3].Parts[0].Text != "From where?" {
		t.Errorf("the model was told %+v", said)
	}
}

func TestChatHistory(t *testing.T) {
	t.Parallel()
	const history = `[{"role": "system", "content": "S"}, {"role": "user", "content": "1"}, {"role": "assistant", "content": "2"},
		{"role": "user", "content": "3"}, {"role": "assistant", "content": "4"}]`
	for most, want := range map[string]string{
		"1": "S new", "2": "S 3 4 new", "3": "S 3 4 new", "4": "S 1 2 3 4 new", "9": "S 1 2 3 4 new",
	} {
		b := newBench(t)
		got := b.Must("llm.chat", `{"model": "gpt-4o", "messages": `+history+`, "message": "new", "max_history": `+most+`}`)
		var said []string
		for _, m := range b.last(t).Messages {
			said = append(said, m.Parts[0].Text)
		}
		if strings.Join(said, " ") != want {
			t.Errorf("max_history %s: the model was told %v, want %s", most, said, want)
		}
		if n := got.At("messages").Len(); n != len(said) {
			t.Errorf("max_history %s: %d messages are kept", most, n)
		}
	}
	newBench(t).Fails("llm.chat", `{"model": "gpt-4o", "system": "T", "messages": `+history+`, "message": "new"}`, actions.CodeInvalidInput, "system is given twice")
}

func TestChatStreams(t *testing.T) {
	t.Parallel()
	for streams, want := range map[bool]string{true: `{"text":"ok"}`, false: ""} {
		b := newBench(t)
		var chunks []string
		_, err := b.Run(t.Context(), &actions.Call{
			Action: "llm.chat", Input: value.Must(map[string]any{"model": "gpt-4o", "message": "x", "stream": streams}),
			Sink: func(c actions.Chunk) { chunks = append(chunks, c.Data.String()) },
		})
		if err != nil || strings.Join(chunks, "") != want {
			t.Errorf("stream %t: %v, %v", streams, chunks, err)
		}
	}
}

func TestSecretsAreHandedOnAndNotShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	input := value.Must(map[string]any{"model": "gpt-4o"}).With("message", value.Secret("WORD")).With("api_key", value.Secret("KEY"))
	got, err := b.Run(t.Context(), &actions.Call{Action: "llm.chat", Input: input})
	if err != nil || strings.Contains(got.Output.String(), "secret-") {
		t.Errorf("%s, %v", got.Output, err)
	}
	if b.config.APIKey != "secret-KEY" || b.last(t).Messages[0].Parts[0].Text != "secret-WORD" {
		t.Errorf("the provider got %q and %+v", b.config.APIKey, b.last(t).Messages)
	}
}
