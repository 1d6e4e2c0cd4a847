package chain

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Recording is what the chain of a run does with a cassette.
type Recording struct {
	Session *cassette.Session // nil: nothing is recorded or replayed
	All     bool              // every Read and Write takes part, not only what goes outward
	// FromCache lets caches answer while calls are recorded.
	FromCache bool
}

// active tells whether calls are recorded or replayed.
func (r Recording) active() bool { return r.Session != nil && r.Session.Mode() != cassette.Live }

// bypass says why caches are left alone, "" when they are not. It says the same
// of recording and of replaying, as it may stand in results.
func (r Recording) bypass() string {
	if r.active() && (!r.FromCache || r.Session.Mode() == cassette.Replay) {
		return "cassette"
	}
	return ""
}

// takes tells whether the calls of an action are recorded. Those that work
// through others are not: what they call is.
func (r Recording) takes(s actions.Spec) bool {
	if s.Effect == actions.Compose {
		return false
	}
	return s.Outward || r.All && (s.Effect == actions.Read || s.Effect == actions.Write)
}

// recorded serves calls from a recording, or records what served them.
func (l *links) recorded(next actions.Handler) actions.Handler {
	if !l.Recording.active() {
		return next
	}
	return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		a, ok := l.Env.Registry.Lookup(call.Action)
		if !ok || !l.Recording.takes(a.Spec()) {
			return next(ctx, call)
		}
		return l.take(ctx, a, call, next)
	}
}

// take replays a call, or makes and records it.
func (l *links) take(ctx context.Context, a actions.Action, call *actions.Call, next actions.Handler) (actions.Result, error) {
	var ran bool
	var made actions.Result
	var failure error
	sink := func(c cassette.Chunk) {
		if call.Sink != nil && (ran || !a.Spec().Model || streams(call)) {
			call.Sink(actions.Chunk{Data: c.Data, At: l.Clock.Now()})
		}
	}
	response, err := l.Recording.Session.Do(ctx, l.cassetteRequest(a, call), sink,
		func(ctx context.Context, sink func(cassette.Chunk)) (cassette.Response, error) {
			ran = true
			teed := *call
			teed.Sink = func(c actions.Chunk) { sink(cassette.Chunk{Data: c.Data}) }
			made, failure = next(ctx, &teed)
			return recordingOf(ctx, made, failure)
		})
	switch {
	case ran && (err == nil || failure != nil):
		return made, failure
	case err != nil:
		return actions.Result{}, replayError(err)
	}
	return l.replayed(call, response)
}

// replayed is the result of a call that the cassette served.
func (l *links) replayed(call *actions.Call, r cassette.Response) (actions.Result, error) {
	meta := actions.Meta{Raw: r.Raw, Cache: l.bypassed(call)}
	if f := r.Failure; f != nil {
		return actions.Result{Meta: meta}, &actions.Error{Code: actions.Code(f.Code), Message: f.Message, RetryAfter: f.RetryAfter}
	}
	return actions.Result{Output: r.Output, Meta: meta}, nil
}

// bypassed is the outcome of a cached call while the cache is left alone.
func (l *links) bypassed(call *actions.Call) *cache.Outcome {
	if call.Policy.Cache == nil {
		return nil
	}
	return &cache.Outcome{Status: cache.Bypass, Reason: l.bypass}
}

// cassetteRequest describes a call to the cassette, without secrets. Where a
// model is asked, what counts is the request that the model gets and not the
// address that it goes to.
func (l *links) cassetteRequest(a actions.Action, call *actions.Call) cassette.Request {
	s := a.Spec()
	req := cassette.Request{ID: call.ID, Node: call.Node, Endpoint: s.Name}
	if s.Model {
		req.Provider, req.Model = call.Input.At(paramProvider).Text(), call.Input.At(paramModel).Text()
		req.Prompt = l.Scrubber.Text(llm.PromptText(call.Input))
		req.Key = l.Scrubber.Value(llm.Identity(s.Name, call.Input).Without(paramAPIBase))
		return req
	}
	req.Key = l.Scrubber.Value(value.Object(
		value.M("action", value.String(s.Name)), value.M("version", value.Int(int64(s.Version))),
		value.M("input", a.Input().Normalize(call.Input)),
	))
	return req
}

// recordingOf is what is kept of a call. One that was cut off is not kept.
func recordingOf(ctx context.Context, r actions.Result, err error) (cassette.Response, error) {
	switch code := actions.CodeOf(err); {
	case err == nil:
		return cassette.Response{
			Output: r.Output, Raw: r.Meta.Raw, Usage: r.Output.At("usage"), Complete: true,
			Text: r.Output.At("content").Text(), ToolUses: elements(r.Output.At("tool_calls")),
		}, nil
	case ctx.Err() != nil, code == actions.CodeCanceled:
		return cassette.Response{}, err
	default:
		failure := &cassette.Failure{Code: string(code), Message: err.Error(), RetryAfter: actions.RetryAfter(err)}
		return cassette.Response{Failure: failure, Complete: true}, nil
	}
}

func elements(list value.Value) []value.Value {
	var items []value.Value
	for _, item := range list.Items() {
		items = append(items, item)
	}
	return items
}

// replayError gives what the cassette refuses the code that ends the run; a
// miss has it by itself.
func replayError(err error) error {
	if errors.Is(err, cassette.ErrForbidden) {
		return &actions.Error{Code: actions.CodeReplayMiss, Message: err.Error(), Err: err}
	}
	return err
}
