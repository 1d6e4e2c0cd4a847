package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/tea-agents/tea/internal/testserver"
)

// mock starts an independent imitation of the providers and returns its URL.
func mock(t *testing.T) string {
	t.Helper()
	fixtures, err := filepath.Abs("testdata/fixtures.json")
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + testserver.Start(t, testserver.Server{
		Name: "llmock", Install: "npm install @copilotkit/aimock",
		Args: func(port, _ string) []string {
			return []string{"--port", port, "--fixtures", fixtures, "--log-level", "silent", "--chunk-size", "8"}
		},
		Ready: func(ctx context.Context, addr string) error {
			req, err := http.NewRequestWithContext(ctx, "GET", "http://"+addr+"/health", nil)
			if err != nil {
				return err
			}
			res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
			if err != nil {
				return err
			}
			return res.Body.Close()
		},
	})
}

// nodeModules is where the clients for Node are, or "".
func nodeModules() string {
	for _, dir := range []string{os.Getenv("TEA_NODE_MODULES"), filepath.Join(cacheHome(), "tea-ci", "node_modules")} {
		if _, err := os.Stat(filepath.Join(dir, "openai")); dir != "" && err == nil {
			return dir
		}
	}
	return ""
}

func cacheHome() string {
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".cache")
}

// dialogue is what a client sees; the same of the provider and of a replay.
type dialogue func(t *testing.T, base string) string

// TestRealClients lets each client talk to the mock through the recorder, and
// then to the recording alone.
func TestRealClients(t *testing.T) {
	t.Parallel()
	up := mock(t)
	for _, tc := range []struct {
		name  string
		talk  dialogue
		calls int
		says  []string
	}{
		{"openai-go", openaiGo, 6, []string{"plain Hello! How", "stream 10", `tools get_weather {"city":"Graz"}`, "answer It is sunny.", "responses Hello!", "streamed responses Hello!"}},
		{"anthropic-sdk-go", anthropicGo, 3, []string{"plain Hello! How", "stream Hello! How", `tools get_weather {"city":"Graz"}`}},
		{"curl", curl, 7, []string{"Hello! How", "data: [DONE]", "event: message_stop", `"done":true`, `"finishReason":"STOP"`}},
		{"openai for Node", node("openai.mjs"), 4, []string{"plain Hello! How", "stream 10 Hello!", `tools {"name":"get_weather"`, `streamed tools {"city":"Graz"}`}},
		{"anthropic for Node", node("anthropic.mjs"), 4, []string{"plain Hello! How", "stream 13 Hello!", `tools {"city":"Graz"}`, `streamed tools {"city":"Graz"}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := file(t)
			p := record(t, path, up)
			live := tc.talk(t, p.url(""))
			p.finish(t)
			for _, want := range tc.says {
				if !strings.Contains(live, want) {
					t.Errorf("%q is not in\n%s", want, live)
				}
			}
			if n := len(p.session.Calls()); n != tc.calls {
				t.Errorf("%d calls were recorded, not %d", n, tc.calls)
			}
			for _, c := range p.session.Calls() {
				if !c.Complete || c.Model == "" || c.Prompt == "" || c.Text == "" && len(c.ToolUses) == 0 {
					t.Errorf("an incomplete or unreadable record: complete %v, model %q, prompt %q, text %q, tools %v", c.Complete, c.Model, c.Prompt, c.Text, c.ToolUses)
				}
			}
			written, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(written), "canary") {
				t.Errorf("a credential is in the cassette (%v)", err)
			}

			p = replay(t, path)
			if again := tc.talk(t, p.url("")); again != live {
				t.Errorf("the replay is not the same:\n%s\nwant\n%s", again, live)
			}
			if p.Misses() != 0 || p.session.Made() != 0 {
				t.Errorf("%d misses, %d calls made", p.Misses(), p.session.Made())
			}
		})
	}
}

// A client that asks something new is told by its own kind of error.
func TestRealClientsSeeMisses(t *testing.T) {
	t.Parallel()
	path := file(t)
	p := record(t, path, upstream(t).URL)
	ask(t, client(t, nil), "POST", p.url("/openai/v1/chat/completions"), `{"model":"gpt-4o-mini","messages":[]}`)
	p.finish(t)
	p = replay(t, path)
	gpt := openaiClient(t, p.url(""))
	_, err := gpt.Chat.Completions.New(t.Context(), openaiAsk("hello"))
	var openaiError *openai.Error
	if !errors.As(err, &openaiError) || openaiError.StatusCode != 424 || openaiError.Code != "replay_miss" {
		t.Errorf("openai-go sees %v", err)
	}
	claude := anthropicClient(t, p.url(""))
	_, err = claude.Messages.New(t.Context(), anthropicAsk("hello"))
	var anthropicError *anthropic.Error
	if !errors.As(err, &anthropicError) || anthropicError.StatusCode != 424 || !strings.Contains(err.Error(), "tea_replay_miss") {
		t.Errorf("anthropic-sdk-go sees %v", err)
	}
	if p.Misses() != 2 {
		t.Errorf("%d misses: clients should not try again", p.Misses())
	}
}

func openaiClient(t *testing.T, base string) openai.Client {
	t.Helper()
	return openai.NewClient(option.WithBaseURL(base+"/openai/v1"), option.WithAPIKey("sk-canary-of-openai-0123456789"), option.WithHTTPClient(client(t, nil)))
}

func openaiAsk(content string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(content)}}
}

func openaiGo(t *testing.T, base string) string {
	t.Helper()
	c := openaiClient(t, base)
	var out strings.Builder
	plain, err := c.Chat.Completions.New(t.Context(), openaiAsk("hello"))
	must(t, err)
	fmt.Fprintln(&out, "plain", plain.Choices[0].Message.Content)

	chunks, text := 0, ""
	stream := c.Chat.Completions.NewStreaming(t.Context(), openaiAsk("hello"))
	for stream.Next() {
		chunks++
		for _, choice := range stream.Current().Choices {
			text += choice.Delta.Content
		}
	}
	must(t, stream.Err())
	fmt.Fprintln(&out, "stream", chunks, text)

	asked := openaiAsk("weather")
	asked.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name: "get_weather", Parameters: shared.FunctionParameters{"type": "object"},
	})}
	called, err := c.Chat.Completions.New(t.Context(), asked)
	must(t, err)
	tool := called.Choices[0].Message.ToolCalls[0].Function
	fmt.Fprintln(&out, "tools", tool.Name, tool.Arguments)

	asked.Messages = append(asked.Messages, openai.ChatCompletionMessageParamUnion{OfAssistant: &openai.ChatCompletionAssistantMessageParam{
		ToolCalls: []openai.ChatCompletionMessageToolCallUnionParam{{OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
			ID: "call_weather", Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: tool.Name, Arguments: tool.Arguments},
		}}},
	}}, openai.ToolMessage("sunny", "call_weather"))
	answered, err := c.Chat.Completions.New(t.Context(), asked)
	must(t, err)
	fmt.Fprintln(&out, "answer", answered.Choices[0].Message.Content)

	input := responses.ResponseNewParams{Model: "gpt-4o-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hello")}}
	response, err := c.Responses.New(t.Context(), input)
	must(t, err)
	fmt.Fprintln(&out, "responses", response.OutputText())
	text = ""
	events := c.Responses.NewStreaming(t.Context(), input)
	for events.Next() {
		if e := events.Current(); e.Type == "response.output_text.delta" {
			text += e.Delta
		}
	}
	must(t, events.Err())
	fmt.Fprintln(&out, "streamed responses", text)
	return out.String()
}

func anthropicClient(t *testing.T, base string) anthropic.Client {
	t.Helper()
	return anthropic.NewClient(anthropicoption.WithBaseURL(base+"/anthropic"), anthropicoption.WithAPIKey("sk-ant-canary-0123456789"), anthropicoption.WithHTTPClient(client(t, nil)))
}

func anthropicAsk(content string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 100,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(content))},
	}
}

func anthropicGo(t *testing.T, base string) string {
	t.Helper()
	c := anthropicClient(t, base)
	var out strings.Builder
	plain, err := c.Messages.New(t.Context(), anthropicAsk("hello"))
	must(t, err)
	fmt.Fprintln(&out, "plain", plain.Content[0].Text)

	var whole anthropic.Message
	stream := c.Messages.NewStreaming(t.Context(), anthropicAsk("hello"))
	for stream.Next() {
		must(t, whole.Accumulate(stream.Current()))
	}
	must(t, stream.Err())
	fmt.Fprintln(&out, "stream", whole.Content[0].Text)

	asked := anthropicAsk("weather")
	asked.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "get_weather"}}}
	called, err := c.Messages.New(t.Context(), asked)
	must(t, err)
	for _, block := range called.Content {
		if block.Type == "tool_use" {
			fmt.Fprintln(&out, "tools", block.Name, string(block.Input))
		}
	}
	return out.String()
}

func curl(t *testing.T, base string) string {
	t.Helper()
	program := testserver.Need(t, "curl", "apt-get install curl")
	message := `"messages":[{"role":"user","content":"hello"}]`
	contents := `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`
	var out strings.Builder
	for _, asked := range []struct{ path, body string }{
		{"/openai/v1/chat/completions", `{"model":"gpt-4o-mini",` + message + `}`},
		{"/openai/v1/chat/completions", `{"model":"gpt-4o-mini","stream":true,` + message + `}`},
		{"/v1/messages", `{"model":"claude-sonnet-4-5","max_tokens":9,"stream":true,` + message + `}`},
		{"/gemini/v1beta/models/gemini-2.5-flash:generateContent?key=canary-of-gemini", contents},
		{"/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=canary-of-gemini", contents},
		{"/ollama/api/chat", `{"model":"llama3.2",` + message + `}`},
		{"/api/chat", `{"model":"llama3.2","stream":false,` + message + `}`},
	} {
		c := exec.CommandContext(t.Context(), program, "-sS", "-N", "--compressed", "--noproxy", "*", "-w", "\n%{http_code}\n",
			"-H", "Content-Type: application/json", "-H", "Authorization: Bearer canary-of-curl", "-d", asked.body, base+asked.path)
		out.Write(output(t, c))
	}
	return out.String()
}

// node runs a script of testdata with the clients for Node.
func node(script string) dialogue {
	return func(t *testing.T, base string) string {
		t.Helper()
		program := testserver.Need(t, "node", "https://nodejs.org")
		modules := nodeModules()
		if modules == "" {
			testserver.Need(t, "openai and @anthropic-ai/sdk for Node", "npm install openai @anthropic-ai/sdk")
		}
		c := exec.CommandContext(t.Context(), program, filepath.Join("testdata", script))
		c.Env = append(os.Environ(), "CLIENTS="+filepath.Join(modules, "x.js"),
			"OPENAI_BASE_URL="+base+"/openai/v1", "OPENAI_API_KEY=sk-canary-of-node-0123456789",
			"ANTHROPIC_BASE_URL="+base+"/anthropic", "ANTHROPIC_API_KEY=sk-ant-canary-of-node-0123456789")
		return string(output(t, c))
	}
}

func output(t *testing.T, c *exec.Cmd) []byte {
	t.Helper()
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%v: %v\n%s\n%s", c.Args, err, out, exit.Stderr)
	}
	must(t, err)
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
