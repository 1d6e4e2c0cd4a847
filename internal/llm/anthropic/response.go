package anthropic

import (
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/tea-agents/tea/internal/llm"
)

// answer collects a message block by block, whether it came in one piece or as
// a stream.
type answer struct {
	text   strings.Builder
	calls  []call
	reason string
	model  string
	usage  llm.Usage
}

// call is a tool call whose arguments are still text.
type call struct {
	id, name  string
	arguments []byte
}

func (a *answer) message(m *sdk.Message) {
	a.model, a.reason = m.Model, string(m.StopReason)
	a.usage = usage(m.Usage.InputTokens, m.Usage.CacheReadInputTokens, m.Usage.CacheCreationInputTokens, m.Usage.OutputTokens)
	for i := range m.Content {
		switch block := &m.Content[i]; block.Type {
		case "text":
			a.text.WriteString(block.Text)
		case "tool_use":
			a.calls = append(a.calls, call{id: block.ID, name: block.Name, arguments: block.Input})
		}
	}
}

// usage counts what the API counts apart: tokens read from its cache and those
// written to it are not in its input_tokens.
func usage(input, cacheRead, cacheWritten, output int64) llm.Usage {
	return llm.Usage{
		PromptTokens:     input + cacheRead + cacheWritten,
		CompletionTokens: output,
		CachedTokens:     cacheRead,
	}
}

func (a *answer) response() llm.Response {
	r := llm.Response{Content: a.text.String(), FinishReason: finish(a.reason), Model: a.model, Usage: a.usage}
	for _, c := range a.calls {
		r.ToolCalls = append(r.ToolCalls, llm.ToolCall{ID: c.id, Name: c.name, Arguments: llm.ParseArguments(string(c.arguments))})
	}
	return r
}

func finish(reason string) string {
	switch sdk.StopReason(reason) {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		return "stop"
	case sdk.StopReasonMaxTokens, "model_context_window_exceeded":
		return "length"
	case sdk.StopReasonToolUse:
		return "tool_calls"
	case sdk.StopReasonRefusal:
		return "content_filter"
	default:
		return reason
	}
}
