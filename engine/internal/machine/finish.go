package machine

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// complete takes the outcome of the call that f stands at.
func (m *Machine) complete(f *frame, o Outcome) *frame {
	if o.Err != nil {
		return m.failWith(f, o.Err, o.Result.Meta)
	}
	return m.finish(f, o.Result)
}

// finish puts a body's result into the state and goes on.
func (m *Machine) finish(f *frame, r actions.Result) *frame {
	if err := m.apply(f, r.Output); err != nil {
		return m.failWith(f, err, r.Meta)
	}
	m.emitNode(f, event.NodeFinished{Call: m.call(f), Cache: event.CacheOf(r.Meta.Cache), LLMCache: event.CacheOf(r.Meta.Answer)})
	f.keep(r.Output)
	return m.leave(f)
}

// apply merges a result into the state as the node's output says. What the
// inner nodes of steps and loops returned is in the state already.
func (m *Machine) apply(f *frame, result value.Value) error {
	n := m.node(f)
	switch {
	case n.Output.Name != "":
		return m.state.merge(value.Object(value.M(n.Output.Name, result)))
	case len(n.Output.Fields) > 0:
		update, err := m.render(n.Output.Fields, m.scope().With("result", result))
		if err != nil {
			return err
		}
		return m.state.merge(update)
	case !isCall(n):
		return nil
	case result.Kind() == value.KindObject:
		return m.state.merge(result)
	default:
		return m.state.merge(value.Object(value.M("result", result)))
	}
}

func isCall(n *graph.Node) bool {
	_, ok := n.Body.(*graph.Call)
	return ok
}

// render evaluates fields against one scope; none sees another's result.
func (m *Machine) render(fields []graph.Field, s filters.Scope) (value.Value, error) {
	members := make([]value.Member, 0, len(fields))
	var errs []error
	for _, field := range fields {
		v, err := field.Value.Render(context.Background(), s)
		if err != nil {
			errs = append(errs, err)
		}
		members = append(members, value.M(field.Key, v))
	}
	return value.Object(members...), errors.Join(errs...)
}
