package tests

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// documents are the pages whose YAML is run and whose links are checked.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../examples/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestDocumentedYAML runs every YAML block of the documents, as an agent or as
// the nodes of one.
func TestDocumentedYAML(t *testing.T) {
	t.Parallel()
	web := exampleWeb(t)
	dir := t.TempDir()
	n := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range yamlBlock.FindAllSubmatchIndex(text, -1) {
			n++
			line := strings.Count(string(text[:m[0]]), "\n") + 1
			name := fmt.Sprintf("%s_line_%d.txtar", strings.ReplaceAll(strings.TrimPrefix(file, "../"), "/", "_"), line)
			story := storyOf(web.Replace(string(text[m[2]:m[3]])))
			if err := os.WriteFile(filepath.Join(dir, name), []byte(story), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n < 20 {
		t.Fatalf("found %d YAML blocks: the pattern no longer fits the documents", n)
	}
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true, Setup: func(e *testscript.Env) error {
		serve(t, e)
		return setup(e)
	}})
}

// storyOf runs a block: the tests of an agent, an agent, or the nodes of one.
func storyOf(block string) string {
	if strings.Contains(block, "\ntests:\n") {
		return fmt.Sprintf("exec tea test agent.test.yaml\n-- agent.test.yaml --\n%s\n", block)
	}
	return fmt.Sprintf("exec tea run agent.yaml\n-- agent.yaml --\n%s\n", agentOf(block))
}

var teaCommand = regexp.MustCompile(`(?m)^tea [^#\n]*`)

// TestReadmeCommands runs every tea command of the README, as it is printed
// and in its order.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := teaCommand.FindAllString(string(text), -1)
	if len(commands) < 8 {
		t.Fatalf("found %d commands: the pattern no longer fits the page", len(commands))
	}
	dir := t.TempDir()
	story := "exec " + strings.Join(commands, "\nexec ") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "readme.txtar"), []byte(story), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: dir, RequireExplicitExec: true, Setup: setup})
}

// exampleWeb stands in for the hosts that the documents speak to.
func exampleWeb(t *testing.T) *strings.Replacer {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id": 1, "items": [{"id": 1, "name": "tea"}]}`))
	}))
	t.Cleanup(server.Close)
	return strings.NewReplacer("https://example.org/mcp", forecasts(t), "https://api.example.org", server.URL, "https://example.org", server.URL)
}

// forecasts is an MCP server with one tool.
func forecasts(t *testing.T) (url string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "forecasts", Version: "1"}, nil)
	type place struct {
		City string `json:"city"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "get_forecast", Description: "The weather of a place."},
		func(_ context.Context, _ *mcp.CallToolRequest, in place) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "rain in " + in.City}}}, nil, nil
		})
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(server.Close)
	return server.URL
}

// agentOf makes a list of nodes an agent, with what examples may refer to.
func agentOf(block string) string {
	if !strings.HasPrefix(block, "- ") {
		return block
	}
	const around = "secrets: [API_KEY, MCP_TOKEN]\n" +
		"initial_state: {query: black tea, city: Oslo, path: examples/data/countries.tsv, file_path: examples/data/countries.tsv}\nnodes:\n  "
	return around + strings.ReplaceAll(strings.TrimRight(block, "\n"), "\n", "\n  ")
}

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// TestLinks holds that what a document links to is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			target := string(m[1])
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", file, target)
			}
		}
	}
}
