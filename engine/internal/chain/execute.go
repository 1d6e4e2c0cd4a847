package chain

import (
	"context"
	"log/slog"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/llm"
)

// execute runs the action that a call names.
func (l *links) execute() actions.Handler {
	env, log := l.Env, slog.DiscardHandler
	if env.Log != nil {
		log = env.Log.Handler()
	}
	env.Secrets = l.Scrubber.Lookup(env.Secrets)
	if env.Credential != nil {
		env.Credential = l.Scrubber.Lookup(env.Credential)
	}
	env = env.WithInvoker(func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		return l.inner(ctx, call)
	})
	return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		a, ok := env.Registry.Lookup(call.Action)
		if !ok {
			return actions.Result{}, actions.Errorf(actions.CodeNotFound, "unknown action %q; %s",
				call.Action, diag.DidYouMean(call.Action, env.Registry.Names()))
		}
		if a.Spec().Keeps { // code hands secrets on as text
			known := *call
			known.Input = l.Scrubber.Hide(call.Input)
			call = &known
		}
		env := env
		if l.Rand != nil {
			env.Rand = l.Rand(call.ID)
		}
		if a.Spec().Model && a.Spec().Effect == actions.Read {
			l.Observer.CountModel()
			if !llm.Trusted(call.Input.At(paramProvider).Text(), call.Input.At(paramAPIBase).Text(), l.Models.Getenv) {
				env.Credential = nil // the agent chose the address; its own key may go there
			}
		}
		env.Log = l.log(event.Call{Node: call.Node, ID: call.ID}, log)
		return a.Handle(ctx, env, call)
	}
}
