package mcpactions_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/tea-agents/tea/actions"
	mcpactions "github.com/tea-agents/tea/actions/mcp"
	"github.com/tea-agents/tea/internal/grouptest"
)

// TestMain runs the tests, or, where the environment says so, a server on the
// standard streams.
func TestMain(m *testing.M) {
	role := os.Getenv("MCP_TEST_ROLE")
	if role == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := play(role); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

func play(role string) error {
	switch role {
	case "server":
		return newServer().Run(context.Background(), &mcp.StdioTransport{})
	case "dies":
		return fmt.Errorf("no database at %s", os.Getenv("MCP_TEST_SECRET"))
	case "babbles":
		fmt.Println("Welcome!")
	case "stubborn":
		defer time.Sleep(time.Hour)
	}
	_, err := bufio.NewReader(os.Stdin).ReadString(0)
	return err
}

// newServer returns a server with one tool of each sort, two on a page.
func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{PageSize: 2})
	object := json.RawMessage(`{"type":"object"}`)
	add := func(name, description string, handle func(in json.RawMessage) (*mcp.CallToolResult, error)) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: object},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return handle(r.Params.Arguments)
			})
	}
	add("echo", "Says it again.", func(in json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(in)}}, StructuredContent: in}, nil
	})
	add("environment", "", func(json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: os.Getenv("MCP_TEST_SECRET")}}}, nil
	})
	add("fail", "Fails.", func(json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no tea, hush-hush"}}}, nil
	})
	add("parts", "Returns one of each.", func(json.RawMessage) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "one"},
			&mcp.ImageContent{Data: []byte{1, 2}, MIMEType: "image/png"},
			&mcp.AudioContent{Data: []byte{3}, MIMEType: "audio/wav"},
			&mcp.ResourceLink{URI: "file:///a", Name: "a", MIMEType: "text/plain"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", MIMEType: "text/plain", Text: "b"}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///c", Blob: []byte{4}}},
			&mcp.TextContent{Text: "two"},
		}}, nil
	})
	add("refuse", "Refuses its arguments.", func(json.RawMessage) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "cups: at least 1"}
	})
	return s
}

// remote serves HTTP by one of the ways to do that.
func remote(t *testing.T, way string) *httptest.Server {
	t.Helper()
	s := newServer()
	get := func(*http.Request) *mcp.Server { return s }
	var h http.Handler = mcp.NewStreamableHTTPHandler(get, nil)
	switch way {
	case "sse":
		h = mcp.NewSSEHandler(get, nil)
	case "json":
		h = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	}
	return serve(t, h.ServeHTTP)
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return server
}

// newAgent returns an agent that may start programs.
func newAgent(t *testing.T) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, mcpactions.ActionsWith(start), func(e *actions.Env) {
		e.HTTP = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	})
}

// start runs this very program in another role.
func start(ctx context.Context, p actions.Process) error {
	argv := p.Argv
	if argv[0] == "self" {
		argv[0] = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = os.Environ()
	for name, v := range p.Env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.Stdin, p.Stdout, p.Stderr, 50*time.Millisecond
	return cmd.Run()
}
