package machine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/value"
)

const maxSteps = 12

// randomAgent draws an agent of nodes, ifs, jumps, loops, steps and handlers.
func randomAgent(t *rapid.T) string {
	n := rapid.IntRange(1, 5).Draw(t, "nodes")
	var b strings.Builder
	fmt.Fprintf(&b, "name: a\nsettings: {limits: {max_steps: %d}}\ninitial_state: {b0: true, b1: false, b2: true}\nnodes:\n", maxSteps)
	for i := range n {
		b.WriteString(randomNode(t, fmt.Sprintf("n%d", i), n, 0))
	}
	return b.String()
}

func pick(t *rapid.T, label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(t, label)
}

// randomNode draws a node; below the top level it does not jump.
func randomNode(t *rapid.T, name string, n, depth int) string {
	condition := func() string { return pick(t, "condition", "state.b0", "state.b1", "state.b2", "not state.b1") }
	parts := []string{"name: " + name}
	if rapid.IntRange(0, 3).Draw(t, "if") == 0 {
		parts = append(parts, "if: "+condition())
	}
	parts = append(parts, randomBody(t, name, n, depth, condition)...)
	parts = append(parts, slices.DeleteFunc([]string{
		pick(t, "output", "", "", "output: got_"+name, "output: {b0: '{{ state.b1 }}', last: '{{ result }}'}"),
		pick(t, "on_error", "", "on_error: result", "on_error: {set: {b1: true}}"),
	}, func(s string) bool { return s == "" })...)
	if depth == 0 && rapid.Bool().Draw(t, "jumps") {
		target := func() string { return fmt.Sprintf("n%d", rapid.IntRange(0, n-1).Draw(t, "to")) }
		parts = append(parts, fmt.Sprintf("goto: [{if: %s, to: %s}, {to: %s}]", condition(), target(),
			pick(t, "fallback", target(), "__end__")))
	}
	pad := strings.Repeat("    ", depth)
	return pad + "  - " + strings.Join(parts, "\n"+pad+"    ") + "\n"
}

func randomBody(t *rapid.T, name string, n, depth int, condition func() string) []string {
	kind := "call"
	if depth < 2 {
		kind = pick(t, "body", "call", "call", "steps", "loop")
	}
	if kind == "call" {
		return []string{"uses: t.do"}
	}
	var inner strings.Builder
	for i := range rapid.IntRange(1, 2).Draw(t, "inner") {
		inner.WriteString("\n" + strings.TrimRight(randomNode(t, fmt.Sprintf("%s_%d", name, i), n, depth+1), "\n"))
	}
	if kind == "steps" {
		return []string{"steps:" + inner.String()}
	}
	return []string{"type: while_loop", "condition: " + condition(), "max_iterations: 3", "body:" + inner.String()}
}

// randomWork is a worker whose outcomes depend on the task alone.
func randomWork(seed string) worker {
	return func(task machine.Task) machine.Outcome {
		key := seed + task.ID
		switch sum(key, 8) {
		case 0:
			return failed(actions.CodeUnavailable, "away")
		case 1:
			return done(sum(key+"n", 100))
		default:
			return done(map[string]any{
				fmt.Sprintf("b%d", sum(key+"k", 3)): sum(key+"v", 2) == 0,
				"t" + task.Node.Name:                sum(key+"x", 5),
			})
		}
	}
}

func same(t *rapid.T, what string, a, b told) {
	if fmt.Sprint(a.done.Err) != fmt.Sprint(b.done.Err) {
		t.Fatalf("%s: error %v, was %v", what, b.done.Err, a.done.Err)
	}
	if !value.Equal(a.done.State, b.done.State) || !value.Equal(a.done.Output, b.done.Output) {
		t.Fatalf("%s: ended with %s, was %s", what, b.done.State, a.done.State)
	}
	if !slices.Equal(a.ids, b.ids) {
		t.Fatalf("%s: tasks %q, were %q", what, b.ids, a.ids)
	}
	if !slices.Equal(a.events, b.events) {
		t.Fatalf("%s: events\n%s\nwere\n%s", what, strings.Join(b.events, "\n"), strings.Join(a.events, "\n"))
	}
}

// Every run ends, and runs with equal outcomes are equal: twice, with every
// outcome delivered again and again, and saved and restored at every step.
func TestRunsAreDeterministic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := compile(t, randomAgent(t))
		work := randomWork(rapid.String().Draw(t, "outcomes"))
		first := run(t, g, nil, work)
		unique := slices.Clone(first.ids)
		slices.Sort(unique)
		if len(slices.Compact(unique)) != len(first.ids) {
			t.Fatalf("an id comes twice: %q", first.ids)
		}
		if most := (maxSteps + 1) * 5 * 100; len(first.ids) > most {
			t.Fatalf("%d tasks, more than %d", len(first.ids), most)
		}
		same(t, "again", first, run(t, g, nil, work))
		same(t, "with duplicates", first, repeated(t, machine.New(g), work))
		same(t, "restored", first, restored(t, g, work))
	})
}

// repeated runs with every outcome so far delivered again before each task.
func repeated(t *rapid.T, m *machine.Machine, work worker) told {
	step, err := m.Start(value.Object())
	if err != nil {
		t.Fatal(err)
	}
	var past []machine.Task
	return drive(t, m, step, work, func(m *machine.Machine, s machine.Step) (*machine.Machine, machine.Step) {
		for _, task := range past {
			if late := m.Complete(task.ID, task.Epoch, done(map[string]any{"b0": "late"})); len(late.Tasks)+len(late.Events) > 0 {
				t.Fatalf("a second outcome of %s counted", task.ID)
			}
		}
		past = append(past, s.Tasks...)
		return m, s
	})
}

// restored runs with a fresh machine, made of a snapshot, before each task.
// The old one's tasks are completed first, and must not count.
func restored(t *rapid.T, g *graph.Graph, work worker) told {
	m := machine.New(g)
	step, err := m.Start(value.Object())
	if err != nil {
		t.Fatal(err)
	}
	return drive(t, m, step, work, func(m *machine.Machine, s machine.Step) (*machine.Machine, machine.Step) {
		data, err := m.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		fresh, again, err := machine.Restore(g, data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if len(again.Tasks) != len(s.Tasks) || len(again.Events) != 0 {
			t.Fatalf("restored with %+v, want the tasks %+v", again, s.Tasks)
		}
		if late := fresh.Complete(s.Tasks[0].ID, s.Tasks[0].Epoch, work(s.Tasks[0])); len(late.Events) > 0 {
			t.Fatal("an outcome of the old epoch counted")
		}
		return fresh, again
	})
}
