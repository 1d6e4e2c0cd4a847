package openai

import (
	"context"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// stream asks for an answer in pieces.
func (c *client) stream(
	ctx context.Context, service *openai.ChatCompletionService, params openai.ChatCompletionNewParams,
	tap *llm.Tap, sink func(llm.Delta),
) (llm.Response, error) {
	params.StreamOptions.IncludeUsage = param.NewOpt(true)
	chunks := service.NewStreaming(ctx, params)
	var a assembly
	for chunks.Next() {
		a.add(chunks.Current(), sink)
	}
	_ = chunks.Close() // what it read tells more than its error
	body := tap.Raw()
	var told *ssestream.StreamError
	switch err := chunks.Err(); {
	case errors.As(err, &told):
		return llm.Response{}, c.told(told)
	case err != nil || tap.Ended() != nil:
		return llm.Response{}, tap.Failure(ctx, c.name, err)
	case !ended(body):
		return llm.Response{}, llm.BrokeOff(c.name, body, errors.New("the stream has no [DONE]"))
	case !a.begun:
		return llm.Response{}, tap.Failure(ctx, c.name, errors.New("it has no choices"))
	}
	return a.response(body), nil
}

// told is the error that a stream tells of.
func (c *client) told(e *ssestream.StreamError) error {
	v, err := value.Parse(e.Event.Data)
	if err != nil {
		return llm.BrokeOff(c.name, e.Event.Data, e)
	}
	return c.disguised(v.At("error"), e.Event.Data)
}

// assembly puts the pieces of an answer together.
type assembly struct {
	begun     bool
	r         llm.Response
	content   strings.Builder
	refusal   strings.Builder
	calls     []llm.ToolCall
	arguments []*strings.Builder // of calls
	places    map[int64]int      // in calls, by the index on the wire
}

// add takes a piece and passes it on.
func (a *assembly) add(chunk openai.ChatCompletionChunk, sink func(llm.Delta)) {
	if chunk.Model != "" {
		a.r.Model = chunk.Model
	}
	if chunk.JSON.Usage.Valid() {
		a.r.Usage = usage(chunk.Usage)
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue // there is one unless extra asks for more; the first counts
		}
		a.begun = true
		if choice.FinishReason != "" {
			a.r.FinishReason = choice.FinishReason
		}
		a.content.WriteString(choice.Delta.Content)
		a.refusal.WriteString(choice.Delta.Refusal)
		if text := choice.Delta.Content + choice.Delta.Refusal; text != "" {
			sink(llm.Delta{Text: text})
		}
		for _, call := range choice.Delta.ToolCalls {
			sink(llm.Delta{ToolCall: a.call(call)})
		}
	}
}

// call takes a piece of a tool call.
func (a *assembly) call(piece openai.ChatCompletionChunkChoiceDeltaToolCall) *llm.ToolCallDelta {
	place, known := a.places[piece.Index]
	if known && piece.ID != "" && a.calls[place].ID != "" && piece.ID != a.calls[place].ID {
		known = false // some servers send every call whole under index 0
	}
	if !known {
		place = len(a.calls)
		if a.places == nil {
			a.places = map[int64]int{}
		}
		a.places[piece.Index] = place
		a.calls = append(a.calls, llm.ToolCall{})
		a.arguments = append(a.arguments, &strings.Builder{})
	}
	if piece.ID != "" {
		a.calls[place].ID = piece.ID
	}
	if a.calls[place].Name == "" {
		a.calls[place].Name = piece.Function.Name
	}
	_, _ = a.arguments[place].WriteString(piece.Function.Arguments) // a builder takes it all
	return &llm.ToolCallDelta{
		Index: place, ID: piece.ID, Name: piece.Function.Name, Arguments: piece.Function.Arguments,
	}
}

// response returns the whole answer.
func (a *assembly) response(body []byte) llm.Response {
	a.r.Content, a.r.Raw = a.content.String(), body
	for i, call := range a.calls {
		call.Arguments = llm.ParseArguments(a.arguments[i].String())
		a.r.ToolCalls = append(a.r.ToolCalls, call)
	}
	return finish(a.r, a.refusal.String())
}
