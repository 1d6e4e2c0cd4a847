package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tea-agents/tea"

// pkg is a package of this module as `go list` tells it. Paths are relative
// to the module; the root package is ".".
type pkg struct {
	path    string
	imports []string // of this module
	foreign []string // all others
}

// An importRule says what packages under a folder may import of this module.
// The first rule whose folder holds the package counts.
type importRule struct {
	folder string
	may    []string // folders; "" is none
	why    string
}

// importRules are the layers of docs/design.md, from the ground up.
var importRules = []importRule{
	{"value", nil, "value is the ground"},
	{"internal/diag", nil, "diagnostics know no values"},
	{"internal/schema", []string{"value", "internal/diag"}, "declarations know values only"},
	{"internal/content", []string{"value", "internal/diag"}, "content is values"},
	{"internal/grouptest", []string{"value", "actions"}, "a help for tests of actions"},
	{"internal/reference", []string{"value", "internal/schema", "actions", "filters"}, "written from the declarations"},
	{"internal/testserver", []string{"internal/testserver"}, "servers for tests know nothing of ours"},
	{"internal/llm", []string{"value", "internal/diag", "internal/llm", "internal/testserver"}, "providers know no actions"},
	{"internal/llmwire", []string{"value"}, "the wire is bytes and values"},
	{"internal/spelling", []string{"value"}, "how a text may be written says nothing of who wrote it"},
	{"internal/rest", []string{"value", "actions"}, "a help for actions that speak to a service"},
	{"internal/proxy", []string{"value", "internal/diag", "internal/llmwire", "internal/llm/llmtest", "internal/testserver", "engine/cassette"}, "the proxy is a cassette behind a socket"},
	{"internal/blob", []string{"value", "internal/diag", "internal/blob", "internal/testserver"}, "storage knows no actions"},
	{"filters", []string{"value", "internal/diag"}, "filters are pure"},
	{"ltm/driver/params", []string{"internal/diag", "ltm/driver"}, "it says what may have been meant"},
	{"ltm/driver", []string{"value"}, "drivers see bytes"},
	{"ltm/drivertest", []string{"value", "ltm/driver", "ltm/memltm"}, "the suite knows drivers only"},
	{"ltm/builtin", []string{"ltm"}, "the list of stores"},
	{"ltm/cache", []string{"value", "internal/diag", "internal/schema", "ltm", "ltm/driver"}, "the mechanism knows memory only"},
	{"ltm/llmcache", []string{"value", "internal/diag", "ltm"}, "the mechanism knows memory only"},
	{"ltm/internal/ltmtest", []string{"internal/testserver", "ltm"}, "a help for tests of stores"},
	{"ltm", []string{"value", "internal/diag", "internal/blob", "ltm"}, "memory knows no actions"},
	{"actions/builtin", []string{"actions"}, "the list of actions"},
	{"actions/run", []string{"value", "internal", "filters", "ltm", "actions"}, "interpreters are actions"},
	{"actions", []string{"value", "internal/diag", "internal/schema", "internal/blob", "internal/content", "internal/grouptest", "internal/llm", "internal/rest", "filters", "ltm", "actions"}, "actions know no engine"},
	{"engine/event", []string{"value", "internal/schema", "internal/diag", "ltm/cache"}, "events are data; they name what the cache did in its words"},
	{"engine/cassette", []string{"value", "internal/diag", "internal/llmwire", "internal/spelling", "internal/testserver", "actions", "engine/cassette"}, "a cassette serves any program, also one without the engine"},
	{"engine", []string{"value", "internal/diag", "internal/schema", "internal/blob", "internal/llm", "internal/spelling", "filters", "ltm", "actions", "engine"}, "the engine knows no command"},
	{"internal/cli", []string{""}, "the composition root"},
	{"cmd", []string{""}, "the commands"},
	{"examples", []string{""}, "examples are users"},
	{"tests", []string{""}, "tests see everything"},
	{".", []string{""}, "the facade"},
}

// exceptions are the few imports that go another way, each with its reason.
var exceptions = map[string]string{}

func TestImportRules(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		rule := ruleFor(p.path)
		if rule == nil {
			t.Errorf("%s: no import rule covers this package; add one", p.path)
			continue
		}
		for _, imported := range p.imports {
			if imported == p.path || allowed(rule, imported) || exceptions[p.path+" "+imported] != "" {
				continue
			}
			t.Errorf("%s imports %s: %s", p.path, imported, rule.why)
		}
	}
}

// TestGroupsStandAlone holds that no action group imports another one.
func TestGroupsStandAlone(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		group, ok := strings.CutPrefix(p.path, "actions/")
		if !ok || p.path == "actions/builtin" {
			continue
		}
		group, _, _ = strings.Cut(group, "/")
		for _, imported := range p.imports {
			other, ok := strings.CutPrefix(imported, "actions/")
			if other, _, _ = strings.Cut(other, "/"); ok && other != group {
				t.Errorf("%s imports %s: a group never imports another", p.path, imported)
			}
		}
	}
}

// TestForeignImports holds that a library lives in one place only.
func TestForeignImports(t *testing.T) {
	t.Parallel()
	homes := map[string][]string{
		"github.com/flosch/pongo2": {"filters"},
		"modernc.org/sqlite":       {"ltm/sqliteltm", "engine/cassette"},
		"gocloud.dev":              {"internal/blob"},
		"cloud.google.com/go":      {"ltm/firestoreltm"},
		"github.com/spf13/cobra":   {"internal/cli"},

		"github.com/openai/openai-go":            {"internal/llm/openai"},
		"github.com/anthropics/anthropic-sdk-go": {"internal/llm/anthropic"},
		"google.golang.org/genai":                {"internal/llm/gemini"},
		"github.com/ollama/ollama":               {"internal/llm/ollama"},
		"github.com/modelcontextprotocol/go-sdk": {"actions/mcp"},

		"gopkg.in/yaml.v3": {"engine/spec", "engine/cassette", "engine/agenttest", "engine/internal", "tests", "cmd/refgen", "actions/actiontest"},
	}
	for _, p := range list(t) {
		for _, imported := range p.foreign {
			for lib, folders := range homes {
				if within(imported, lib) && !slices.ContainsFunc(folders, func(f string) bool { return within(p.path, f) }) {
					t.Errorf("%s imports %s, which belongs to %s", p.path, imported, strings.Join(folders, ", "))
				}
			}
		}
	}
}

func ruleFor(path string) *importRule {
	for i, r := range importRules {
		if r.folder == path || r.folder != "." && within(path, r.folder) {
			return &importRules[i]
		}
	}
	return nil
}

func allowed(r *importRule, imported string) bool {
	return slices.ContainsFunc(r.may, func(f string) bool {
		if f == "actions" && r.folder == "engine" && imported == "actions/builtin" {
			return false
		}
		return f == "" || within(imported, f)
	})
}

// within tells whether path is folder or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, sortImports(p.ImportPath, p.Imports))
	}
}

func sortImports(path string, imports []string) pkg {
	p := pkg{path: relative(path)}
	for _, i := range imports {
		if within(i, module) {
			p.imports = append(p.imports, relative(i))
		} else {
			p.foreign = append(p.foreign, i)
		}
	}
	return p
}

func relative(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}
