package engine_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/actions"
	runactions "github.com/tea-agents/tea/actions/run"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/internal/diag"
)

// newPython returns an engine that can also run code.
func newPython(tb testing.TB) (*engine.Engine, *atomic.Int64) {
	tb.Helper()
	return newEngine(tb, func(o *engine.Options) {
		o.Actions = append(o.Actions, runactions.Actions()...)
		o.Getenv = func(string) (string, bool) { return "s3cr3t!", true }
	})
}

func TestRunBlocks(t *testing.T) {
	t.Parallel()
	e, _ := newPython(t)
	o := run(t, e, `
name: code
secrets: [KEY]
variables: {unit: km}
initial_state: {n: 1, list: [1]}
nodes:
  - name: changed_in_place
    run: |
      state["list"].append(2)
      total = sum(state["list"])
  - name: returned
    run: |
      return {"n": state["n"] + 1, "unit": variables["unit"], "key": "<" + secrets["KEY"] + ">"}
  - name: nothing
    run: return None
  - name: kept_apart
    run: |
      print("calling")
      return actions("t.echo", {"in": state["n"]})
    output: echoed
`, nil)
	if o.err != nil {
		t.Fatal(o.err)
	}
	const want = `{"echoed":{"said":2,"success":true},"key":"<***>","list":[1,2],"n":2,"total":3,"unit":"km"}`
	if got := o.State.String(); got != want {
		t.Errorf("state %s, want %s", got, want)
	}
	if !strings.Contains(o.types(), "log call_started call_finished node_finished") {
		t.Errorf("events %s", o.types())
	}
}

func TestErrorInCodePointsIntoTheFile(t *testing.T) {
	t.Parallel()
	e, _ := newPython(t)
	const agent = "name: code\nnodes:\n  - name: a\n    run: |\n      x = 1\n      return state['missing']\n"
	o := run(t, e, agent, nil)
	if o.err == nil || !strings.Contains(o.err.Error(), "agent.yaml:6:") || !strings.Contains(o.err.Error(), "missing") {
		t.Errorf("error %v", o.err)
	}
	_, err := e.LoadBytes("agent.yaml", []byte(strings.Replace(agent, "x = 1", "with x: pass", 1)))
	var problems diag.List
	if !errors.As(err, &problems) || problems[0].Line != 5 {
		t.Errorf("error %v, want a diagnostic of line 5", err)
	}
}

func TestFailureOfAnActionInCodeKeepsItsCode(t *testing.T) {
	t.Parallel()
	e, _ := newPython(t)
	o := run(t, e, "- name: a\n  run: |\n    actions('t.fail', {'in': 'there'})", nil)
	if actions.CodeOf(o.err) != actions.CodeUnavailable {
		t.Errorf("error %v, want unavailable", o.err)
	}
}

// What code reads by name is part of the key of its node, and nothing else is.
func TestCacheOfCode(t *testing.T) {
	t.Parallel()
	e, calls := newPython(t)
	const literal = "- name: a\n  cache: true\n  run: |\n    return {'r': actions('t.count')['n'] + state['x']}"
	for i, c := range []struct {
		x, other int
		ran      int64
	}{{1, 1, 1}, {1, 2, 1}, {2, 2, 2}} {
		o := run(t, e, literal, map[string]any{"x": c.x, "other": c.other})
		if o.err != nil || calls.Load() != c.ran {
			t.Errorf("run %d: ran %d times, want %d (%v)", i, calls.Load(), c.ran, o.err)
		}
	}
	computed := strings.Replace(literal, "state['x']", "len(state)", 1)
	for i, c := range []struct {
		other int
		ran   int64
	}{{1, 3}, {1, 3}, {2, 4}} {
		o := run(t, e, computed, map[string]any{"other": c.other})
		if o.err != nil || calls.Load() != c.ran {
			t.Errorf("run %d of the computed read: ran %d times, want %d (%v)", i, calls.Load(), c.ran, o.err)
		}
	}
}

// The place survives when the text of the error has to be masked.
func TestErrorInCodeWithASecretPointsIntoTheFile(t *testing.T) {
	t.Parallel()
	e, _ := newPython(t)
	o := run(t, e, "name: a\nsecrets: [KEY]\nnodes:\n  - name: a\n    run: |\n      x = 1\n      raise ValueError('bad ' + secrets['KEY'])", nil)
	if got := o.err.Error(); !strings.Contains(got, "agent.yaml:7:7: ValueError: bad ***") {
		t.Errorf("error %q", got)
	}
}
