package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/exchange/exchangetest"
	"github.com/tea-agents/tea/internal/llm/gemini"
	"github.com/tea-agents/tea/value"
)

const (
	textStream = `data: {"candidates":[{"content":{"parts":[{"text":"Pondering.","thought":true}],"role":"model"},"index":0}],"modelVersion":"gemini-test-1"}

data: {"candidates":[{"content":{"parts":[{"text":"Sunny, "}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":11,"totalTokenCount":11},"modelVersion":"gemini-test-1"}

data: {"candidates":[{"content":{"parts":[{"text":"24 °C."}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":6,"thoughtsTokenCount":3,"cachedContentTokenCount":4,"totalTokenCount":20},"modelVersion":"gemini-test-1"}

`
	toolStream = `data: {"candidates":[{"content":{"parts":[{"text":"Let me see."}],"role":"model"},"index":0}],"modelVersion":"gemini-test-1"}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"weather","args":{"city":"Paris","days":3}}}],"role":"model"},"index":0}],"modelVersion":"gemini-test-1"}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"fc-7","name":"weather","args":{"city":"Rome"}}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":9},"modelVersion":"gemini-test-1"}

`
)

// marked: the last event has the only reason to finish. Its line need not end,
// but the body must, in good order.
func marked(stream string) func(int, bool) bool {
	return func(n int, clean bool) bool { return clean && n >= len(strings.TrimRight(stream, "\n")) }
}

func dialect() exchangetest.Dialect {
	return exchangetest.Dialect{
		New: gemini.New, Model: "gemini-test", StreamType: "text/event-stream",
		Text: exchangetest.Sample{
			JSON: `{"candidates":[{"content":{"parts":[{"text":"Sunny, "},{"text":"24 °C."}],"role":"model"},"finishReason":"STOP"}],
"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":6,"thoughtsTokenCount":3,"cachedContentTokenCount":4},"modelVersion":"gemini-test-1"}`,
			Stream: textStream, Marked: marked(textStream), Deltas: []string{"Sunny, ", "24 °C."},
			Want: llm.Response{
				Content: "Sunny, 24 °C.", FinishReason: "stop", Model: "gemini-test-1",
				Usage: llm.Usage{PromptTokens: 11, CompletionTokens: 9, CachedTokens: 4},
			},
		},
		Tool: exchangetest.Sample{
			JSON: `{"candidates":[{"content":{"parts":[{"text":"Let me see."},
{"functionCall":{"name":"weather","args":{"city":"Paris","days":3}}},{"functionCall":{"id":"fc-7","name":"weather","args":{"city":"Rome"}}}],"role":"model"},
"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":9},"modelVersion":"gemini-test-1"}`,
			Stream: toolStream, Marked: marked(toolStream),
			Deltas: []string{"Let me see.", `0 call_0 weather {"city":"Paris","days":3}`, `1 fc-7 weather {"city":"Rome"}`},
			Want: llm.Response{
				Content: "Let me see.", FinishReason: "tool_calls", Model: "gemini-test-1",
				Usage: llm.Usage{PromptTokens: 5, CompletionTokens: 9},
				ToolCalls: []llm.ToolCall{
					{ID: "call_0", Name: "weather", Arguments: value.Must(map[string]any{"city": "Paris", "days": 3})},
					{ID: "fc-7", Name: "weather", Arguments: value.Must(map[string]any{"city": "Rome"})},
				},
			},
		},
		Refusal: func(status int, words string) string {
			return fmt.Sprintf("{\n  \"error\": {\n    \"code\": %d,\n    \"message\": %q,\n    \"status\": \"X\"\n  }\n}\n", status, words)
		},
		StreamFailure:     textStream[:strings.Index(textStream, "\n\n")+2] + `data: {"error":{"code":503,"message":"midway words","status":"UNAVAILABLE"}}` + "\n\n",
		StreamFailureKind: llm.Unavailable,
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	exchangetest.Run(t, dialect())
}

func TestIndependentMock(t *testing.T) {
	t.Parallel()
	exchangetest.RunMock(t, dialect())
}
