package machine_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/value"
)

func TestResultsEnterTheState(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		node   string
		result any
		want   string
	}{
		"an object is merged":       {"", map[string]any{"a": 1}, `{"a":1,"old":true}`},
		"merging is shallow":        {"", map[string]any{"old": map[string]any{}}, `{"old":{}}`},
		"anything else is result":   {"", []any{1}, `{"old":true,"result":[1]}`},
		"output names the key":      {"output: got", map[string]any{"a": 1}, `{"got":{"a":1},"old":true}`},
		"an output map sees result": {"output: {x: '{{ result.a + 1 }}', y: '{{ state.old }}'}", map[string]any{"a": 1}, `{"old":true,"x":2,"y":true}`},
		"a false if skips":          {"if: not state.old", map[string]any{"a": 1}, `{"old":true}`},
		"a true if does not":        {"if: '{{ state.old }}'", map[string]any{"a": 1}, `{"a":1,"old":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := compile(t, "initial_state: {old: true}\n"+agent("- name: n\n  uses: t.do\n  "+c.node))
			wantState(t, run(t, g, nil, constant(c.result)), c.want)
		})
	}
}

func TestInputGoesOverInitialState(t *testing.T) {
	t.Parallel()
	g := compile(t, "initial_state: {a: 1, b: 1}\n"+agent("- {name: n, uses: t.do}"))
	wantState(t, run(t, g, map[string]any{"b": 2}, constant(map[string]any{})), `{"a":1,"b":2}`)
}

func TestWhatIsNotJSONStaysOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result value.Value
		want   string
	}{
		"NaN":    {value.Object(value.M("good", value.Int(1)), value.M("bad", value.List(value.Float(math.NaN())))), `the state key "bad" cannot be set: bad[0]: nan is not JSON`},
		"secret": {value.Object(value.M("key", value.Secret("K"))), `the state key "key" cannot be set: key: a secret is not data`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := compile(t, agent("- {name: n, uses: t.do}"))
			w := run(t, g, nil, constant(c.result))
			var failure *machine.NodeError
			if !errors.As(w.done.Err, &failure) || failure.Node != "n" || failure.Err.Error() != c.want {
				t.Errorf("error %v, want %s", w.done.Err, c.want)
			}
			if w.done.State.Len() != 0 {
				t.Errorf("the update was merged in part: %s", w.done.State)
			}
		})
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	const nodes = `
- name: a
  uses: t.do
  goto:
    - {if: state.n > 5, to: c}
    - {if: state.n > 3, to: __end__}
    - {to: b}
- {name: b, uses: t.do, output: b}
- {name: c, uses: t.do, output: c}
`
	for input, want := range map[int64][]string{6: {"a", "c"}, 4: {"a"}, 0: {"a", "b", "c"}} {
		w := run(t, compile(t, agent(nodes)), map[string]any{"n": input}, constant(map[string]any{}))
		if w.done.Err != nil || !slices.Equal(w.ids, want) {
			t.Errorf("n = %d: tasks %q, error %v; want %q", input, w.ids, w.done.Err, want)
		}
	}
}

func TestNoRouteIsAnError(t *testing.T) {
	t.Parallel()
	g := compile(t, agent("- {name: a, uses: t.do, goto: [{if: state.x, to: b}]}\n- {name: b, uses: t.do}"))
	w := run(t, g, map[string]any{"x": false}, constant(map[string]any{"kept": 1}))
	if w.done.Err == nil || !strings.Contains(w.done.Err.Error(), "no_route") {
		t.Errorf("error %v, want no_route", w.done.Err)
	}
	if w.done.State.At("kept").IsNull() {
		t.Error("the last state is lost")
	}
}

func TestJumpsBackAreBounded(t *testing.T) {
	t.Parallel()
	g := compile(t, "settings: {limits: {max_steps: 3}}\n"+agent("- {name: a, uses: t.do, goto: a}"))
	w := run(t, g, nil, constant(map[string]any{}))
	if w.done.Err == nil || !strings.Contains(w.done.Err.Error(), "max_steps") {
		t.Errorf("error %v, want one that names max_steps", w.done.Err)
	}
	if want := []string{"a", "a@2", "a@3", "a@4"}; !slices.Equal(w.ids, want) {
		t.Errorf("tasks %q, want %q", w.ids, want)
	}
}

const loop = `
- name: poll
  type: while_loop
  condition: state.n < 3
  max_iterations: 5
  body:
    - {name: fetch, uses: t.do}
    - {name: note, uses: t.do, if: state.n == 2, output: noted}
  output: ended
`

// counter adds one to n.
func counter(task machine.Task) machine.Outcome {
	n, _ := task.State.At("n").AsInt()
	return done(map[string]any{"n": n + 1})
}

func TestWhileLoop(t *testing.T) {
	t.Parallel()
	w := run(t, compile(t, agent(loop)), map[string]any{"n": 1}, func(task machine.Task) machine.Outcome {
		if task.Node.Name == "note" {
			return done("x")
		}
		return counter(task)
	})
	wantState(t, w, `{"ended":{"exhausted":false,"iterations":2},"n":3,"noted":"x"}`)
	if want := []string{"poll:1/fetch", "poll:1/note", "poll:2/fetch"}; !slices.Equal(w.ids, want) {
		t.Errorf("tasks %q, want %q", w.ids, want)
	}
}

func TestWhileLoopAtItsLimit(t *testing.T) {
	t.Parallel()
	w := run(t, compile(t, agent(loop)), map[string]any{"n": -7}, counter)
	wantState(t, w, `{"ended":{"exhausted":true,"iterations":5},"n":-2,"poll_exhausted":true}`)
	if !hasEvent(w, "loop_exhausted", `"iterations":5`) {
		t.Errorf("no loop_exhausted in %q", w.events)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	g := compile(t, agent(`
- name: s
  steps:
    - {name: one, uses: t.do}
    - {uses: t.do, output: second}
  output: last
`))
	w := run(t, g, map[string]any{"n": 0}, counter)
	wantState(t, w, `{"last":{"n":2},"n":1,"second":{"n":2}}`)
	if want := []string{"s/one", "s/s[1]"}; !slices.Equal(w.ids, want) {
		t.Errorf("tasks %q, want %q", w.ids, want)
	}
}

func TestStateSchemaAndSize(t *testing.T) {
	t.Parallel()
	g := compile(t, "state_schema: {n: int}\n"+agent("- {name: a, uses: t.do}"))
	if w := run(t, g, nil, constant(map[string]any{"n": "five"})); w.done.Err == nil || !strings.Contains(w.done.Err.Error(), "state_schema") {
		t.Errorf("error %v, want one that names state_schema", w.done.Err)
	}
	g = compile(t, "settings: {limits: {max_state_bytes: 50}}\n"+agent("- {name: a, uses: t.do, goto: a}"))
	w := run(t, g, nil, func(task machine.Task) machine.Outcome {
		return done(map[string]any{"x": strings.Repeat("x", 10*len(task.ID))})
	})
	if actions.CodeOf(w.done.Err) != actions.CodeTooLarge {
		t.Errorf("error %v, want too_large", w.done.Err)
	}
}

func TestOutcomesNotAwaitedChangeNothing(t *testing.T) {
	t.Parallel()
	m := machine.New(compile(t, agent("- {name: a, uses: t.do}\n- {name: b, uses: t.do}")))
	step, err := m.Start(value.Object())
	if err != nil {
		t.Fatal(err)
	}
	a := step.Tasks[0]
	for name, late := range map[string]machine.Step{
		"unknown task": m.Complete("x", a.Epoch, done(1)),
		"other epoch":  m.Complete(a.ID, a.Epoch+1, done(1)),
	} {
		if len(late.Tasks)+len(late.Events) != 0 || late.Done != nil {
			t.Errorf("%s: %+v", name, late)
		}
	}
	step = m.Complete(a.ID, a.Epoch, done(map[string]any{"x": 1}))
	b := step.Tasks[0]
	if again := m.Complete(a.ID, a.Epoch, done(map[string]any{"x": 2})); len(again.Tasks)+len(again.Events) != 0 {
		t.Errorf("the second outcome of a task counted: %+v", again)
	}
	end := m.Complete(b.ID, b.Epoch, done(map[string]any{}))
	if end.Done == nil || end.Done.State.String() != `{"x":1}` {
		t.Errorf("ended with %+v", end.Done)
	}
	if late := m.Cancel(errors.New("late")); late.Done != nil {
		t.Error("a run that has ended was canceled")
	}
}

func TestCancelKeepsTheState(t *testing.T) {
	t.Parallel()
	m := machine.New(compile(t, agent("- {name: a, uses: t.do}\n- {name: b, uses: t.do}")))
	step, err := m.Start(value.Object())
	if err != nil {
		t.Fatal(err)
	}
	step = m.Complete(step.Tasks[0].ID, step.Tasks[0].Epoch, done(map[string]any{"x": 1}))
	cause := errors.New("enough")
	end := m.Cancel(cause)
	if end.Done == nil || !errors.Is(end.Done.Err, cause) || end.Done.State.String() != `{"x":1}` {
		t.Errorf("ended with %+v", end.Done)
	}
	if len(end.Events) != 1 || end.Events[0].Type() != "node_finished" {
		t.Errorf("events %+v, want the end of the node under way", end.Events)
	}
	if late := m.Complete(step.Tasks[0].ID, step.Tasks[0].Epoch, done(1)); late.Done != nil || len(late.Events) != 0 {
		t.Errorf("an outcome counted after the end: %+v", late)
	}
}

func TestIDsAreUnmistakable(t *testing.T) {
	t.Parallel()
	g := compile(t, agent("- {name: 'a/b:1@2%', steps: [{name: c, uses: t.do}]}"))
	if w := run(t, g, nil, constant(nil)); !slices.Equal(w.ids, []string{"a%2Fb%3A1%402%25/c"}) {
		t.Errorf("tasks %q", w.ids)
	}
}

func TestEdgesFromStart(t *testing.T) {
	t.Parallel()
	g := compile(t, "settings: {limits: {max_steps: 1}}\n"+agent("- {name: a, uses: t.do, goto: __end__}\n- {name: b, uses: t.do, goto: a}")+
		"edges: [{from: __start__, to: b, when: state.late}, {from: __start__, to: a}]\n")
	w := run(t, g, map[string]any{"late": true}, constant(map[string]any{}))
	if want := []string{"b", "a"}; w.done.Err != nil || !slices.Equal(w.ids, want) {
		t.Errorf("tasks %q, error %v; want %q", w.ids, w.done.Err, want)
	}
	if hasEvent(w, "node_started", "__start__") || !hasEvent(w, "route_taken", `"node":"__start__"`) {
		t.Errorf("events %q", w.events)
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	m := machine.New(compile(t, agent("- {name: a, uses: t.do}")))
	if _, err := m.Start(value.List()); err == nil {
		t.Error("a list was taken as input")
	}
	if _, err := m.Start(value.Object()); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Start(value.Object()); err == nil {
		t.Error("started twice")
	}
}
