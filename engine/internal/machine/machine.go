package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// Machine runs one graph once. It is not safe for concurrent use: its driver
// calls it from one goroutine at a time.
type Machine struct {
	graph  *graph.Graph
	names  filters.MapScope // what templates see besides the state
	state  state
	frames map[string]*frame
	tasks  []pending // outstanding, in the order in which they were given out
	epoch  int       // of tasks given out by this machine; grows with each Restore
	jumps  int       // jumps back so far
	done   *Done
	began  bool

	// What the current Start, Complete, Cancel or Restore hands back.
	out    Step
	budget int
}

// Step is what the driver has to do next: tell the events, execute the tasks.
// Done is set once, in the step that ends the run.
type Step struct {
	Tasks  []Task
	Events []event.Body
	Done   *Done
}

// Task is a call to execute and to report with [Machine.Complete].
type Task struct {
	ID    string // also the call's id; no id comes twice within a run
	Epoch int    // to be given back with the outcome
	Node  *graph.Node
	Call  *graph.Call
	State value.Value // what the call's templates and code see
}

// Outcome is how a task ended. When Err is set, only Result.Meta counts.
type Outcome struct {
	Result actions.Result
	Err    error
}

// Done is how the run ended.
type Done struct {
	State  value.Value // the last state kept
	Output value.Value // what the output schema makes of the state, else the state; null after a failure
	Err    error       // nil, a *NodeError, a cancellation, or a failure of the input or output
}

// pending is an outstanding task.
type pending struct {
	ID    string `json:"id"`
	Frame string `json:"frame"`
	Epoch int    `json:"epoch"`
}

// maxTransitions bounds what happens between two tasks.
const maxTransitions = 1_000_000

// New returns a machine at the beginning of a run of g.
func New(g *graph.Graph) *Machine {
	return &Machine{graph: g, names: Names(g), frames: map[string]*frame{}, epoch: 1}
}

// Start begins the run with the initial state and input, an object, merged
// over it. A run that cannot begin is done at once, and Done.Err says why;
// the error is for a driver's mistake: a second Start, an input that is no
// object.
func (m *Machine) Start(input value.Value) (Step, error) {
	if m.began {
		return Step{}, errors.New("machine: started twice")
	}
	if k := input.Kind(); k != value.KindObject && k != value.KindNull {
		return Step{}, fmt.Errorf("machine: the input is a %s; it must be an object", k)
	}
	m.began = true
	m.begin()
	m.state = newState(m.graph)
	if err := m.state.merge(m.graph.Initial.Merge(input)); err != nil {
		m.end(err)
		return m.step(), nil
	}
	root := &frame{PC: m.graph.Entry}
	m.frames[root.ID] = root
	m.advance(root)
	return m.step(), nil
}

// Complete reports the outcome of a task. An outcome that is not awaited — of
// an unknown or already completed task, of an earlier epoch, or after the
// end of the run — changes nothing and yields an empty step.
func (m *Machine) Complete(id string, epoch int, o Outcome) Step {
	i := slices.IndexFunc(m.tasks, func(p pending) bool { return p.ID == id && p.Epoch == epoch })
	if i < 0 || m.done != nil {
		return Step{}
	}
	f := m.frames[m.tasks[i].Frame]
	m.tasks = slices.Delete(m.tasks, i, i+1)
	m.begin()
	m.advance(m.complete(f, o))
	return m.step()
}

// Cancel ends the run for the given cause. Outstanding tasks are forgotten,
// their nodes finish with the cause, the state stays as it is. A run that has
// ended stays ended.
func (m *Machine) Cancel(cause error) Step {
	if m.done != nil {
		return Step{}
	}
	m.begin()
	m.abandon(cause)
	m.end(cause)
	return m.step()
}

// abandon tells of every node under way that it ended, inner ones first.
func (m *Machine) abandon(cause error) {
	because := &event.Error{Code: string(actions.CodeOf(cause)), Message: cause.Error()}
	told := map[string]bool{}
	for _, p := range m.tasks {
		for f := m.frames[p.Frame]; f != nil && !told[m.id(f)]; f = m.frames[f.Parent] {
			told[m.id(f)] = true
			m.emit(event.NodeFinished{Call: m.call(f), Error: because})
			if f.isRoot() {
				break
			}
		}
	}
}

// begin readies the machine for one call from outside.
func (m *Machine) begin() {
	m.out, m.budget = Step{}, maxTransitions
}

// step returns what the call from outside brought about.
func (m *Machine) step() Step {
	out := m.out
	m.out = Step{}
	return out
}

// emit adds an event to the step.
func (m *Machine) emit(e event.Body) { m.out.Events = append(m.out.Events, e) }

// emitNode adds an event of the node that f stands at. The node that the graph
// makes for the edges from __start__ is nobody's, and not told of.
func (m *Machine) emitNode(f *frame, e event.Body) {
	if m.node(f).Name != graph.StartName {
		m.emit(e)
	}
}

// end ends the run; err is nil when it went well.
func (m *Machine) end(err error) {
	done := &Done{State: m.state.value, Err: err}
	if err == nil {
		done.Output, done.Err = m.output()
	}
	m.frames, m.tasks = map[string]*frame{}, nil
	m.done, m.out.Done = done, done
}

// output renders what the run returns.
func (m *Machine) output() (value.Value, error) {
	if m.graph.Schemas.Output == nil {
		return m.state.value, nil
	}
	return m.graph.Schemas.Output.Render(context.Background(), m.scope())
}
