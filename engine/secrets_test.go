package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	runactions "github.com/tea-agents/tea/actions/run"
	"github.com/tea-agents/tea/engine"
)

// withSecrets returns an engine whose environment has KEY, OTHER and SHORT.
func withSecrets(t *testing.T) *engine.Engine {
	t.Helper()
	known := map[string]string{"KEY": "s3cr3t!", "OTHER": "0th3r!", "SHORT": "abc"}
	e, _ := newEngine(t, func(o *engine.Options) {
		o.Actions = append(o.Actions, runactions.Actions()...)
		o.Getenv = func(name string) (string, bool) { text, ok := known[name]; return text, ok }
	})
	return e
}

// Only what the agent lists can be read, be it by code or by a parameter that
// claims more.
func TestSecretsThatAreNotListedStayHidden(t *testing.T) {
	t.Parallel()
	for name, node := range map[string]string{
		"none listed":      "nodes:\n  - {name: a, run: 'return {\"n\": len(secrets[\"OTHER\"])}'}",
		"another listed":   "secrets: [KEY]\nnodes:\n  - {name: a, run: 'return {\"n\": len(secrets[\"OTHER\"])}'}",
		"by the parameter": "nodes:\n  - {name: a, uses: run.python, with: {code: 'return {\"n\": len(secrets[\"OTHER\"])}', secrets: [OTHER]}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := run(t, withSecrets(t), node, nil)
			if o.err == nil || !strings.Contains(o.err.Error(), "OTHER") {
				t.Errorf("error %v, state %s", o.err, o.State)
			}
		})
	}
}

func TestShortSecretIsRefused(t *testing.T) {
	t.Parallel()
	o := run(t, withSecrets(t), "secrets: [SHORT]\nnodes: [{name: a, uses: t.echo, with: {in: '{{ secrets.SHORT }}'}}]", nil)
	if actions.CodeOf(o.err) != actions.CodeInvalidInput || !strings.Contains(o.err.Error(), "SHORT has less than 4 bytes") {
		t.Errorf("error %v, state %s", o.err, o.State)
	}
}

// What happens to be the text of a secret is masked, however it came in.
func TestSecretsByOtherWaysAreMasked(t *testing.T) {
	t.Parallel()
	const agent = "secrets: [KEY]\nstate_schema: {n: int}\nsettings: {env: [KEY]}\nnodes:\n" +
		"  - {name: a, uses: t.echo, with: {in: '{{ env.KEY }}'}, output: {b: '{{ state.k }}'}}\n" +
		"  - {name: b, uses: t.echo, output: {n: '{{ env.KEY }}'}, if: state.fail}\n"
	for name, input := range map[string]map[string]any{
		"success": {"k": "my s3cr3t!", "fail": false},
		"failure": {"k": "my s3cr3t!", "fail": true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := run(t, withSecrets(t), agent, input)
			told := o.State.String() + o.Output.String()
			if o.err != nil {
				told += o.err.Error()
			}
			for _, ev := range o.events {
				data, err := json.Marshal(ev)
				if err != nil {
					t.Fatal(err)
				}
				told += string(data)
			}
			if strings.Contains(told, "s3cr3t") || !strings.Contains(told, "my ***") {
				t.Errorf("told: %s", told)
			}
			if input["fail"] == true && !strings.Contains(o.err.Error(), `this is "***"`) {
				t.Errorf("error %v", o.err)
			}
		})
	}
}
