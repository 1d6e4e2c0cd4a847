package runner

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// call renders a task's parameters, and its cache options, on the task's state.
func (d *drive) call(ctx context.Context, t machine.Task) (*actions.Call, error) {
	ctx = filters.WithStorageHash(ctx, chain.NewHasher(d.Inner, t.Node.Name, t.ID+"/with").Hash)
	scope := machine.NewScope(d.Names, t.State)
	input, late, err := t.Call.With.Render(ctx, scope)
	if err != nil {
		return nil, err
	}
	if t.Call.Code != nil {
		input = d.codeInput(t)
	}
	policy, err := cachePolicy(ctx, t, scope)
	if err != nil {
		return nil, err
	}
	at := event.Call{Node: t.Node.Name, ID: t.ID}
	return &actions.Call{
		ID: t.ID, Node: t.Node.Name, Action: t.Call.Action.Spec().Name, Input: input, Late: late,
		Policy: actions.Policy{Cache: policy},
		Sink:   func(c actions.Chunk) { d.Teller.Tell(event.Chunk{Call: at, Data: c.Data}) },
	}, nil
}

// The parameters of the actions that run code, and the part of their result
// that is the node's.
const (
	resultUpdate   = "update"
	paramCode      = "code"
	paramState     = "state"
	paramVariables = "variables"
	paramSecrets   = "secrets"
)

// placed points an error in code at the place in the file.
func (d *drive) placed(t machine.Task, err error) error {
	clean, original := chain.Original(err)
	line, col, message, ok := d.Place(original)
	if err == nil || !ok {
		return err
	}
	pos := t.Call.Code.Text.LineCol(line, col)
	return &actions.Error{
		Code: actions.CodeOf(err), Message: pos.String() + ": " + clean(message),
		RetryAfter: actions.RetryAfter(err), Err: err,
	}
}

// codeInput is what a run block works on: data, never text pasted into code.
func (d *drive) codeInput(t machine.Task) value.Value {
	return value.Object(
		value.M(paramCode, value.String(t.Call.Code.Source)),
		value.M(paramState, t.State),
		value.M(paramVariables, d.Names["variables"]),
		value.M(paramSecrets, names(d.Names["secrets"])),
	)
}

// names returns the keys of an object as a list.
func names(object value.Value) value.Value {
	var items []value.Value
	for key := range object.Members() {
		items = append(items, value.String(key))
	}
	return value.List(items...)
}

// cachePolicy renders the node's cache options; nil for none.
func cachePolicy(ctx context.Context, t machine.Task, scope filters.Scope) (*cache.Policy, error) {
	if t.Call.Cache == nil {
		return nil, nil
	}
	p, err := t.Call.Cache.Policy(ctx, scope)
	if err != nil {
		return nil, err
	}
	if t.Call.Code != nil {
		p.Key.Args = cache.ArgSelection{Only: []string{paramCode, paramVariables}}
		if len(p.Key.Vary) == 0 {
			p.Key.Vary = []value.Value{stateRead(t.Call.Code.Program, t.State)}
		}
	}
	return &p, nil
}

// stateRead returns the part of the state that code may read.
func stateRead(p graph.Program, state value.Value) value.Value {
	keys, all := p.StateReads()
	if all {
		return state
	}
	read := value.Object()
	for _, key := range keys {
		if v, ok := state.Get(key); ok {
			read = read.With(key, v)
		}
	}
	return read
}
