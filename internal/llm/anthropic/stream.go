package anthropic

import (
	"cmp"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/tea-agents/tea/internal/llm"
)

// reader turns the events of a stream into deltas and, together, an answer.
type reader struct {
	answer
	sink func(llm.Delta)
	// blocks says which call the block of an index is.
	blocks map[int64]int
	// whole: message_stop was seen.
	whole bool
	start sdk.Usage
}

func (r *reader) event(e *sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		r.model, r.start = e.Message.Model, e.Message.Usage
		r.count(sdk.MessageDeltaUsage{})
	case "content_block_start":
		r.open(e)
	case "content_block_delta":
		r.delta(e)
	case "message_delta":
		r.reason = string(e.Delta.StopReason)
		r.count(e.Usage)
	case "message_stop":
		r.whole = true
	}
}

func (r *reader) open(e *sdk.MessageStreamEventUnion) {
	switch block := &e.ContentBlock; block.Type {
	case "text":
		r.say(block.Text)
	case "tool_use":
		if r.blocks == nil {
			r.blocks = map[int64]int{}
		}
		i := len(r.calls)
		r.blocks[e.Index] = i
		r.calls = append(r.calls, call{id: block.ID, name: block.Name})
		r.sink(llm.Delta{ToolCall: &llm.ToolCallDelta{Index: i, ID: block.ID, Name: block.Name}})
	}
}

func (r *reader) delta(e *sdk.MessageStreamEventUnion) {
	switch e.Delta.Type {
	case "text_delta":
		r.say(e.Delta.Text)
	case "input_json_delta":
		i, ok := r.blocks[e.Index]
		if !ok || e.Delta.PartialJSON == "" {
			return
		}
		r.calls[i].arguments = append(r.calls[i].arguments, e.Delta.PartialJSON...)
		r.sink(llm.Delta{ToolCall: &llm.ToolCallDelta{Index: i, Arguments: e.Delta.PartialJSON}})
	}
}

func (r *reader) say(text string) {
	if text == "" {
		return
	}
	r.text.WriteString(text)
	r.sink(llm.Delta{Text: text})
}

// count takes the figures of the stream's end, which are totals, over those of
// its start.
func (r *reader) count(end sdk.MessageDeltaUsage) {
	r.usage = usage(
		cmp.Or(end.InputTokens, r.start.InputTokens),
		cmp.Or(end.CacheReadInputTokens, r.start.CacheReadInputTokens),
		cmp.Or(end.CacheCreationInputTokens, r.start.CacheCreationInputTokens),
		cmp.Or(end.OutputTokens, r.start.OutputTokens))
}
