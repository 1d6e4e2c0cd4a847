package ollama_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/exchange/exchangetest"
	"github.com/tea-agents/tea/internal/llm/ollama"
	"github.com/tea-agents/tea/value"
)

const (
	textStream = `{"model":"m","message":{"role":"assistant","content":"Sunny, "},"done":false}
{"model":"m","message":{"role":"assistant","content":"24 °C."},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":11,"eval_count":9}
`
	toolStream = `{"model":"m","message":{"role":"assistant","content":"Let me see."},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Paris","days":3}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_x","function":{"index":1,"name":"weather","arguments":{"city":"Rome"}}}]},"done":false}
{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":9}
`
)

// marked: done:true was said. Nothing that comes, or fails to come, after its
// object counts.
func marked(stream string) func(int, bool) bool {
	return func(n int, _ bool) bool { return n >= len(stream)-1 }
}

func dialect() exchangetest.Dialect {
	return exchangetest.Dialect{
		New: ollama.New, Model: "m", StreamType: "application/x-ndjson",
		Text: exchangetest.Sample{
			JSON:   `{"model":"m","message":{"role":"assistant","content":"Sunny, 24 °C."},"done":true,"done_reason":"stop","prompt_eval_count":11,"eval_count":9}` + "\n",
			Stream: textStream, Marked: marked(textStream), Deltas: []string{"Sunny, ", "24 °C."},
			Want: llm.Response{
				Content: "Sunny, 24 °C.", FinishReason: "stop", Model: "m",
				Usage: llm.Usage{PromptTokens: 11, CompletionTokens: 9},
			},
		},
		Tool: exchangetest.Sample{
			JSON:   `{"model":"m","message":{"role":"assistant","content":"Let me see.","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Paris","days":3}}},{"id":"call_x","function":{"name":"weather","arguments":{"city":"Rome"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":9}`,
			Stream: toolStream, Marked: marked(toolStream),
			Deltas: []string{"Let me see.", `0 call_0 weather {"city":"Paris","days":3}`, `1 call_x weather {"city":"Rome"}`},
			Want: llm.Response{
				Content: "Let me see.", FinishReason: "tool_calls", Model: "m",
				Usage: llm.Usage{PromptTokens: 5, CompletionTokens: 9},
				ToolCalls: []llm.ToolCall{
					{ID: "call_0", Name: "weather", Arguments: value.Must(map[string]any{"city": "Paris", "days": 3})},
					{ID: "call_x", Name: "weather", Arguments: value.Must(map[string]any{"city": "Rome"})},
				},
			},
		},
		Refusal:           func(_ int, words string) string { return fmt.Sprintf(`{"error":%q}`, words) },
		StreamFailure:     textStream[:strings.Index(textStream, "\n")+1] + `{"error":"midway words"}` + "\n",
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
