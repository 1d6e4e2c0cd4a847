package ollama

import (
	"encoding/json"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// answer collects responses, whether it is the one or those of a stream.
type answer struct {
	sink  func(llm.Delta) // nil: not streamed
	text  strings.Builder
	calls []llm.ToolCall
	// last is the response that says done.
	last api.ChatResponse
}

func (a *answer) add(r api.ChatResponse) error {
	if text := r.Message.Content; text != "" {
		a.text.WriteString(text)
		a.send(llm.Delta{Text: text})
	}
	for _, c := range r.Message.ToolCalls {
		if err := a.call(c); err != nil {
			return err
		}
	}
	if r.Done {
		a.last = r
	}
	return nil
}

func (a *answer) send(d llm.Delta) {
	if a.sink != nil {
		a.sink(d)
	}
}

func (a *answer) call(from api.ToolCall) error {
	i := len(a.calls)
	c := llm.ToolCall{ID: from.ID, Name: from.Function.Name}
	if c.ID == "" {
		c.ID = llm.CallID(i)
	}
	text, err := json.Marshal(from.Function.Arguments) // whole numbers become integers again
	if err != nil {
		return err
	}
	if c.Arguments, err = value.Parse(text); err != nil {
		return err
	}
	a.calls = append(a.calls, c)
	a.send(llm.Delta{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments.String()}})
	return nil
}

func (a *answer) response() llm.Response {
	r := llm.Response{Content: a.text.String(), ToolCalls: a.calls, FinishReason: a.last.DoneReason, Model: a.last.Model}
	r.Usage.PromptTokens = int64(a.last.PromptEvalCount)
	r.Usage.CompletionTokens = int64(a.last.EvalCount)
	if r.FinishReason == "" {
		r.FinishReason = "stop" // older servers give no reason
	}
	if r.FinishReason == "stop" && len(a.calls) > 0 {
		r.FinishReason = "tool_calls"
	}
	return r
}
