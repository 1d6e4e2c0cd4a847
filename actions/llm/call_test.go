package llmactions_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	llmactions "github.com/tea-agents/tea/actions/llm"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

func TestCallYields(t *testing.T) {
	t.Parallel()
	newBench(t, "Tea is a drink.").Yields("llm.call", `{"model": "openai/gpt-4o-mini", "prompt": "What is tea?", "prices": {"gpt-4o-mini": {"input": 1, "output": 2}}}`,
		`{"content":"Tea is a drink.","cost_usd":1.4e-05,"finish_reason":"stop","model":"gpt-4o-mini","provider":"openai","success":true,"tool_calls":[],`+
			`"usage":{"cached_tokens":0,"completion_tokens":2,"prompt_tokens":10,"total_tokens":12}}`)
	newBench(t, "x").Yields("llm.call", `{"model": "own", "api_base": "http://127.0.0.1:1/v1", "prompt": "x"}`,
		`{"content":"x","finish_reason":"stop","model":"own","provider":"openai","success":true,"tool_calls":[],`+
			`"usage":{"cached_tokens":0,"completion_tokens":2,"prompt_tokens":10,"total_tokens":12}}`)
	newBench(t, asks(wish("c1", "f", `{"a": 1}`), wish("c2", "g", `{`))).Yields("llm.call",
		`{"model": "own", "api_base": "http://127.0.0.1:1/v1", "prompt": "x", "tools": [{"name": "f"}], "response_format": "json_object"}`,
		`{"content":"","finish_reason":"tool_calls","model":"own","provider":"openai","success":true,`+
			`"tool_calls":[{"arguments":{"a":1},"id":"c1","name":"f"},{"arguments":"{","id":"c2","name":"g"}],`+
			`"usage":{"cached_tokens":0,"completion_tokens":2,"prompt_tokens":10,"total_tokens":12}}`)
}

func TestCallAsks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Must("llm.call", `{"model": "gpt-4o", "system": "Be brief.", "prompt": "What?", "temperature": 0, "top_p": 0.5, "max_tokens": 9,
		"stop": "END", "seed": 7, "response_format": "text", "tools": [{"type": "function", "function": {"name": "f", "description": "F."}}],
		"tool_choice": "f", "extra": {"logprobs": true}, "user": "u1", "headers": {"x-a": "1"}, "cache": "both", "sensitive": true, "sample": 2}`)
	r := b.last(t)
	if len(r.Messages) != 2 || r.Messages[0].Role != llm.System || r.Messages[1].Parts[0].Text != "What?" {
		t.Errorf("messages %+v", r.Messages)
	}
	if *r.Temperature != 0 || *r.TopP != 0.5 || r.MaxTokens != 9 || *r.Seed != 7 || r.Stop[0] != "END" || r.ToolChoice != "f" || r.Tools[0].Name != "f" {
		t.Errorf("%+v", r)
	}
	if r.Extra.String() != `{"logprobs":true,"user":"u1"}` {
		t.Errorf("extra %s", r.Extra)
	}
	if b.config.APIKey != "key-of-openai" || b.config.Headers.Get("X-A") != "1" || b.config.HTTP != b.Env.HTTP {
		t.Errorf("%+v", b.config)
	}
	b.Must("llm.call", `{"model": "claude-sonnet-4-5", "api_key": "k", "prompt": "x", "user": "u1", "stop": ["a", "b"]}`)
	if r := b.last(t); r.Extra.String() != `{"metadata":{"user_id":"u1"}}` || len(r.Stop) != 2 || r.Temperature != nil || r.Seed != nil {
		t.Errorf("%+v", r)
	}
}

func TestCallMistakes(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"prompt": "x"}`:                                                                                                      "model",
		`{"model": "gpt-4o"}`:                                                                                                  "messages: give messages or a prompt",
		`{"model": "gpt-4o", "messages": []}`:                                                                                  "messages: give messages or a prompt",
		`{"model": "mystery", "prompt": "x"}`:                                                                                  "provider",
		`{"model": "gpt-4o", "prompt": "x", "provider": "opnai"}`:                                                              `did you mean "openai"`,
		`{"model": "gpt-4o", "prompt": "x", "stop": [1]}`:                                                                      "stop: must be a text or a list of texts, has a integer in it",
		`{"model": "gpt-4o", "prompt": "x", "stop": {}}`:                                                                       "stop: must be a text or a list of texts, is a object",
		`{"model": "gpt-4o", "prompt": "x", "tool_choice": "f"}`:                                                               "tool_choice",
		`{"model": "gpt-4o", "prompt": "x", "temperature": 3}`:                                                                 "temperature",
		`{"model": "gpt-4o", "prompt": "x", "cache": "on"}`:                                                                    "cache",
		`{"model": "gpt-4o", "prompt": "x", "tempreature": 1}`:                                                                 `did you mean "temperature"`,
		`{"model": "gpt-4o", "prompt": "x", "headers": {"a b": "x"}}`:                                                          "not a header's name",
		`{"model": "gpt-4o", "prompt": "x", "headers": {"a": "x\ny"}}`:                                                         "line end",
		`{"model": "gpt-4o", "prompt": "x", "response_format": "json"}`:                                                        "response_format",
		`{"model": "gpt-4o", "prompt": "x", "response_format": {"type": "json_schema", "schema": {"type": "strin"}}}`:          "not a JSON Schema",
		`{"model": "gpt-4o", "prompt": "x", "response_format": {"type": "json_schema", "schema": {"$ref": "https://x.test"}}}`: "must be complete in itself",
		`{"model": "gpt-4o", "messages": [{"role": "usr", "content": "x"}], "tools": 1}`:                                       "tools must be a list",
	} {
		b := newBench(t)
		b.Fails("llm.call", input, actions.CodeInvalidInput, want)
		if len(b.requests) > 0 {
			t.Errorf("%s: the model was asked", input)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ input, want string }{
		{`"model": "gpt-4o"`, "key-of-openai"},
		{`"model": "gpt-4o", "api_key": "own"`, "own"},
		{`"model": "ollama/llama3.2"`, ""},
		{`"model": "x", "api_base": "http://127.0.0.1:1"`, "key-of-openai"},
	} {
		b := newBench(t)
		b.Must("llm.call", `{"prompt": "x", `+tt.input+`}`)
		if b.config.APIKey != tt.want {
			t.Errorf("%s: the key is %q, want %q", tt.input, b.config.APIKey, tt.want)
		}
	}
	b := newBench(t)
	b.Fails("llm.call", `{"model": "claude-x", "prompt": "x"}`, actions.CodeCredentialMissing,
		`llm.call needs a key for anthropic: set ANTHROPIC_API_KEY in the environment, or give api_key: "{{ secrets.ANTHROPIC_API_KEY }}"`)
	b.Fails("llm.embed", `{"model": "gemini-x", "input": "x"}`, actions.CodeCredentialMissing, "set GEMINI_API_KEY or GOOGLE_API_KEY")
}

func TestKeysThatCannotBeHad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code actions.Code
	}{{nil, actions.CodeCredentialMissing}, {actions.Errorf(actions.CodeDenied, "locked"), actions.CodeDenied}} {
		d := &double{}
		a := grouptest.New(t, llmactions.With(d.open), func(e *actions.Env) {
			e.Credential = func(string) (string, error) { return "", tt.err }
		})
		if _, err := a.Call("llm.call", `{"model": "gpt-4o", "prompt": "x"}`); actions.CodeOf(err) != tt.code {
			t.Errorf("%v: %v", tt.err, err)
		}
	}
}

func TestProviderThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	a := grouptest.New(t, llmactions.With(func(string, llm.Config) (llm.Client, error) {
		return nil, &llm.Error{Kind: llm.Unsupported, Message: "not here"}
	}), nil)
	for _, name := range []string{"llm.call", "llm.stream"} {
		a.Fails(name, `{"provider": "shell", "command": ["cat"], "prompt": "x"}`, actions.CodeUnsupported, "not here")
	}
	a.Fails("llm.embed", `{"provider": "shell", "command": ["cat"], "input": "x"}`, actions.CodeUnsupported, "not here")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code actions.Code
		wait time.Duration
	}{
		{&llm.Error{Kind: llm.Unavailable, Message: "busy", RetryAfter: 3 * time.Second}, actions.CodeUnavailable, 3 * time.Second},
		{&llm.Error{Kind: llm.Unauthorized, Message: "bad key"}, actions.CodeCredentialMissing, 0},
		{&llm.Error{Kind: llm.TooLarge, Message: "long"}, actions.CodeTooLarge, 0},
		{&llm.Error{Kind: "new", Message: "strange"}, actions.CodeFailed, 0},
		{&llm.Error{Kind: llm.Unavailable, Message: "x", Err: actions.Errorf(actions.CodeReplayMiss, "no")}, actions.CodeReplayMiss, 0},
		{errPlain, actions.CodeFailed, 0},
	} {
		b := newBench(t, tt.err)
		_, err := b.Call("llm.call", `{"model": "gpt-4o", "prompt": "x"}`)
		if actions.CodeOf(err) != tt.code || actions.RetryAfter(err) != tt.wait || !strings.Contains(err.Error(), tt.err.Error()) {
			t.Errorf("%v: got %v (%s, %s)", tt.err, err, actions.CodeOf(err), actions.RetryAfter(err))
		}
	}
}

// hang waits for the end of its context.
func hang(ctx context.Context) (llm.Response, error) {
	<-ctx.Done()
	return llm.Response{}, &llm.Error{Kind: llm.Timeout, Message: "slow", Err: ctx.Err()}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	b := newBench(t, hang)
	b.Fails("llm.call", `{"model": "gpt-4o", "prompt": "x", "timeout": "1ms"}`, actions.CodeTimeout, "openai gpt-4o: no whole answer within 1ms")
	errGone := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	b = newBench(t, func(ctx context.Context) (llm.Response, error) {
		cancel(errGone)
		return hang(ctx)
	})
	_, err := b.Run(ctx, &actions.Call{Action: "llm.call", Input: value.Must(map[string]any{"model": "gpt-4o", "prompt": "x"})})
	if actions.CodeOf(err) != actions.CodeCanceled || !errors.Is(err, errGone) {
		t.Errorf("canceled: %v", err)
	}
}

func TestStreamShowsChunks(t *testing.T) {
	t.Parallel()
	said := asks(wish("c1", "f", `{"a":1}`))
	said.Content = "Let me see."
	b := newBench(t, said)
	var chunks []string
	got, err := b.Run(t.Context(), &actions.Call{
		Action: "llm.stream", Input: value.Must(map[string]any{"model": "gpt-4o", "prompt": "x"}),
		Sink: func(c actions.Chunk) { chunks = append(chunks, c.Data.String()) },
	})
	want := `{"text":"Let me see."}|{"tool_call":{"arguments":"{\"a\":1}","id":"c1","index":0,"name":"f"}}`
	if err != nil || strings.Join(chunks, "|") != want || got.Output.At("content").Text() != "Let me see." {
		t.Errorf("%v, %v, %v", chunks, got.Output, err)
	}
}

func TestRawIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a, _ := b.Env.Registry.Lookup("llm.call")
	got, err := a.Handle(t.Context(), b.Env, &actions.Call{Input: value.Must(map[string]any{"model": "gpt-4o", "prompt": "x"})})
	if err != nil || string(got.Meta.Raw) != "raw" {
		t.Errorf("%s, %v", got.Meta.Raw, err)
	}
}

func TestJSONAnswers(t *testing.T) {
	t.Parallel()
	const schema = `{"type": "json_schema", "schema": {"type": "object", "properties": {"kind": {"type": "string"}, "n": {"type": "integer", "maximum": 9}}, "required": ["kind"]}}`
	for _, tt := range []struct{ format, content, parsed, wrong string }{
		{`"json_object"`, `{"a": 9007199254740993}`, `{"a":9007199254740993}`, ""},
		{`"json_object"`, "```json\n{\"a\": 1}\n```\n", `{"a":1}`, ""},
		{`"json_object"`, "```\n{}```", `{}`, ""},
		{`"json_object"`, "[1]", "", "it is a list, not an object. It begins: [1]"},
		{`"json_object"`, "Sure! {}", "", "it is not JSON: line 1"},
		{`"json_object"`, " ", "", "it is empty"},
		{schema, `{"kind": "drink"}`, `{"kind":"drink"}`, ""},
		{schema, `{"n": 10}`, "", "missing property 'kind'; n: maximum: got 10, want 9. It begins: {\"n\": 10}"},
		{`{"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array", "items": {"type": "string"}}}}`, `[1, 2, 3, 4]`, "",
			"0: got number, want string; 1: got number, want string; 2: got number, want string; and 1 more"},
	} {
		b := newBench(t, tt.content, tt.content)
		input := `{"model": "gpt-4o", "prompt": "x", "response_format": ` + tt.format
		if tt.wrong != "" {
			b.Fails("llm.call", input+`}`, actions.CodeFailed, tt.wrong)
			got := b.Must("llm.call", input+`, "on_invalid": "return"}`)
			if got.At("success").String() != "false" || got.At("content").Text() != tt.content || got.At("error_type").Text() != "failed" {
				t.Errorf("%s: %s", tt.content, got)
			}
			continue
		}
		if got := b.Must("llm.call", input+`}`); got.At("parsed").String() != tt.parsed {
			t.Errorf("%s: parsed %s, want %s", tt.content, got.At("parsed"), tt.parsed)
		}
	}
	for reason, want := range map[string]string{"length": "raise max_tokens", "content_filter": "the provider filtered it"} {
		newBench(t, llm.Response{Content: `{"a": `, FinishReason: reason}).
			Fails("llm.call", `{"model": "gpt-4o", "prompt": "x", "response_format": "json_object"}`, actions.CodeFailed, want)
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Yields("llm.embed", `{"model": "text-embedding-3-small", "input": ["a", "b"], "prices": {"text-embedding-3-small": {"input": 1, "output": 0}}}`,
		`{"cost_usd":4e-06,"embeddings":[[0.0,0.5],[1.0,0.5]],"model":"text-embedding-3-small","provider":"openai","success":true,`+
			`"usage":{"cached_tokens":0,"completion_tokens":0,"prompt_tokens":4,"total_tokens":4}}`)
	b.Must("llm.embed", `{"model": "text-embedding-3-small", "input": "one"}`)
	if got := b.texts[1]; len(got) != 1 || got[0] != "one" {
		t.Errorf("texts %v", got)
	}
	for _, input := range []string{`[]`, `[1]`, `{}`} {
		b.Fails("llm.embed", `{"model": "text-embedding-3-small", "input": `+input+`}`, actions.CodeInvalidInput, "input: ")
	}
}
