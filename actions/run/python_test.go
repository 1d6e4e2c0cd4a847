package runactions_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	runactions "github.com/tea-agents/tea/actions/run"
	"github.com/tea-agents/tea/actions/run/python"
	"github.com/tea-agents/tea/value"
)

func TestContract(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(runactions.Actions()...)
	if err != nil {
		t.Fatal(err)
	}
	actiontest.Run(t, r, &actiontest.Harness{Inputs: map[string]value.Value{
		"run.python": value.Must(map[string]any{"code": "return {'n': state['n']}", "state": map[string]any{"n": 1}}),
	}})
}

// handle runs code on {"n": 20}; t.add is an action that adds.
func handle(t *testing.T, code string) (out value.Value, log string, err error) {
	t.Helper()
	var b strings.Builder
	env := actions.Env{
		Log:     slog.New(slog.NewTextHandler(&b, nil)),
		Secrets: func(name string) (string, error) { return "text of " + name, nil },
		Rand:    func() float64 { return 0.5 },
	}.WithInvoker(func(_ context.Context, c *actions.Call) (actions.Result, error) {
		if c.Action == "t.fail" {
			return actions.Result{}, actions.Errorf(actions.CodeUnavailable, "away")
		}
		return actions.Result{Output: c.Input.With("action", value.String(c.Action))}, nil
	})
	r, err := runactions.Python().Handle(t.Context(), env, &actions.Call{ID: "c", Input: value.Must(map[string]any{
		"code": code, "state": map[string]any{"n": 20}, "variables": map[string]any{"v": 2}, "secrets": []any{"KEY"},
	})})
	return r.Output.At("update"), b.String(), err
}

func TestPython(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`return {"twice": state["n"] * variables["v"]}`: `{"twice":40}`,
		`state["n"] += 1`:                   `{"n":21}`,
		`x = [i for i in range(3)]`:         `{"x":[0,1,2]}`,
		`return None`:                       `{}`,
		`return {"s": secrets["KEY"]}`:      `{"s":"text of KEY"}`,
		`return actions("t.add", {"a": 1})`: `{"a":1,"action":"t.add"}`,
	} {
		out, _, err := handle(t, code)
		if err != nil || out.String() != want {
			t.Errorf("%s: %s, %v; want %s", code, out, err, want)
		}
	}
}

func TestPrintGoesToTheLog(t *testing.T) {
	t.Parallel()
	_, log, err := handle(t, `print("hello", 1)`)
	if err != nil || !strings.Contains(log, "hello 1") {
		t.Errorf("log %q, error %v", log, err)
	}
}

func TestPythonFails(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]actions.Code{
		`return state["missing"]`: actions.CodeFailed,
		`actions("t.fail")`:       actions.CodeUnavailable,
		`with x: pass`:            actions.CodeInvalidInput,
	} {
		_, _, err := handle(t, code)
		if got := actions.CodeOf(err); got != want {
			t.Errorf("%s: code %q, want %q (%v)", code, got, want, err)
		}
	}
	_, _, err := handle(t, "x = 1\nreturn state['missing']")
	var e *python.Error
	if !errors.As(err, &e) || e.Line != 2 {
		t.Errorf("error %v, want one of line 2", err)
	}
}
