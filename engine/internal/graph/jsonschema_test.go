package graph_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tea-agents/tea/engine/spec"
)

// The JSON Schema for editors takes what loads, and finds the mistakes that a
// schema can find.
func TestJSONSchema(t *testing.T) {
	t.Parallel()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("agent.json", spec.JSONSchema(options(t).Registry).Any()); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("agent.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/load/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, diags := load(file, src, options(t))
		v, err := spec.Value(file, src)
		if err != nil {
			continue // not even YAML
		}
		err = s.Validate(v.Any())
		if err != nil && !diags.HasErrors() {
			t.Errorf("%s loads, but not for an editor: %v", file, err)
		}
		found[filepath.Base(file)] = err != nil
	}
	for _, name := range []string{"unknown_key_document", "unknown_key_node", "unknown_parameter", "missing_parameters", "unknown_action", "loop_limit", "node_cache", "wrap_strategy", "settings_llm_mistakes"} {
		if !found[name+".yaml"] {
			t.Errorf("%s: the schema has nothing to say", name)
		}
	}
}
