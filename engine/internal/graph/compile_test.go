package graph_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

var update = flag.Bool("update", false, "write the expected diagnostics anew")

// The fixtures are documents with all that is said about them beside them. A
// document that nothing is said about has an empty file.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/load/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	o := options(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			g, diags := load(name+".yaml", src, o)
			if (g == nil) != diags.HasErrors() {
				t.Errorf("a graph comes with errors, or none without: %v", diags)
			}
			var got bytes.Buffer
			if err := diag.Render(&got, diags, func(string) string { return string(src) }); err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", got.Bytes())
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func load(file string, src []byte, o graph.Options) (*graph.Graph, diag.List) {
	agent, diags := spec.Parse(file, src)
	if agent == nil {
		return nil, diags
	}
	g, more := graph.Compile(agent, o)
	diags = append(diags, more...)
	diags.Sort()
	if diags.HasErrors() {
		g = nil
	}
	return g, diags
}

func mustLoad(t *testing.T, src string) *graph.Graph {
	t.Helper()
	g, diags := load("a.yaml", []byte(src), options(t))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return g
}

type wrapIn struct {
	Action string      `json:"action" doc:"The action."`
	Args   value.Value `json:"args" doc:"Its arguments."`
	cache.Settings
}

type getIn struct {
	URL     string                 `json:"url" doc:"Address."`
	Method  string                 `json:"method" enum:"GET,POST" default:"GET" doc:"Method."`
	Retries int                    `json:"retries,omitempty" doc:"Retries."`
	Headers map[string]value.Value `json:"headers,omitempty" doc:"Headers."`
}

type logIn struct {
	Message string `json:"message" doc:"Text."`
}

type writeIn struct {
	Path    string `json:"path" doc:"File."`
	Content string `json:"content" doc:"Text."`
}

type codeIn struct {
	Code string `json:"code,omitempty" doc:"Code."`
}

type askIn struct {
	Model       string        `json:"model" doc:"Model."`
	Messages    []value.Value `json:"messages" doc:"Conversation."`
	Temperature *float64      `json:"temperature,omitempty" min:"0" doc:"Temperature."`
	APIKey      string        `json:"api_key,omitempty" doc:"Key."`
}

func ask() actions.Action {
	s := actions.Spec{Name: "llm.call", Version: 1, Summary: "Asks.", Outward: true, Model: true}
	return actions.Define(s, func(context.Context, actions.Env, askIn) (value.Value, error) { return value.Null(), nil })
}

func define[In any](name string, effect actions.Effect) actions.Action {
	s := actions.Spec{Name: name, Version: 1, Summary: "Does something.", Effect: effect}
	return actions.Define(s, func(context.Context, actions.Env, In) (value.Value, error) { return value.Null(), nil })
}

func options(tb testing.TB) graph.Options {
	tb.Helper()
	registry, err := actions.NewRegistry(
		define[wrapIn]("cache.wrap", actions.Compose),
		define[getIn]("http.get", actions.Read),
		define[logIn]("log", actions.Pure),
		define[writeIn]("file.write", actions.Write),
		define[codeIn]("run.python", actions.Pure),
		ask(),
	)
	if err != nil {
		tb.Fatal(err)
	}
	set, err := filters.NewSet()
	if err != nil {
		tb.Fatal(err)
	}
	env := map[string]string{"HOME": "/home/ann", "STEPS": "50"}
	return graph.Options{
		Registry: registry,
		Filters:  set,
		Env:      func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Code:     compileCode,
	}
}

// program is code that nobody runs.
type program struct{}

func (program) StateReads() ([]string, bool) { return nil, true }

// compileCode knows one mistake: a class.
func compileCode(_, source string) (graph.Program, []graph.CodeProblem) {
	var problems []graph.CodeProblem
	for i, line := range strings.Split(source, "\n") {
		if col := strings.Index(line, "class "); col >= 0 {
			problems = append(problems, graph.CodeProblem{
				Line: i + 1, Col: col + 1, Width: len("class"), Message: "there are no classes here", Hint: "use language: python3",
			})
		}
	}
	return program{}, problems
}
