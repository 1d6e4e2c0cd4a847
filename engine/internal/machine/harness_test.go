package machine_test

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

type anyInput struct {
	In value.Value `json:"in,omitempty" doc:"Anything."`
}

// tb is what the helpers need of *testing.T and *rapid.T.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// compile compiles an agent whose only action is t.do.
func compile(t tb, yaml string) *graph.Graph {
	t.Helper()
	registry, err := actions.NewRegistry(actions.Define(
		actions.Spec{Name: "t.do", Version: 1, Summary: "Does."},
		func(context.Context, actions.Env, anyInput) (value.Value, error) { return value.Value{}, nil }))
	if err != nil {
		t.Fatalf("%v", err)
	}
	document, problems := spec.Parse("agent.yaml", []byte(yaml))
	if problems.HasErrors() {
		t.Fatalf("%v\n%s", problems, yaml)
	}
	g, problems := graph.Compile(document, graph.Options{Registry: registry, Filters: filters.Default()})
	if problems.HasErrors() {
		t.Fatalf("%v\n%s", problems, yaml)
	}
	return g
}

// worker decides how a task ends.
type worker func(machine.Task) machine.Outcome

// done is a successful outcome with the given result.
func done(x any) machine.Outcome {
	return machine.Outcome{Result: actions.Result{Output: value.Must(x)}}
}

func failed(code actions.Code, message string) machine.Outcome {
	return machine.Outcome{Err: actions.Errorf(code, "%s", message)}
}

// told is how a run went.
type told struct {
	done   machine.Done
	ids    []string // of the tasks, in order
	events []string
}

func (w *told) add(t tb, s machine.Step) {
	for _, e := range s.Events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%v", err)
		}
		w.events = append(w.events, e.Type()+string(data))
	}
}

// run drives a graph from start to end.
func run(t tb, g *graph.Graph, input any, work worker) told {
	t.Helper()
	m := machine.New(g)
	step, err := m.Start(value.Must(input))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return drive(t, m, step, work, nil)
}

// drive goes on with a machine to its end. between, when not nil, may replace
// the machine, and the tasks outstanding, before each task.
func drive(t tb, m *machine.Machine, step machine.Step, work worker,
	between func(*machine.Machine, machine.Step) (*machine.Machine, machine.Step)) told {
	t.Helper()
	var w told
	var waiting []machine.Task
	for {
		w.add(t, step)
		if step.Done != nil {
			w.done = *step.Done
			return w
		}
		for _, task := range step.Tasks {
			w.ids = append(w.ids, task.ID)
		}
		waiting = append(waiting, step.Tasks...)
		if len(waiting) == 0 {
			t.Fatalf("the machine waits for nothing and is not done")
		}
		if between != nil {
			m, step = between(m, machine.Step{Tasks: waiting})
			waiting = step.Tasks
		}
		task := waiting[0]
		waiting = waiting[1:]
		step = m.Complete(task.ID, task.Epoch, work(task))
	}
}

// constant is a worker that always does the same.
func constant(x any) worker { return func(machine.Task) machine.Outcome { return done(x) } }

// sum spreads a text over the numbers below n.
func sum(text string, n int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return int(h.Sum32()>>3) % n
}

// agent puts nodes under a header.
func agent(nodes string) string { return "name: a\nnodes:\n" + indent(nodes) }

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
}

func wantState(t *testing.T, w told, json string) {
	t.Helper()
	want, err := value.Parse([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	if w.done.Err != nil {
		t.Errorf("the run failed: %v", w.done.Err)
	}
	if !value.Equal(w.done.State, want) {
		t.Errorf("state %s, want %s", w.done.State, want)
	}
}

func hasEvent(w told, typ, part string) bool {
	for _, e := range w.events {
		if strings.HasPrefix(e, typ+"{") && strings.Contains(e, part) {
			return true
		}
	}
	return false
}
