package grouptest

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	"github.com/tea-agents/tea/value"
)

// Agent calls actions, one after the other, in one environment.
type Agent struct {
	Env actions.Env     // what the actions see
	Run actions.Handler // calls an action

	t *testing.T
}

// New returns an agent that has the given actions in the environment of
// actiontest, which change, unless nil, may alter.
func New(t *testing.T, group []actions.Action, change func(*actions.Env)) *Agent {
	t.Helper()
	r, err := actions.NewRegistry(group...)
	if err != nil {
		t.Fatal(err)
	}
	env := actiontest.Env(t, r)
	if change != nil {
		change(&env)
	}
	return &Agent{t: t, Env: env, Run: actiontest.Direct(r, env)}
}

// Call runs an action with JSON input.
func (a *Agent) Call(name, input string) (value.Value, error) {
	a.t.Helper()
	in, err := value.Parse([]byte(input))
	if err != nil {
		a.t.Fatalf("%s: %v", input, err)
	}
	result, err := a.Run(a.t.Context(), &actions.Call{Action: name, Node: "node", Input: in})
	return result.Output, err
}

// Must runs an action that has to succeed.
func (a *Agent) Must(name, input string) value.Value {
	a.t.Helper()
	got, err := a.Call(name, input)
	if err != nil {
		a.t.Fatalf("%s %s: %v", name, input, err)
	}
	return got
}

// Yields checks an action's whole result.
func (a *Agent) Yields(name, input, want string) {
	a.t.Helper()
	got, err := a.Call(name, input)
	if err != nil {
		a.t.Errorf("%s %s: %v", name, input, err)
	} else if got.String() != want {
		a.t.Errorf("%s %s:\n got %s\nwant %s", name, input, got, want)
	}
}

// Fails checks the code of an action's failure, and a part of its message.
func (a *Agent) Fails(name, input string, code actions.Code, want string) {
	a.t.Helper()
	got, err := a.Call(name, input)
	if actions.CodeOf(err) != code || !strings.Contains(err.Error(), want) {
		a.t.Errorf("%s %s:\n got %s, %v (%s)\nwant a failure (%s) that says %q", name, input, got, err, actions.CodeOf(err), code, want)
	}
}
