package python_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions/run/python"
	"github.com/tea-agents/tea/value"
)

var update = flag.Bool("update", false, "write what CPython prints into testdata/*.txt")

const stateJSON = `{"name":"Ada","count":3,"tags":["a","b"],"user":{"id":7,"langs":["go","py"]},"text":"Grüße, 世界! 🎉","price":19.99,"none":null,"flag":true}`

// example is a program and what it prints.
type example struct{ name, code, want string }

// load reads testdata: "=== name", code, "---", output.
func load(t *testing.T, file string) []example {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	for _, part := range strings.Split("\n"+string(data), "\n=== ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		code, want, _ := strings.Cut("\n"+rest+"\n", "\n---\n")
		out = append(out, example{name, strings.Trim(code, "\n") + "\n", strings.TrimRight(want, "\n")})
	}
	return out
}

func caseFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	return files
}

// runExample runs code and gives what it printed, and its result or error.
func runExample(t *testing.T, code string) string {
	t.Helper()
	var b strings.Builder
	p, err := python.Compile(code, python.Options{})
	if err != nil {
		return "!" + err.Error()
	}
	shown := p.HasReturn()
	if !shown { // CPython has no update of the state to compare with
		if p, err = python.Compile(code+"\nreturn\n", python.Options{}); err != nil {
			return "!" + err.Error()
		}
	}
	state, err := value.Parse([]byte(stateJSON))
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(context.Background(), python.Call{
		State: state,
		Print: func(line string) { b.WriteString(line + "\n") },
		Now:   func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC) },
	})
	var e *python.Error
	switch {
	case asError(err, &e):
		b.WriteString("!" + e.Msg + "\n")
	case err != nil:
		t.Fatalf("error of type %T", err)
	case shown:
		b.WriteString("=> " + out.String() + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func TestExamples(t *testing.T) {
	t.Parallel()
	n := 0
	for _, file := range caseFiles(t) {
		for _, ex := range load(t, file) {
			n++
			t.Run(filepath.Base(file)+"/"+ex.name, func(t *testing.T) {
				t.Parallel()
				if got := runExample(t, ex.code); got != ex.want {
					t.Errorf("%s\ngot:\n%s\nwant:\n%s", ex.code, got, ex.want)
				}
			})
		}
	}
	if n < 200 {
		t.Errorf("only %d examples", n)
	}
}

// TestAgainstCPython holds the examples' expectations against the real thing.
func TestAgainstCPython(t *testing.T) {
	t.Parallel()
	py := findPython()
	if py == "" {
		t.Skip("no python3 on this machine")
	}
	for _, file := range caseFiles(t) {
		examples := load(t, file)
		outputs := oracle(t, py, examples)
		if *update {
			write(t, file, examples, outputs)
			continue
		}
		for i, ex := range examples {
			if got := strings.TrimRight(outputs[i], "\n"); got != ex.want {
				t.Errorf("%s %s: CPython prints\n%s\nnot\n%s", file, ex.name, got, ex.want)
			}
		}
	}
}

func findPython() string {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if v, err := exec.Command(path, "-c", "import sys; print(sys.version_info[:2])").Output(); err == nil && string(v) == "(3, 11)\n" {
			return path
		}
	}
	return ""
}

func oracle(t *testing.T, py string, examples []example) []string {
	t.Helper()
	sources := make([]string, len(examples))
	for i, ex := range examples {
		sources[i] = ex.code
	}
	in, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(py, "-I", "testdata/oracle.py")
	cmd.Stdin = bytes.NewReader(in)
	cmd.Env = []string{"PYTHONIOENCODING=utf-8", "TZ=UTC"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var outputs []string
	if err := json.Unmarshal(out, &outputs); err != nil {
		t.Fatal(err)
	}
	return outputs
}

func write(t *testing.T, file string, examples []example, outputs []string) {
	t.Helper()
	var b strings.Builder
	for i, ex := range examples {
		b.WriteString("=== " + ex.name + "\n" + ex.code + "---\n" + strings.TrimRight(outputs[i], "\n") + "\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
