package llmtest

import (
	"fmt"
	"net/http"

	"github.com/tea-agents/tea/value"
)

func anthropic() dialect {
	return dialect{
		read: func(_ *http.Request, c *Call) {
			c.Model = c.Body.At("model").Text()
			c.Stream, _ = c.Body.At("stream").AsBool()
		},
		whole: anthropicWhole, stream: anthropicStream, fail: anthropicFail, // it has no embeddings
		streamType: "text/event-stream",
	}
}

func anthropicReason(a Answer) string {
	switch a.FinishReason {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "tool_calls":
		return "tool_use"
	case "content_filter":
		return "refusal"
	}
	return a.FinishReason
}

// anthropicMessage is a message with the given content.
func anthropicMessage(c Call, a Answer, content value.Value, reason any, output int64) value.Value {
	return m("id", fmt.Sprintf("msg_%d", c.number), "type", "message", "role", "assistant", "model", c.Model,
		"content", content, "stop_reason", reason, "stop_sequence", nil,
		"usage", m("input_tokens", a.Usage.Prompt-a.Usage.Cached, "cache_creation_input_tokens", 0,
			"cache_read_input_tokens", a.Usage.Cached, "output_tokens", output))
}

func anthropicWhole(c Call, a Answer) value.Value {
	var content []value.Value
	if a.Text != "" {
		content = append(content, m("type", "text", "text", a.Text))
	}
	for _, t := range a.Tools {
		content = append(content, m("type", "tool_use", "id", t.ID, "name", t.Name, "input", parse(t.Arguments)))
	}
	return anthropicMessage(c, a, value.List(content...), anthropicReason(a), a.Usage.Completion)
}

func anthropicStream(c Call, a Answer) []string {
	var pieces []string
	event := func(kind string, v value.Value) {
		v = v.With("type", value.String(kind))
		pieces = append(pieces, "event: "+kind+"\ndata: "+v.String()+"\n\n")
	}
	index := 0
	block := func(start value.Value, deltas []value.Value) {
		event("content_block_start", m("index", index, "content_block", start))
		for _, d := range deltas {
			event("content_block_delta", m("index", index, "delta", d))
		}
		event("content_block_stop", m("index", index))
		index++
	}
	event("message_start", m("message", anthropicMessage(c, a, list(), nil, 1)))
	event("ping", m())
	if a.Text != "" {
		var deltas []value.Value
		for _, text := range a.Chunks {
			deltas = append(deltas, m("type", "text_delta", "text", text))
		}
		block(m("type", "text", "text", ""), deltas)
	}
	for _, t := range a.Tools {
		var deltas []value.Value
		for _, piece := range halves(t.Arguments) {
			deltas = append(deltas, m("type", "input_json_delta", "partial_json", piece))
		}
		block(m("type", "tool_use", "id", t.ID, "name", t.Name, "input", m()), deltas)
	}
	event("message_delta", m("delta", m("stop_reason", anthropicReason(a), "stop_sequence", nil),
		"usage", m("output_tokens", a.Usage.Completion)))
	event("message_stop", m())
	return pieces
}

func anthropicFail(a Answer) value.Value {
	usual := "api_error"
	switch a.Status {
	case http.StatusBadRequest:
		usual = "invalid_request_error"
	case http.StatusUnauthorized:
		usual = "authentication_error"
	case http.StatusForbidden:
		usual = "permission_error"
	case http.StatusNotFound:
		usual = "not_found_error"
	case http.StatusTooManyRequests:
		usual = "rate_limit_error"
	case 529:
		usual = "overloaded_error"
	}
	return m("type", "error", "error", m("type", a.code(usual), "message", a.message()))
}
