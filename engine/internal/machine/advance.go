package machine

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/value"
)

// advance moves on from f until a task is out or the run is over. Every move
// returns the frame to go on with, or nil.
func (m *Machine) advance(f *frame) {
	for f != nil && m.done == nil {
		if m.budget--; m.budget < 0 {
			m.end(actions.Errorf(actions.CodeFailed,
				"more than %d moves without a call: the loops of this agent do no work", maxTransitions))
			return
		}
		if m.node(f) == nil {
			f = m.leaveFrame(f)
			continue
		}
		f = m.enter(f)
	}
}

// enter begins the node that f stands at.
func (m *Machine) enter(f *frame) *frame {
	f.visit()
	n := m.node(f)
	if n.If != nil {
		ok, err := m.holds(n.If)
		if err != nil {
			m.started(f)
			return m.fail(f, err)
		}
		if !ok {
			m.emitNode(f, event.NodeSkipped{Call: m.call(f)})
			return m.leave(f)
		}
	}
	m.started(f)
	switch body := n.Body.(type) {
	case *graph.Call:
		m.give(f, body)
		return nil
	case *graph.Steps:
		return m.push(f)
	default:
		return m.iterate(m.push(f))
	}
}

// started tells that the node's body begins.
func (m *Machine) started(f *frame) {
	n := m.node(f)
	body := "while_loop"
	switch b := n.Body.(type) {
	case *graph.Call:
		body = b.Action.Spec().Name
	case *graph.Steps:
		body = "steps"
	}
	m.emitNode(f, event.NodeStarted{Call: m.call(f), Body: body})
}

// give hands the call out as a task.
func (m *Machine) give(f *frame, call *graph.Call) {
	p := pending{ID: m.id(f), Frame: f.ID, Epoch: m.epoch}
	m.tasks = append(m.tasks, p)
	m.out.Tasks = append(m.out.Tasks, Task{
		ID: p.ID, Epoch: p.Epoch, Node: m.node(f), Call: call, State: m.state.value,
	})
}

// iterate begins the next iteration of a loop's frame, or ends the loop.
func (m *Machine) iterate(f *frame) *frame {
	n := m.owner(f)
	loop := n.Body.(*graph.Loop)
	goOn, err := m.holds(loop.While)
	if err != nil {
		return m.fail(m.pop(f), err)
	}
	if goOn && f.Iteration < loop.Max {
		f.Iteration++
		f.PC = 0
		return f
	}
	return m.endLoop(f, n, goOn)
}

// endLoop leaves a loop. That its limit ended it stands in the state; a run
// that comes by again without reaching the limit takes it back.
func (m *Machine) endLoop(f *frame, n *graph.Node, exhausted bool) *frame {
	iterations := f.Iteration
	f = m.pop(f)
	if exhausted {
		m.emit(event.LoopExhausted{Call: m.call(f), Iterations: iterations})
	}
	key := n.Name + "_exhausted"
	if _, told := m.state.value.Get(key); told || exhausted {
		if err := m.state.merge(value.Object(value.M(key, value.Bool(exhausted)))); err != nil {
			return m.fail(f, err)
		}
	}
	return m.finish(f, actions.Result{Output: value.Object(
		value.M("iterations", value.Int(int64(iterations))),
		value.M("exhausted", value.Bool(exhausted)),
	)})
}

// leaveFrame goes on after the last node of a list.
func (m *Machine) leaveFrame(f *frame) *frame {
	switch {
	case f.isRoot():
		m.end(nil)
		return nil
	case f.Iteration > 0:
		return m.iterate(f)
	default:
		last := f.Last
		return m.finish(m.pop(f), actions.Result{Output: last})
	}
}

// leave goes on to the node after the one that f stands at.
func (m *Machine) leave(f *frame) *frame {
	if !f.isRoot() {
		f.PC++
		return f
	}
	n := m.node(f)
	for i, r := range n.Routes {
		ok := true
		if r.When != nil {
			var err error
			if ok, err = m.holds(r.When); err != nil {
				return m.abort(f, err)
			}
		}
		if ok {
			return m.jump(f, r.To, i)
		}
	}
	return m.abort(f, noRoute(n))
}

// jump moves the root from the node that it stands at to the node at index
// to. rule is the number of the route, or -1.
func (m *Machine) jump(root *frame, to, rule int) *frame {
	target := "__end__"
	if to != graph.End {
		target = m.graph.Nodes[to].Name
	}
	m.emit(event.RouteTaken{Call: m.call(root), To: target, Rule: rule})
	if to != graph.End && to <= root.PC && m.node(root).Name != graph.StartName {
		if m.jumps++; m.jumps > m.graph.Settings.Limits.MaxSteps {
			return m.abort(root, tooManyJumps(m.graph.Settings.Limits.MaxSteps))
		}
	}
	root.PC = to
	return root
}

// holds evaluates a condition on the current state.
func (m *Machine) holds(e *graph.Expr) (bool, error) {
	return e.True(context.Background(), m.scope())
}
