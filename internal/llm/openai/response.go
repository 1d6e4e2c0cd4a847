package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// answer reads the body of a whole answer.
func (c *client) answer(ctx context.Context, body []byte, tap *llm.Tap) (llm.Response, error) {
	var completion openai.ChatCompletion
	if err := c.read(ctx, body, &completion, tap); err != nil {
		return llm.Response{}, err
	}
	if len(completion.Choices) == 0 {
		return llm.Response{}, tap.Failure(ctx, c.name, errors.New("it has no choices"))
	}
	first := completion.Choices[0]
	r := llm.Response{
		Content: first.Message.Content, FinishReason: first.FinishReason,
		Model: completion.Model, Usage: usage(completion.Usage), Raw: tap.Raw(),
	}
	for _, call := range first.Message.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, llm.ToolCall{
			ID: call.ID, Name: call.Function.Name, Arguments: llm.ParseArguments(call.Function.Arguments),
		})
	}
	return finish(r, first.Message.Refusal), nil
}

// read decodes a body that is whole: JSON, and no error in disguise.
func (c *client) read(ctx context.Context, body []byte, into interface{ UnmarshalJSON([]byte) error }, tap *llm.Tap) error {
	v, err := value.Parse(body)
	if text := bytes.TrimSpace(body); err != nil && (len(text) == 0 || text[0] == '{') {
		// A body without a length that ends too early looks whole to HTTP.
		return llm.BrokeOff(c.name, tap.Raw(), err)
	}
	if err != nil {
		return tap.Failure(ctx, c.name, fmt.Errorf("it is no JSON: %w", err))
	}
	if failed, ok := v.Get("error"); ok && !failed.IsNull() {
		return c.disguised(failed, body)
	}
	if err := into.UnmarshalJSON(body); err != nil {
		return tap.Failure(ctx, c.name, err)
	}
	return nil
}

// disguised is the error that a body tells of which began as a good one.
func (c *client) disguised(failed value.Value, body []byte) error {
	status := int64(502)
	if code, ok := failed.At("code").AsInt(); ok && code >= 400 && code < 600 {
		status = code
	}
	e := llm.StatusError(c.name, int(status), nil, body)
	e.Status = 0
	return c.config.Masked(e)
}

// finish completes an answer: a refusal becomes content, every tool call has
// an ID, and the reason tells of them.
func finish(r llm.Response, refusal string) llm.Response {
	if refusal != "" {
		r.FinishReason = "content_filter"
		if r.Content == "" {
			r.Content = refusal
		}
	}
	for i := range r.ToolCalls {
		if r.ToolCalls[i].ID == "" {
			r.ToolCalls[i].ID = llm.CallID(i)
		}
	}
	if len(r.ToolCalls) > 0 && (r.FinishReason == "stop" || r.FinishReason == "") {
		r.FinishReason = "tool_calls" // a forced call ends with stop
	}
	return r
}

func usage(u openai.CompletionUsage) llm.Usage {
	return llm.Usage{
		PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens,
		CachedTokens: u.PromptTokensDetails.CachedTokens,
	}
}

// vectors reads the body of an answer with n vectors.
func (c *client) vectors(ctx context.Context, body []byte, n int, tap *llm.Tap) (llm.EmbedResponse, error) {
	var all openai.CreateEmbeddingResponse
	if err := c.read(ctx, body, &all, tap); err != nil {
		return llm.EmbedResponse{}, err
	}
	r := llm.EmbedResponse{
		Vectors: make([][]float64, n), Model: all.Model,
		Usage: llm.Usage{PromptTokens: all.Usage.PromptTokens}, Raw: tap.Raw(),
	}
	for _, e := range all.Data {
		if e.Index >= 0 && e.Index < int64(n) {
			r.Vectors[e.Index] = e.Embedding
		}
	}
	for _, v := range r.Vectors {
		if len(all.Data) != n || len(v) == 0 {
			return llm.EmbedResponse{}, tap.Failure(ctx, c.name, fmt.Errorf("it has not one vector for each of %d texts", n))
		}
	}
	return r, nil
}

// ended tells whether a stream has the mark of its end as an event of its own:
// a line that says [DONE], and the blank line that ends every event.
func ended(stream []byte) bool {
	stream = bytes.ReplaceAll(stream, []byte("\r\n"), []byte("\n"))
	for _, mark := range []string{"data: [DONE]\n\n", "data:[DONE]\n\n"} {
		if bytes.HasPrefix(stream, []byte(mark)) || bytes.Contains(stream, []byte("\n"+mark)) {
			return true
		}
	}
	return false
}
