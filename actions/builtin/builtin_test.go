package builtin_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	"github.com/tea-agents/tea/actions/builtin"
	"github.com/tea-agents/tea/value"
)

func registry(t *testing.T) *actions.Registry {
	t.Helper()
	r, err := actions.NewRegistry(builtin.Actions()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestContract runs the suite that every action must pass.
func TestContract(t *testing.T) {
	t.Parallel()
	inputs := map[string]value.Value{}
	for name, text := range map[string]string{
		"csv.parse":      `{"text": "a,b\n1,2\n", "delimiter": ","}`,
		"csv.read":       `{"path": "mem://b/k"}`,
		"csv.stringify":  `{"data": [{"a": 1}, {"b": [1]}], "columns": ["a", "b"]}`,
		"data.filter":    `{"data": [{"a": 1}, {"a": 2}], "where": "item.a > 1", "match": {"a": 2}}`,
		"data.merge":     `{"sources": [{"a": [1]}, {"a": [2]}], "lists": "concat"}`,
		"data.validate":  `{"data": {"a": 1}, "schema": {"type": "object"}}`,
		"http.get":       `{"url": "http://127.0.0.1/x", "params": {"a": [1, 2]}}`,
		"http.post":      `{"url": "http://127.0.0.1/x", "json": {"a": 1}}`,
		"http.request":   `{"url": "http://127.0.0.1/x", "method": "PUT", "form": {"a": 1}}`,
		"json.parse":     `{"text": "{\"a\": 1}", "strict": false}`,
		"json.stringify": `{"data": {"a": 1}, "indent": 2}`,
		"json.transform": `{"data": {"a": [{"b": 1}]}, "expression": "a[?b > '0'].b"}`,
		"ltm.search":     `{"query": "tea", "metadata_filter": {"a.b": [1]}}`,
		"storage.hash":   `{"path": "mem://b/k", "algorithm": "md5"}`,
		"storage.list":   `{"path": "mem://b", "recursive": true}`,
	} {
		inputs[name] = value.Must(parse(t, text))
	}
	actiontest.Run(t, registry(t), &actiontest.Harness{Inputs: inputs})
}

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestExamples runs the documented examples that say what they yield: nodes in
// a row, whose results are merged into the state or stand under their output.
func TestExamples(t *testing.T) {
	t.Parallel()
	r := registry(t)
	for _, a := range r.All() {
		if len(a.Spec().Examples) == 0 {
			t.Errorf("%s has no example", a.Spec().Name)
		}
		for _, ex := range a.Spec().Examples {
			if strings.Contains(ex.YAML, "{{") || strings.Contains(ex.YAML, "https://") {
				continue // needs the engine's templates, or a network
			}
			t.Run(a.Spec().Name+"/"+ex.Title, func(t *testing.T) {
				t.Parallel()
				got := runNodes(t, r, ex.YAML)
				if ex.Output != "" && !value.Equal(got, parse(t, ex.Output)) {
					t.Errorf("yields\n%s\nbut the documentation says\n%s", got, ex.Output)
				}
			})
		}
	}
}

func runNodes(t *testing.T, r *actions.Registry, text string) value.Value {
	t.Helper()
	var nodes []map[string]any
	if err := yaml.Unmarshal([]byte(text), &nodes); err != nil {
		t.Fatal(err)
	}
	handle := actiontest.Direct(r, actiontest.Env(t, r))
	state := value.Object()
	for _, raw := range nodes {
		node := value.Must(raw)
		result, err := handle(t.Context(), &actions.Call{Action: node.At("uses").Text(), Input: node.At("with")})
		if err != nil {
			t.Fatal(err)
		}
		if name := node.At("output").Text(); name != "" {
			state = state.With(name, result.Output)
		} else {
			state = state.Merge(result.Output)
		}
	}
	return state
}
