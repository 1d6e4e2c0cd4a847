package machine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/machine"
)

// failing is a worker at which the node called "bad" fails.
func failing(task machine.Task) machine.Outcome {
	if task.Node.Name == "bad" {
		return failed(actions.CodeUnavailable, "no answer")
	}
	return done(map[string]any{task.Node.Name: true})
}

const report = `{"code":"unavailable","message":"no answer","node":"bad"}`

func TestOnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		onError string
		ids     []string
		want    string
	}{
		"goto":   {"{goto: c}", []string{"bad", "c"}, `{"c":true,"error":` + report + `}`},
		"result": {"result", []string{"bad", "b", "c"}, `{"b":true,"c":true,"error":` + report + `,"got":{"error":"no answer","error_type":"unavailable","success":false}}`},
		"set":    {`{set: {why: "{{ state.error.code }}"}}`, []string{"bad", "b", "c"}, `{"b":true,"c":true,"error":` + report + `,"why":"unavailable"}`},
		"both":   {`{set: {why: 1}, goto: c}`, []string{"bad", "c"}, `{"c":true,"error":` + report + `,"why":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := run(t, compile(t, agent("- {name: bad, uses: t.do, output: got, on_error: "+c.onError+"}\n"+
				"- {name: b, uses: t.do}\n- {name: c, uses: t.do}")), nil, failing)
			wantState(t, w, c.want)
			if !slices.Equal(w.ids, c.ids) {
				t.Errorf("tasks %q, want %q", w.ids, c.ids)
			}
			if !hasEvent(w, "node_finished", `"handled":`) {
				t.Errorf("no event tells that the failure was handled: %q", w.events)
			}
		})
	}
}

func TestUnhandledFailureEndsTheRun(t *testing.T) {
	t.Parallel()
	w := run(t, compile(t, agent(`
- {name: a, uses: t.do}
- name: outer
  steps:
    - {name: bad, uses: t.do}
- {name: b, uses: t.do}
`)), nil, failing)
	var failure *machine.NodeError
	if !errors.As(w.done.Err, &failure) || failure.Node != "bad" || failure.ID != "outer/bad" || failure.Pos.Line == 0 {
		t.Errorf("error %+v, want one of the inner node", w.done.Err)
	}
	if actions.CodeOf(w.done.Err) != actions.CodeUnavailable {
		t.Errorf("code %q", actions.CodeOf(w.done.Err))
	}
	if got := w.done.State.String(); got != `{"a":true}` {
		t.Errorf("state %s, want the last one kept", got)
	}
}

func TestOuterNodeHandlesInnerFailure(t *testing.T) {
	t.Parallel()
	for name, outer := range map[string]string{
		"steps": "steps:",
		"loop":  "type: while_loop\n  condition: true\n  max_iterations: 3\n  body:",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := run(t, compile(t, agent("- name: outer\n  on_error: {goto: b}\n  "+outer+"\n    - {name: bad, uses: t.do}\n"+
				"- {name: a, uses: t.do}\n- {name: b, uses: t.do}")), nil, failing)
			wantState(t, w, `{"b":true,"error":`+report+`}`)
		})
	}
}

func TestFailuresThatNothingHandles(t *testing.T) {
	t.Parallel()
	g := compile(t, agent("- {name: a, uses: t.do, on_error: result}\n- {name: b, uses: t.do}"))
	for _, code := range actions.Codes() {
		w := run(t, g, nil, func(machine.Task) machine.Outcome { return failed(code, "x") })
		fatal := code == actions.CodeReplayMiss || code == actions.CodeCanceled
		if ended := len(w.ids) == 1; ended != fatal {
			t.Errorf("%s: ended the run at once: %v, want %v", code, ended, fatal)
		}
	}
}

func TestConditionsThatFail(t *testing.T) {
	t.Parallel()
	for name, nodes := range map[string]string{
		"if":        "- {name: a, uses: t.do, if: state.no.thing}",
		"route":     "- {name: a, uses: t.do, goto: [{if: state.no.thing, to: b}, {to: b}]}\n- {name: b, uses: t.do}",
		"condition": "- {name: a, type: while_loop, condition: state.no.thing, max_iterations: 2, body: [{name: x, uses: t.do}]}",
		"output":    "- {name: a, uses: t.do, output: {x: '{{ result.no.thing }}'}}",
		"set":       "- {name: a, uses: t.do, output: {x: '{{ result.no.thing }}'}, on_error: {set: {y: '{{ state.no.thing }}'}}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := run(t, compile(t, agent(nodes)), nil, constant(map[string]any{}))
			var failure *machine.NodeError
			if !errors.As(w.done.Err, &failure) || failure.Node != "a" {
				t.Errorf("error %v, want one of node a", w.done.Err)
			}
		})
	}
}
