package mcpactions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	mcpactions "github.com/tea-agents/tea/actions/mcp"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/value"
)

func TestContract(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(mcpactions.Actions()...)
	if err != nil {
		t.Fatal(err)
	}
	at := value.M("server", value.Object(value.M("url", value.String("http://127.0.0.1/mcp"))))
	actiontest.Run(t, r, &actiontest.Harness{Inputs: map[string]value.Value{
		"mcp.tools": value.Object(at),
		"mcp.call":  value.Object(at, value.M("tool", value.String("echo")), value.M("arguments", value.Object())),
	}})
}

// everyWay runs a test with a server that is reached by each of the ways; at
// is the server as JSON.
func everyWay(t *testing.T, test func(a *grouptest.Agent, at string)) {
	t.Helper()
	for _, way := range []string{"http", "json", "sse"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			more := ""
			if way == "sse" {
				more = `, "transport": "sse"`
			}
			test(newAgent(t), fmt.Sprintf(`{"url": %q, "headers": {"X-Key": "hush-hush"}%s}`, remote(t, way).URL+"/mcp", more))
		})
	}
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		test(newAgent(t), role("server"))
	})
}

func role(name string) string {
	return fmt.Sprintf(`{"command": "self", "args": ["-test.run=^$"], "env": {"MCP_TEST_ROLE": %q, "MCP_TEST_SECRET": "hush-hush"}}`, name)
}

func TestTools(t *testing.T) {
	t.Parallel()
	everyWay(t, func(a *grouptest.Agent, at string) {
		const object = `"input_schema":{"type":"object"}`
		a.Yields("mcp.tools", `{"server": `+at+`}`, `{"success":true,"tools":[`+
			`{"description":"Says it again.",`+object+`,"name":"echo"},`+
			`{"description":"",`+object+`,"name":"environment"},`+
			`{"description":"Fails.",`+object+`,"name":"fail"},`+
			`{"description":"Returns one of each.",`+object+`,"name":"parts"},`+
			`{"description":"Refuses its arguments.",`+object+`,"name":"refuse"}]}`)
	})
}

func TestCall(t *testing.T) {
	t.Parallel()
	everyWay(t, func(a *grouptest.Agent, at string) {
		with := func(tool, more string) string {
			return fmt.Sprintf(`{"server": %s, "tool": %q%s}`, at, tool, more)
		}
		a.Yields("mcp.call", with("echo", `, "arguments": {"n": 9007199254740993, "s": "ü", "l": [null]}`),
			`{"content":"{\"l\":[null],\"n\":9007199254740993,\"s\":\"ü\"}","is_error":false,`+
				`"parts":[{"text":"{\"l\":[null],\"n\":9007199254740993,\"s\":\"ü\"}","type":"text"}],`+
				`"structured":{"l":[null],"n":9007199254740993,"s":"ü"},"success":true}`)
		a.Yields("mcp.call", with("echo", ""),
			`{"content":"{}","is_error":false,"parts":[{"text":"{}","type":"text"}],"structured":{},"success":true}`)
		a.Yields("mcp.call", with("parts", ""), `{"content":"one\ntwo","is_error":false,"parts":[`+
			`{"text":"one","type":"text"},`+
			`{"data":"AQI=","mime_type":"image/png","type":"image"},`+
			`{"data":"Aw==","mime_type":"audio/wav","type":"audio"},`+
			`{"mime_type":"text/plain","name":"a","type":"resource_link","uri":"file:///a"},`+
			`{"mime_type":"text/plain","text":"b","type":"resource","uri":"file:///b"},`+
			`{"data":"BA==","type":"resource","uri":"file:///c"},`+
			`{"text":"two","type":"text"}],"success":true}`)
		a.Fails("mcp.call", with("fail", ""), actions.CodeFailed, `the tool "fail" failed: no tea, ***`)
		a.Yields("mcp.call", with("fail", `, "on_tool_error": "return"`),
			`{"content":"no tea, hush-hush","is_error":true,"parts":[{"text":"no tea, hush-hush","type":"text"}],"success":true}`)
		a.Fails("mcp.call", with("refuse", ""), actions.CodeInvalidInput, "cups: at least 1")
		a.Fails("mcp.call", with("ecko", ""), actions.CodeNotFound, `it has no tool "ecko" (did you mean "echo"?)`)
	})
}

// TestToolIsMissing holds for servers that call an unknown tool an error of
// the tool, as many do.
func TestToolIsMissing(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		result := map[string]string{
			"initialize": `{"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}`,
			"tools/list": `{"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}`,
			"tools/call": `{"content": [{"type": "text", "text": "Unknown tool: ecko"}], "isError": true}`,
		}[in.Method]
		switch {
		case in.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case result == "":
			w.WriteHeader(http.StatusBadRequest)
		default:
			if got := r.Header.Get("Mcp-Protocol-Version"); in.Method != "initialize" && got != "2025-06-18" {
				t.Errorf("%s: version %q", in.Method, got)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, in.ID, result)
		}
	})
	newAgent(t).Fails("mcp.call", fmt.Sprintf(`{"server": {"url": %q}, "tool": "ecko"}`, server.URL), actions.CodeNotFound, `did you mean "echo"`)
}

func TestRawAnswerIsKept(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	r, err := actions.NewRegistry(mcpactions.ActionsWith(start)...)
	if err != nil {
		t.Fatal(err)
	}
	action, _ := r.Lookup("mcp.call")
	input, err := value.Parse([]byte(`{"server": ` + role("server") + `, "tool": "echo", "arguments": {"n": 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := action.Handle(t.Context(), a.Env, &actions.Call{Action: "mcp.call", Input: input})
	if err != nil || !strings.Contains(string(result.Meta.Raw), `"structuredContent":{"n":1}`) {
		t.Errorf("%s %v", result.Meta.Raw, err)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	for at, want := range map[string]string{
		`{}`:                                   "one of url and command",
		`{"url": "http://h/", "command": "c"}`: "one of url and command",
		`{"url": "ftp://h"}`:                   "server.url: not an address",
		`{"url": "http://h", "transport": "stdio", "args": ["x"], "env": {"A": "b"}}`: "server.args: they go with a command; server.env: it goes with a command; server.transport: stdio goes with a command",
		`{"command": "c", "transport": "sse", "headers": {"a b": "x\ny"}}`:            `server.headers: "a b" is not a header's name; server.headers: the value of a b has a line end in it; server.headers: they go with a url; server.transport: sse goes with a url`,
		`{"command": "c", "env": {"A=B": "c"}}`:                                       `server.env: "A=B"`,
		`{"url": "http://h", "transport": "ws"}`:                                      `server.transport`,
		`{"uri": "http://h"}`:                                                         `"url"`,
	} {
		a.Fails("mcp.tools", `{"server": `+at+`}`, actions.CodeInvalidInput, want)
	}
	a.Fails("mcp.call", `{"server": {"command": "c"}, "tool": "t", "arguments": []}`, actions.CodeInvalidInput, "arguments")
}

// TestProgramsNeedAGrant holds that without one nothing is started.
func TestProgramsNeedAGrant(t *testing.T) {
	t.Parallel()
	a := grouptest.New(t, mcpactions.Actions(), nil)
	a.Fails("mcp.tools", `{"server": {"command": "/usr/bin/server", "args": ["hush-hush"]}}`, actions.CodeDenied,
		"MCP server server is a program on this machine, and this run may not start programs")
}

func TestProgramsThatFail(t *testing.T) {
	t.Parallel()
	a := newAgent(t)
	tools := func(at string) string { return `{"server": ` + at + `}` }
	a.Fails("mcp.tools", tools(role("dies")), actions.CodeUnavailable, "the program ended: exit status 3\nno database at ***")
	a.Fails("mcp.tools", tools(role("babbles")), actions.CodeFailed, "does not speak MCP")
	a.Fails("mcp.tools", tools(`{"command": "/no/such/program"}`), actions.CodeUnavailable, "no such file")
	got := a.Must("mcp.call", `{"tool": "environment", "server": `+role("server")+`}`)
	if got.At("content").Text() != "hush-hush" {
		t.Errorf("%s", got)
	}
	began := time.Now()
	a.Fails("mcp.tools", `{"timeout": "100ms", "server": `+role("stubborn")+`}`, actions.CodeTimeout, "no answer within 100ms")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestProgramsDenied holds that the code of who grants counts.
func TestProgramsDenied(t *testing.T) {
	t.Parallel()
	a := grouptest.New(t, mcpactions.ActionsWith(func(context.Context, actions.Process) error {
		return actions.Errorf(actions.CodeDenied, "only uvx is granted")
	}), nil)
	a.Fails("mcp.tools", `{"server": {"command": "npx"}}`, actions.CodeDenied, "only uvx is granted")
}

// TestHeadersStayAtHome holds that headers go to the server's own host only,
// wherever it says that messages are to be sent.
func TestHeadersStayAtHome(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]string{}
	note := func(name string, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[name] = r.Header.Get("Authorization")
	}
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { note("other", r) })
	home := serve(t, func(w http.ResponseWriter, r *http.Request) {
		note("home", r)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: "+other.URL+"/messages\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	a := newAgent(t)
	_, err := a.Call("mcp.tools", fmt.Sprintf(
		`{"timeout": "1s", "server": {"transport": "sse", "url": %q, "headers": {"authorization": "Bearer hush-hush"}}}`, home.URL))
	mu.Lock()
	defer mu.Unlock()
	if got, asked := seen["other"]; err == nil || seen["home"] != "Bearer hush-hush" || !asked || got != "" {
		t.Errorf("%v %v", seen, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]actions.Code{
		401: actions.CodeCredentialMissing, 403: actions.CodeDenied, 404: actions.CodeNotFound,
		429: actions.CodeUnavailable, 500: actions.CodeUnavailable, 503: actions.CodeUnavailable,
	} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "9")
			http.Error(w, "not with "+r.Header.Get("Authorization"), status)
		})
		for _, way := range []string{"http", "sse"} {
			_, err := newAgent(t).Call("mcp.tools", fmt.Sprintf(
				`{"server": {"transport": %q, "url": %q, "headers": {"authorization": "Bearer hush-hush"}}}`, way, server.URL))
			if actions.CodeOf(err) != code || actions.RetryAfter(err) != 9*time.Second || !strings.Contains(err.Error(), "not with ***") {
				t.Errorf("%s %d: %v (%s)", way, status, err, actions.CodeOf(err))
			}
		}
	}
}

func TestServersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"http", "sse"} {
		tools := func(url string) string {
			return fmt.Sprintf(`{"timeout": "300ms", "server": {"transport": %q, "url": %q}}`, way, url)
		}
		_, err := newAgent(t).Call("mcp.tools", tools("http://user:hush-hush@127.0.0.1:1/mcp?key=hush-hush"))
		if actions.CodeOf(err) != actions.CodeUnavailable || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "http://127.0.0.1:1/mcp") {
			t.Errorf("%s: %v", way, err)
		}
		page := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
		newAgent(t).Fails("mcp.tools", tools(page.URL), actions.CodeFailed, "does not speak MCP")
		silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		newAgent(t).Fails("mcp.tools", tools(silent.URL), actions.CodeTimeout, "no answer within 300ms")
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := strings.Repeat(" ", 1<<20)
		for range 20 {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	})
	newAgent(t).Fails("mcp.tools", fmt.Sprintf(`{"server": {"url": %q}}`, server.URL), actions.CodeTooLarge, "larger than")
}
