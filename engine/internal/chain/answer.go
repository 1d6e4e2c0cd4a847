package chain

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

// Models is what the chain does for the calls that ask a model.
type Models struct {
	Actions  map[string]actions.Action // those that ask a model, by name
	Settings value.Value               // object: settings.llm, with secrets as references
	Getenv   func(name string) (string, bool)

	// Answers is the LLM response cache; nil: there is none.
	Answers *llmcache.Cache
	// Mode is what the cache may do for calls that do not say so themselves,
	// Cap what it may do at most for those that do; nil is no bound.
	Mode llmcache.Mode
	Cap  *llmcache.Mode
}

// mode is what the LLM response cache may do for a call.
func (m *Models) mode(input value.Value) (llmcache.Mode, error) {
	own := input.At(paramCache)
	if own.IsNull() {
		return m.Mode, nil
	}
	mode, err := llmcache.ParseMode(own.Text())
	if err != nil {
		return mode, actions.Errorf(actions.CodeInvalidInput, "cache: %w", err)
	}
	if m.Cap != nil {
		mode = cache.Policy{Mode: mode, Explicit: true}.Cap(*m.Cap).Mode
	}
	return mode, nil
}

// answered serves calls of models from the LLM response cache.
func (l *links) answered(next actions.Handler) actions.Handler {
	if l.Models.Answers == nil || l.bypass != "" {
		return next
	}
	return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		if l.Models.Actions[call.Action].Spec().Effect != actions.Read {
			return next(ctx, call)
		}
		mode, err := l.Models.mode(call.Input)
		if err != nil || mode == llmcache.Off {
			return orNext(ctx, err, next, call)
		}
		if llm.Private(call.Input) {
			r, err := next(ctx, call)
			r.Meta.Answer = &cache.Outcome{Status: cache.Bypass, Reason: "private"}
			return r, err
		}
		return l.answer(ctx, call, mode, next)
	}
}

func orNext(ctx context.Context, err error, next actions.Handler, call *actions.Call) (actions.Result, error) {
	if err != nil {
		return actions.Result{}, err
	}
	return next(ctx, call)
}

// answer serves a call from the cache, or makes it. Chunks come as they did
// when the call was made.
func (l *links) answer(ctx context.Context, call *actions.Call, mode llmcache.Mode, next actions.Handler) (actions.Result, error) {
	ask := &tee{sink: call.Sink, now: l.Clock.Now}
	req := l.llmRequest(call)
	response, outcome, err := l.Models.Answers.Wrap(ctx, req, mode, func(ctx context.Context) (llmcache.Response, error) {
		r, err := ask.run(ctx, call, next)
		if success, said := r.Output.At("success").AsBool(); err == nil && said && !success {
			err = &unsuccessful{r} // an error is not stored
		}
		return responseOf(r, ask), err
	})
	ran := ask.leave()
	if failed, ok := errors.AsType[*unsuccessful](err); ok {
		return failed.result, nil
	}
	r := actions.Result{Output: response.Result, Meta: actions.Meta{Answer: &outcome, Raw: response.Raw}}
	if err == nil && !ran && streams(call) {
		l.serve(call, response)
	}
	return r, err
}

// unsuccessful is a result that tells of a failure.
type unsuccessful struct{ result actions.Result }

// Error implements error; nobody sees it.
func (*unsuccessful) Error() string { return "the result tells of a failure" }

// llmRequest describes a call of a model to the cache.
func (l *links) llmRequest(call *actions.Call) llmcache.Request {
	model := call.Input.At(paramModel).Text()
	return llmcache.Request{
		Identity: l.Scrubber.Hide(llm.Identity(call.Action, call.Input)),
		Provider: call.Input.At(paramProvider).Text(), Model: model,
		Secret:   l.Scrubber.Texts(l.Scrubber.Lookup(l.Env.Secrets)),
		Warnings: l.warnings,
		Cost: func(r *llmcache.Response) (float64, bool) {
			if usd, known := llm.Cost(call.Input.At(paramPrices), model, usageOf(r.Usage)); known {
				return usd, true
			}
			return r.CostUSD, r.Priced
		},
	}
}

func responseOf(r actions.Result, ask *tee) llmcache.Response {
	usd, priced := r.Output.At("cost_usd").AsFloat()
	response := llmcache.Response{
		Result: r.Output, Raw: r.Meta.Raw, Usage: r.Output.At("usage"), CostUSD: usd, Priced: priced,
	}
	for _, c := range ask.chunks {
		response.Chunks = append(response.Chunks, llmcache.Chunk{Data: c.data, After: c.after})
	}
	return response
}

func usageOf(v value.Value) llm.Usage {
	count := func(key string) int64 { n, _ := v.At(key).AsInt(); return n }
	return llm.Usage{
		PromptTokens: count("prompt_tokens"), CompletionTokens: count("completion_tokens"), CachedTokens: count("cached_tokens"),
	}
}

// serve hands on the chunks of a stored answer, without waiting between them.
// One that did not stream comes in one piece.
func (l *links) serve(call *actions.Call, r llmcache.Response) {
	if len(r.Chunks) == 0 {
		for _, data := range pieces(r.Result) {
			call.Sink(actions.Chunk{Data: data, At: l.Clock.Now()})
		}
	}
	for _, c := range r.Chunks {
		call.Sink(actions.Chunk{Data: c.Data, At: l.Clock.Now()})
	}
}

// streamAction is the action whose answers come in chunks. What it asks is the
// same request as that of llm.call, so one may be served what the other got.
const streamAction = "llm.stream"

// streams tells whether the caller wants chunks.
func streams(call *actions.Call) bool { return call.Sink != nil && call.Action == streamAction }

// pieces are the chunks of an answer that came in one piece.
func pieces(answer value.Value) []value.Value {
	var chunks []value.Value
	if text := answer.At("content").Text(); text != "" {
		chunks = append(chunks, value.Object(value.M(memberText, value.String(text))))
	}
	for i, call := range answer.At("tool_calls").Items() {
		arguments, ok := call.At(memberArguments).AsString()
		if !ok {
			arguments = call.At(memberArguments).String()
		}
		chunks = append(chunks, value.Object(value.M(memberToolCall, value.Object(
			value.M(memberIndex, value.Int(int64(i))),
			value.M("id", call.At("id")), value.M("name", call.At("name")),
			value.M(memberArguments, value.String(arguments)),
		))))
	}
	return chunks
}
