package llmtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tea-agents/tea/value"
)

func gemini() dialect {
	return dialect{
		read: func(r *http.Request, c *Call) {
			name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
			model, method, _ := strings.Cut(name, ":")
			c.Model, c.Stream = model, method == "streamGenerateContent"
		},
		whole: geminiWhole, stream: geminiStream, embed: geminiEmbed, fail: geminiFail,
		streamType: "text/event-stream",
	}
}

func geminiReason(a Answer) string {
	switch a.FinishReason {
	case "stop", "tool_calls":
		return "STOP"
	case "length":
		return "MAX_TOKENS"
	case "content_filter":
		return "SAFETY"
	}
	return a.FinishReason
}

// geminiPiece is a response with the given parts; reason is nil but in the last.
func geminiPiece(c Call, a Answer, parts []value.Value, reason any) value.Value {
	candidate := m("index", 0, "content", m("role", "model", "parts", value.List(parts...)))
	usage := m("promptTokenCount", a.Usage.Prompt, "totalTokenCount", a.Usage.Prompt)
	if reason != nil {
		candidate = candidate.With("finishReason", value.Must(reason))
		usage = usage.With("candidatesTokenCount", value.Int(a.Usage.Completion)).
			With("totalTokenCount", value.Int(a.Usage.Prompt+a.Usage.Completion))
	}
	if a.Usage.Cached > 0 {
		usage = usage.With("cachedContentTokenCount", value.Int(a.Usage.Cached))
	}
	return m("candidates", list(candidate), "usageMetadata", usage, "modelVersion", c.Model,
		"responseId", fmt.Sprintf("response-%d", c.number))
}

func geminiTools(a Answer) []value.Value {
	var parts []value.Value
	for _, t := range a.Tools {
		parts = append(parts, m("functionCall", m("name", t.Name, "args", parse(t.Arguments))))
	}
	return parts
}

func geminiWhole(c Call, a Answer) value.Value {
	var parts []value.Value
	if a.Text != "" {
		parts = append(parts, m("text", a.Text))
	}
	return geminiPiece(c, a, append(parts, geminiTools(a)...), geminiReason(a))
}

func geminiStream(c Call, a Answer) []string {
	var all []value.Value
	for _, text := range a.Chunks {
		all = append(all, geminiPiece(c, a, []value.Value{m("text", text)}, nil))
	}
	last := geminiTools(a)
	if last == nil {
		last = []value.Value{m("text", "")}
	}
	all = append(all, geminiPiece(c, a, last, geminiReason(a)))
	pieces := make([]string, len(all))
	for i, v := range all {
		pieces[i] = "data: " + v.String() + "\r\n\r\n"
	}
	if !strings.Contains(c.Path, "alt=sse") {
		return geminiArray(all)
	}
	return pieces
}

// geminiArray is a stream as it comes without alt=sse: one JSON list.
func geminiArray(all []value.Value) []string {
	pieces := make([]string, 0, len(all)+1)
	for i, v := range all {
		lead := ",\r\n"
		if i == 0 {
			lead = "["
		}
		pieces = append(pieces, lead+v.String())
	}
	return append(pieces, "]")
}

func geminiEmbed(c Call, a Answer) value.Value {
	one := func(i int, request value.Value) value.Value {
		var text strings.Builder
		for _, part := range request.At("content", "parts").Items() {
			text.WriteString(part.At("text").Text())
		}
		return m("values", numbers(a.vector(i, text.String())))
	}
	if requests, ok := c.Body.Get("requests"); ok {
		var all []value.Value
		for i, request := range requests.Items() {
			all = append(all, one(i, request))
		}
		return m("embeddings", value.List(all...))
	}
	return m("embedding", one(0, c.Body))
}

func geminiFail(a Answer) value.Value {
	usual := "INTERNAL"
	switch a.Status {
	case http.StatusBadRequest:
		usual = "INVALID_ARGUMENT"
	case http.StatusUnauthorized:
		usual = "UNAUTHENTICATED"
	case http.StatusForbidden:
		usual = "PERMISSION_DENIED"
	case http.StatusNotFound:
		usual = "NOT_FOUND"
	case http.StatusTooManyRequests:
		usual = "RESOURCE_EXHAUSTED"
	case http.StatusServiceUnavailable:
		usual = "UNAVAILABLE"
	}
	return m("error", m("code", a.Status, "message", a.message(), "status", a.code(usual)))
}
