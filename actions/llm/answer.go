package llmactions

import (
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// answer is what llm.call and llm.stream yield.
type answer struct {
	Success      bool         `json:"success" doc:"Whether there is an answer of the form that was asked for."`
	Content      string       `json:"content" doc:"The text of the answer."`
	Parsed       *value.Value `json:"parsed,omitempty" doc:"The answer as data, where response_format asks for JSON."`
	ToolCalls    []toolCall   `json:"tool_calls" doc:"The tools that the model asks for."`
	Usage        usage        `json:"usage" doc:"Counted tokens; 0 where the provider does not tell."`
	Model        string       `json:"model" doc:"The model that answered."`
	Provider     string       `json:"provider" doc:"Who ran it."`
	FinishReason string       `json:"finish_reason" doc:"Why the answer ends: stop, length, tool_calls, content_filter, or a word of the provider's own."`
	CostUSD      *float64     `json:"cost_usd,omitempty" doc:"What the call cost; absent when the price is not known."`
	Error        string       `json:"error,omitempty" doc:"What is wrong with the answer, with on_invalid: return."`
	ErrorType    string       `json:"error_type,omitempty" doc:"The kind of failure."`
}

type toolCall struct {
	ID        string      `json:"id" doc:"Name of this call; the result is given back under it."`
	Name      string      `json:"name" doc:"Name of the tool."`
	Arguments value.Value `json:"arguments" doc:"An object; a text where the model wrote none."`
	Signature string      `json:"signature,omitempty" doc:"What the provider wants back with the call in the conversation (Gemini)."`
}

type usage struct {
	PromptTokens     int64 `json:"prompt_tokens" doc:"Tokens of the request."`
	CompletionTokens int64 `json:"completion_tokens" doc:"Tokens of the answer."`
	TotalTokens      int64 `json:"total_tokens" doc:"Both."`
	CachedTokens     int64 `json:"cached_tokens" doc:"Those of the request that the provider had in its own cache."`
}

func usageOf(u llm.Usage) usage {
	return usage{u.PromptTokens, u.CompletionTokens, u.Total(), u.CachedTokens}
}

// cost returns the price of a call, or nil when it is not known.
func cost(prices value.Value, model string, u llm.Usage) *float64 {
	usd, known := llm.Cost(prices, model, u)
	if !known {
		return nil
	}
	return &usd
}

func toolCallsOf(calls []llm.ToolCall) []toolCall {
	out := make([]toolCall, len(calls))
	for i, c := range calls {
		out[i] = toolCall(c)
	}
	return out
}

// readAnswer is the way back: what a call of llm.call yielded. Whatever stands
// in for a model in a test may leave out all it likes.
func readAnswer(v value.Value) answer {
	out := answer{
		Success: true, Content: v.At("content").Text(), Usage: readUsage(v.At("usage")),
		Model: v.At("model").Text(), Provider: v.At("provider").Text(), FinishReason: v.At("finish_reason").Text(),
		Error: v.At("error").Text(), ErrorType: v.At("error_type").Text(),
	}
	if success, says := v.At("success").AsBool(); says {
		out.Success = success
	}
	if parsed, ok := v.Get("parsed"); ok {
		out.Parsed = &parsed
	}
	if usd, ok := v.At("cost_usd").AsFloat(); ok {
		out.CostUSD = &usd
	}
	for _, c := range v.At("tool_calls").Items() {
		out.ToolCalls = append(out.ToolCalls, toolCall{
			ID: c.At("id").Text(), Name: c.At("name").Text(), Arguments: c.At("arguments"), Signature: c.At("signature").Text(),
		})
	}
	return out
}

func readUsage(v value.Value) usage {
	count := func(key string) int64 {
		n, _ := v.At(key).AsInt()
		return n
	}
	return usage{count("prompt_tokens"), count("completion_tokens"), count("total_tokens"), count("cached_tokens")}
}

// turn is the answer as a part of the conversation.
func (a answer) turn() value.Value {
	t := message("assistant", value.String(a.Content))
	if len(a.ToolCalls) == 0 {
		return t
	}
	if a.Content == "" {
		t = t.Without("content")
	}
	calls := make([]value.Value, len(a.ToolCalls))
	for i, c := range a.ToolCalls {
		calls[i] = value.Object(
			value.M("id", value.String(c.ID)), value.M("name", value.String(c.Name)), value.M("arguments", c.Arguments))
		if c.Signature != "" {
			calls[i] = calls[i].With("signature", value.String(c.Signature))
		}
	}
	return t.With("tool_calls", value.List(calls...))
}

// message is a turn of a conversation.
func message(role string, content value.Value) value.Value {
	return value.Object(value.M("role", value.String(role)), value.M("content", content))
}

// bill sums up what several calls took.
type bill struct {
	usage   usage
	usd     float64
	unknown bool // a price was
}

func (b *bill) add(a answer) {
	b.usage.PromptTokens += a.Usage.PromptTokens
	b.usage.CompletionTokens += a.Usage.CompletionTokens
	b.usage.TotalTokens += a.Usage.TotalTokens
	b.usage.CachedTokens += a.Usage.CachedTokens
	if a.CostUSD == nil {
		b.unknown = true
		return
	}
	b.usd += *a.CostUSD
}

// cost returns the sum, or nil when a part of it is not known.
func (b *bill) cost() *float64 {
	if b.unknown {
		return nil
	}
	return &b.usd
}
