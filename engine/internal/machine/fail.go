package machine

import (
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// NodeError is a failure with the node that failed.
type NodeError struct {
	Node string // the innermost node that failed
	ID   string // its path: see the package comment
	Pos  diag.Pos
	Code actions.Code
	Err  error
}

// Error returns the node and what it failed of.
func (e *NodeError) Error() string { return "node \"" + e.Node + "\": " + e.Err.Error() }

// Unwrap returns what the node failed of.
func (e *NodeError) Unwrap() error { return e.Err }

func noRoute(n *graph.Node) error {
	return actions.Errorf(actions.CodeFailed,
		"no_route: none of the node's %d routes holds; add a last one without a condition", len(n.Routes))
}

func tooManyJumps(most int) error {
	return actions.Errorf(actions.CodeFailed,
		"more than %d jumps back; raise settings.limits.max_steps if that is meant", most)
}

// fail handles the failure of the node that f stands at.
func (m *Machine) fail(f *frame, err error) *frame { return m.failWith(f, err, actions.Meta{}) }

func (m *Machine) failWith(f *frame, err error, meta actions.Meta) *frame {
	failure := m.nodeError(f, err)
	finished := event.NodeFinished{Call: m.call(f), Cache: event.CacheOf(meta.Cache), LLMCache: event.CacheOf(meta.Answer), Error: errorEvent(failure)}
	n := m.node(f)
	if n.OnError == nil || failure.Code.Fatal() {
		m.emit(finished)
		return m.unhandled(f, failure)
	}
	if err := m.handle(f, n.OnError, failure); err != nil {
		m.emit(finished)
		return m.unhandled(f, m.nodeError(f, errors.Join(failure.Err, err)))
	}
	finished.Error.Handled = handledBy(n.OnError)
	m.emit(finished)
	if n.OnError.HasGoto {
		return m.jump(f, n.OnError.Goto, -1)
	}
	return m.leave(f)
}

// unhandled passes a failure on to the node that holds f, or ends the run.
func (m *Machine) unhandled(f *frame, failure *NodeError) *frame {
	if f.isRoot() {
		return m.abort(f, failure)
	}
	return m.failWith(m.pop(f), failure, actions.Meta{})
}

// abort ends the run with the failure of the node that f stands at, which
// has finished already or cannot be handled.
func (m *Machine) abort(f *frame, err error) *frame {
	m.end(m.nodeError(f, err))
	return nil
}

// nodeError names the node that f stands at, unless err names an inner one.
func (m *Machine) nodeError(f *frame, err error) *NodeError {
	if inner := (*NodeError)(nil); errors.As(err, &inner) {
		return inner
	}
	n := m.node(f)
	return &NodeError{Node: n.Name, ID: m.id(f), Pos: n.Pos, Code: actions.CodeOf(err), Err: err}
}

// handle puts the failure into the state as on_error says.
func (m *Machine) handle(f *frame, h *graph.OnError, failure *NodeError) error {
	report := value.Object(
		value.M("node", value.String(failure.Node)),
		value.M("code", value.String(string(failure.Code))),
		value.M("message", value.String(failure.Err.Error())),
	)
	if err := m.state.merge(value.Object(value.M("error", report))); err != nil {
		return err
	}
	if h.Result {
		result := actions.FailureResult(failure.Err)
		if err := m.apply(f, result); err != nil {
			return err
		}
		f.keep(result)
	}
	update, err := m.render(h.Set, m.scope())
	if err != nil {
		return err
	}
	return m.state.merge(update)
}

func handledBy(h *graph.OnError) string {
	switch {
	case h.HasGoto:
		return "goto"
	case h.Result:
		return "result"
	default:
		return "set"
	}
}

func errorEvent(e *NodeError) *event.Error {
	return &event.Error{Code: string(e.Code), Message: e.Err.Error()}
}
