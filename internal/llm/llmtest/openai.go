package llmtest

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/tea-agents/tea/value"
)

func openAI() dialect {
	return dialect{
		read: func(r *http.Request, c *Call) {
			c.Model = c.Body.At("model").Text()
			if _, rest, ok := strings.Cut(r.URL.Path, "/deployments/"); ok {
				c.Model, _, _ = strings.Cut(rest, "/") // Azure's
			}
			c.Stream, _ = c.Body.At("stream").AsBool()
		},
		whole: openAIWhole, stream: openAIStream, embed: openAIEmbed, fail: openAIFail,
		streamType: "text/event-stream",
	}
}

func openAIUsage(u Usage) value.Value {
	return m("prompt_tokens", u.Prompt, "completion_tokens", u.Completion, "total_tokens", u.Prompt+u.Completion,
		"prompt_tokens_details", m("cached_tokens", u.Cached))
}

func openAIWhole(c Call, a Answer) value.Value {
	message := m("role", "assistant", "content", nil, "refusal", nil)
	if a.Text != "" {
		message = message.With("content", value.String(a.Text))
	}
	var calls []value.Value
	for _, t := range a.Tools {
		calls = append(calls, m("id", t.ID, "type", "function", "function", m("name", t.Name, "arguments", t.Arguments)))
	}
	if calls != nil {
		message = message.With("tool_calls", value.List(calls...))
	}
	return m("id", fmt.Sprintf("chatcmpl-%d", c.number), "object", "chat.completion", "created", created, "model", c.Model,
		"choices", list(m("index", 0, "message", message, "logprobs", nil, "finish_reason", a.FinishReason)),
		"usage", openAIUsage(a.Usage))
}

func openAIStream(c Call, a Answer) []string {
	var pieces []string
	chunk := func(choices, usage value.Value) {
		v := m("id", fmt.Sprintf("chatcmpl-%d", c.number), "object", "chat.completion.chunk", "created", created,
			"model", c.Model, "choices", choices, "usage", usage)
		pieces = append(pieces, "data: "+v.String()+"\n\n")
	}
	delta := func(d value.Value, finish any) {
		chunk(list(m("index", 0, "delta", d, "logprobs", nil, "finish_reason", finish)), value.Null())
	}
	delta(m("role", "assistant", "content", "", "refusal", nil), nil)
	for _, text := range a.Chunks {
		delta(m("content", text), nil)
	}
	for i, t := range a.Tools {
		first := m("index", i, "id", t.ID, "type", "function", "function", m("name", t.Name, "arguments", ""))
		delta(m("tool_calls", list(first)), nil)
		for _, piece := range halves(t.Arguments) {
			delta(m("tool_calls", list(m("index", i, "function", m("arguments", piece)))), nil)
		}
	}
	delta(m(), a.FinishReason)
	if wanted, _ := c.Body.At("stream_options", "include_usage").AsBool(); wanted {
		chunk(list(), openAIUsage(a.Usage))
	}
	return append(pieces, "data: [DONE]\n\n")
}

func openAIEmbed(c Call, a Answer) value.Value {
	var data []value.Value
	for i, text := range texts(c.Body.At("input")) {
		vector := a.vector(i, text)
		embedding := numbers(vector)
		if c.Body.At("encoding_format").Text() == "base64" {
			var raw []byte
			for _, x := range vector {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
			}
			embedding = value.String(base64.StdEncoding.EncodeToString(raw))
		}
		data = append(data, m("object", "embedding", "index", i, "embedding", embedding))
	}
	return m("object", "list", "data", value.List(data...), "model", c.Model,
		"usage", m("prompt_tokens", a.Usage.Prompt, "total_tokens", a.Usage.Prompt))
}

func openAIFail(a Answer) value.Value {
	return m("error", m("message", a.message(), "type", "error", "param", nil, "code", a.code(fmt.Sprint(a.Status))))
}
