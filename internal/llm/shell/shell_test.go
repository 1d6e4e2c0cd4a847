package shell_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/shell"
	"github.com/tea-agents/tea/value"
)

func said(role llm.Role, text string) llm.Message {
	return llm.Message{Role: role, Parts: []llm.Part{{Text: text}}}
}

// tool is a command that answers out and keeps what it was given.
type tool struct {
	out   string
	err   error
	argv  []string
	stdin string
}

func (c *tool) client(t *testing.T) llm.Client {
	t.Helper()
	client, err := shell.New(llm.Config{
		Command: []string{"ask", "-q"},
		Shell: func(_ context.Context, argv []string, stdin []byte) ([]byte, error) {
			c.argv, c.stdin = argv, string(stdin)
			return []byte(c.out), c.err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	call := llm.ToolCall{ID: "1", Name: "f", Arguments: value.Must(map[string]any{"a": 1})}
	for want, r := range map[string]llm.Request{
		"Why?": {Messages: []llm.Message{said(llm.User, "Why?")}},
		"system: Be brief.\n\nuser: Why?\n\nassistant: So.\n\nuser: Oh?\n": {Messages: []llm.Message{
			said(llm.System, "Be brief."), said(llm.User, "Why?"), said(llm.Assistant, "So."), said(llm.User, "Oh?"),
		}},
		"assistant: f{\"a\":1}\n\ntool: 2\n": {Messages: []llm.Message{{Role: llm.Assistant, ToolCalls: []llm.ToolCall{call}}, said(llm.FromTool, "2")}},
		"system: " + llm.Format{Type: "json_object"}.Instruction() + "\n\nuser: Why?\n": {
			Messages: []llm.Message{said(llm.User, "Why?")}, Format: llm.Format{Type: "json_object"},
		},
	} {
		c := &tool{}
		if _, err := c.client(t).Generate(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		if c.stdin != want || !slices.Equal(c.argv, []string{"ask", "-q"}) {
			t.Errorf("%q was given\n%q, want\n%q", c.argv, c.stdin, want)
		}
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	json := llm.Format{Type: "json_object"}
	for _, c := range []struct {
		out, content, model, reason string
		format                      llm.Format
		stop                        []string
	}{
		{out: "Because.\n", content: "Because.", model: "m", reason: "stop"},
		{out: `{"content":"Because.","model":"big","finish_reason":"length"}`, content: "Because.", model: "big", reason: "length"},
		{out: `{"answer":1}`, content: `{"answer":1}`, model: "m", reason: "stop"},
		{out: `{"content":"x"}`, content: `{"content":"x"}`, model: "m", reason: "stop", format: json},
		{out: `{"content":"{\"a\":1}"}`, content: `{"a":1}`, model: "m", reason: "stop", format: json},
		{out: "one END two\n", content: "one ", model: "m", reason: "stop", stop: []string{"END"}},
	} {
		var deltas []llm.Delta
		r := llm.Request{Model: "m", Messages: []llm.Message{said(llm.User, "Why?")}, Format: c.format, Stop: c.stop}
		got, err := (&tool{out: c.out}).client(t).Generate(t.Context(), r, func(d llm.Delta) { deltas = append(deltas, d) })
		if err != nil {
			t.Fatal(err)
		}
		if got.Content != c.content || got.Model != c.model || got.FinishReason != c.reason || string(got.Raw) != c.out || got.Usage != (llm.Usage{}) {
			t.Errorf("%q: got %+v", c.out, got)
		}
		if len(deltas) != 1 || deltas[0].Text != c.content {
			t.Errorf("%q: deltas %v", c.out, deltas)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	denied := &llm.Error{Kind: llm.Denied, Message: "no"}
	for _, c := range []struct {
		ctx  context.Context
		r    llm.Request
		err  error
		kind llm.Kind
	}{
		{ctx: t.Context(), err: errors.New("exit status 3"), kind: llm.Failed},
		{ctx: t.Context(), err: denied, kind: llm.Denied},
		{ctx: canceled, err: errors.New("killed"), kind: llm.Canceled},
		{ctx: late, err: errors.New("killed"), kind: llm.Timeout},
		{ctx: t.Context(), r: llm.Request{Tools: []llm.Tool{{Name: "f"}}}, kind: llm.Unsupported},
		{ctx: t.Context(), r: llm.Request{Extra: value.Must(map[string]any{"a": 1})}, kind: llm.Unsupported},
		{ctx: t.Context(), r: llm.Request{Messages: []llm.Message{{Parts: []llm.Part{{URL: "x"}}}}}, kind: llm.Unsupported},
	} {
		_, err := (&tool{err: c.err}).client(t).Generate(c.ctx, c.r, nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != c.kind {
			t.Errorf("%v, want kind %s", err, c.kind)
		}
		if c.err != nil && !strings.Contains(err.Error(), c.err.Error()) {
			t.Errorf("%q lacks %q", err, c.err)
		}
	}
	if _, err := shell.New(llm.Config{Command: []string{"x"}}); err == nil {
		t.Error("a client without a shell")
	}
	if _, err := shell.New(llm.Config{Shell: func(context.Context, []string, []byte) ([]byte, error) { return nil, nil }}); err == nil {
		t.Error("a client without a command")
	}
	if _, err := (&tool{}).client(t).Embed(t.Context(), llm.EmbedRequest{}); err == nil {
		t.Error("a command with embeddings")
	}
}
