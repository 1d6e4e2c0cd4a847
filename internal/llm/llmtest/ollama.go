package llmtest

import (
	"net/http"

	"github.com/tea-agents/tea/value"
)

func ollama() dialect {
	return dialect{
		read: func(_ *http.Request, c *Call) {
			c.Model = c.Body.At("model").Text()
			stream, said := c.Body.At("stream").AsBool()
			c.Stream = stream || !said // it streams unless told not to
		},
		whole: ollamaWhole, stream: ollamaStream, embed: ollamaEmbed, fail: ollamaFail,
		streamType: "application/x-ndjson",
	}
}

func ollamaPiece(c Call, text string, tools []ToolCall) value.Value {
	message := m("role", "assistant", "content", text)
	var calls []value.Value
	for _, t := range tools {
		calls = append(calls, m("function", m("name", t.Name, "arguments", parse(t.Arguments))))
	}
	if calls != nil {
		message = message.With("tool_calls", value.List(calls...))
	}
	return m("model", c.Model, "created_at", "2026-01-01T00:00:00Z", "message", message, "done", false)
}

// ollamaEnd marks a piece as the last.
func ollamaEnd(v value.Value, a Answer) value.Value {
	reason := a.FinishReason
	if reason == "tool_calls" {
		reason = "stop"
	}
	return v.Merge(m("done", true, "done_reason", reason, "total_duration", 1000000, "load_duration", 1000,
		"prompt_eval_count", a.Usage.Prompt, "prompt_eval_duration", 1000,
		"eval_count", a.Usage.Completion, "eval_duration", 1000))
}

func ollamaWhole(c Call, a Answer) value.Value {
	return ollamaEnd(ollamaPiece(c, a.Text, a.Tools), a)
}

func ollamaStream(c Call, a Answer) []string {
	var pieces []string
	for _, text := range a.Chunks {
		pieces = append(pieces, ollamaPiece(c, text, nil).String()+"\n")
	}
	if len(a.Tools) > 0 {
		pieces = append(pieces, ollamaPiece(c, "", a.Tools).String()+"\n")
	}
	return append(pieces, ollamaEnd(ollamaPiece(c, "", nil), a).String()+"\n")
}

func ollamaEmbed(c Call, a Answer) value.Value {
	var all []value.Value
	for i, text := range texts(c.Body.At("input")) {
		all = append(all, numbers(a.vector(i, text)))
	}
	return m("model", c.Model, "embeddings", value.List(all...), "total_duration", 1000000, "load_duration", 1000,
		"prompt_eval_count", a.Usage.Prompt)
}

func ollamaFail(a Answer) value.Value { return m("error", a.message()) }
