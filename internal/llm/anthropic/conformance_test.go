package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/anthropic"
	"github.com/tea-agents/tea/internal/llm/exchange/exchangetest"
	"github.com/tea-agents/tea/value"
)

const (
	textStream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Sunny, "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"24 °C."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`
	toolStream = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1","content":[],"stop_reason":null,"usage":{"input_tokens":5,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me see."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\": \"Par"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"is\", \"days\": 3}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}

event: message_stop
data: {"type":"message_stop"}

`
	overloaded = `event: error
data: {"type":"error","error":{"type":"overloaded_error","message":"midway words"}}

`
)

func dialect() exchangetest.Dialect {
	marked := func(stream string) func(int, bool) bool {
		return func(n int, _ bool) bool { return n == len(stream) }
	}
	return exchangetest.Dialect{
		New: anthropic.New, Model: "claude-test", StreamType: "text/event-stream",
		Text: exchangetest.Sample{
			JSON: `{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1",
"content":[{"type":"text","text":"Sunny, "},{"type":"text","text":"24 °C."}],"stop_reason":"end_turn",
"usage":{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":4,"output_tokens":9}}`,
			Stream: textStream, Marked: marked(textStream), Deltas: []string{"Sunny, ", "24 °C."},
			Want: llm.Response{
				Content: "Sunny, 24 °C.", FinishReason: "stop", Model: "claude-test-1",
				Usage: llm.Usage{PromptTokens: 11, CompletionTokens: 9, CachedTokens: 4},
			},
		},
		Tool: exchangetest.Sample{
			JSON: `{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1",
"content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Paris","days":3}}],
"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":9}}`,
			Stream: toolStream, Marked: marked(toolStream),
			Deltas: []string{"Let me see.", "0 toolu_1 weather ", `0   {"city": "Par`, `0   is", "days": 3}`},
			Want: llm.Response{
				Content: "Let me see.", FinishReason: "tool_calls", Model: "claude-test-1",
				Usage: llm.Usage{PromptTokens: 5, CompletionTokens: 9},
				ToolCalls: []llm.ToolCall{{
					ID: "toolu_1", Name: "weather", Arguments: value.Must(map[string]any{"city": "Paris", "days": 3}),
				}},
			},
		},
		Refusal: func(status int, words string) string {
			return fmt.Sprintf(`{"type":"error","error":{"type":"status_%d","message":%q},"request_id":"req_1"}`, status, words)
		},
		StreamFailure:     textStream[:strings.Index(textStream, "event: ping")] + overloaded,
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
