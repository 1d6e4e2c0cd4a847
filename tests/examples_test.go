package tests

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine/agenttest"
)

// TestEveryExampleRuns holds that a story runs each agent in examples/, or that
// the agent has tests, all of which one story runs. The agent that needs an
// action of its own program has TestCustomActions.
func TestEveryExampleRuns(t *testing.T) {
	t.Parallel()
	stories, err := filepath.Glob("scripts/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	for _, s := range stories {
		text, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		told.Write(text)
	}
	if !strings.Contains(told.String(), "exec tea test examples\n") {
		t.Error("no story runs the tests in examples/")
	}
	examples := os.DirFS("../examples")
	tested := func(path string) bool {
		_, err := fs.Stat(examples, strings.TrimSuffix(path, ".yaml")+agenttest.Ending)
		return err == nil || strings.HasSuffix(path, agenttest.Ending) || strings.Contains(path, "cassettes/")
	}
	err = fs.WalkDir(examples, ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".yaml") && !strings.HasPrefix(path, "custom-actions/") && !tested(path) &&
			!strings.Contains(told.String(), "tea run examples/"+path) {
			t.Errorf("no story runs examples/%s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCustomActions runs the program in examples/custom-actions as its comment
// says, twice: the second answer comes from the cache.
func TestCustomActions(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, hit := range []string{"false", "true"} {
		cmd := exec.Command("go", "run", "./examples/custom-actions", "run", "examples/custom-actions/agent.yaml")
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+data)
		out, err := cmd.Output()
		if want := "{\n  \"answer\": \"TEA IS READY!\",\n  \"hit\": " + hit + "\n}\n"; err != nil || string(out) != want {
			t.Fatalf("%v\n%s\nwant\n%s", err, out, want)
		}
	}
}
