package llmactions_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	llmactions "github.com/tea-agents/tea/actions/llm"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is what a double says to one request: a text, a response, an error, or
// a function of the request.
type reply any

// double stands in for a provider.
type double struct {
	mu       sync.Mutex
	script   []reply
	requests []llm.Request
	texts    [][]string
	config   llm.Config
	provider string
}

func (d *double) open(provider string, c llm.Config) (llm.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.provider, d.config = provider, c
	return d, nil
}

func (d *double) next(r llm.Request) reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, r)
	if len(d.script) == 0 {
		return "ok"
	}
	said := d.script[0]
	d.script = d.script[1:]
	return said
}

// Generate implements llm.Client.
func (d *double) Generate(ctx context.Context, r llm.Request, sink func(llm.Delta)) (llm.Response, error) {
	resp := llm.Response{FinishReason: "stop", Usage: llm.Usage{PromptTokens: 10, CompletionTokens: 2}, Raw: []byte("raw")}
	switch said := d.next(r).(type) {
	case string:
		resp.Content = said
	case llm.Response:
		resp = said
	case func(context.Context) (llm.Response, error):
		return said(ctx)
	case error:
		return llm.Response{}, said
	}
	if sink != nil {
		sink(llm.Delta{Text: resp.Content})
		for i, c := range resp.ToolCalls {
			sink(llm.Delta{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments.String()}})
		}
	}
	return resp, nil
}

// Embed implements llm.Client.
func (d *double) Embed(_ context.Context, r llm.EmbedRequest) (llm.EmbedResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts = append(d.texts, r.Texts)
	out := llm.EmbedResponse{Usage: llm.Usage{PromptTokens: 4}, Raw: []byte("raw")}
	for i := range r.Texts {
		out.Vectors = append(out.Vectors, []float64{float64(i), 0.5})
	}
	return out, nil
}

// last returns the last request.
func (d *double) last(t *testing.T) llm.Request {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.requests) == 0 {
		t.Fatal("the model was not asked")
	}
	return d.requests[len(d.requests)-1]
}

// asks is an answer that asks for tools.
func asks(calls ...llm.ToolCall) llm.Response {
	return llm.Response{FinishReason: "tool_calls", ToolCalls: calls, Usage: llm.Usage{PromptTokens: 10, CompletionTokens: 2}}
}

func wish(id, name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: llm.ParseArguments(arguments)}
}

// bench has the actions of the group, with a double for the provider, and what
// tools there are.
type bench struct {
	*grouptest.Agent
	*double
	clock *actiontest.Clock
	calls []string // of the actions, by ID
	mu    sync.Mutex
}

func newBench(t *testing.T, script ...reply) *bench {
	t.Helper()
	b := &bench{double: &double{script: script}}
	group := slices.Concat(llmactions.With(b.open), b.others())
	b.Agent = grouptest.New(t, group, func(e *actions.Env) {
		e.HTTP = &http.Client{}
		e.Credential = func(name string) (string, error) {
			if name != "OPENAI_API_KEY" {
				return "", actions.Errorf(actions.CodeCredentialMissing, "no %s", name)
			}
			return "key-of-openai", nil
		}
	})
	b.clock, _ = b.Env.Clock.(*actiontest.Clock)
	return b
}

type citiesInput struct {
	Country string      `json:"country" doc:"Country."`
	Limit   int         `json:"limit" doc:"How many." default:"2" min:"1"`
	Token   string      `json:"token,omitempty" doc:"Access."`
	Also    value.Value `json:"also,omitempty" doc:"More."`
}

// others are the actions that the model may call.
func (b *bench) others() []actions.Action {
	note := func(env actions.Env, name string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.calls = append(b.calls, env.CallID+" "+name)
	}
	place := func(name string, effect actions.Effect) actions.Action {
		return actions.Define(actions.Spec{Name: name, Version: 1, Effect: effect, Summary: "Does " + name + "."},
			func(_ context.Context, env actions.Env, in citiesInput) (value.Value, error) {
				note(env, name)
				switch in.Country {
				case "Atlantis":
					return value.Null(), actions.Errorf(actions.CodeNotFound, "it sank")
				case "Laputa":
					return value.Null(), actions.Errorf(actions.CodeReplayMiss, "not recorded")
				}
				return value.String(in.Country + " " + in.Token), nil
			})
	}
	return []actions.Action{
		place("geo.cities", actions.Read), place("geo.count", actions.Pure), place("geo.found", actions.Write), place("geo.all", actions.Compose),
		actions.Define(actions.Spec{Name: "mcp.tools", Version: 1, Summary: "Lists."}, listServer),
		actions.Define(actions.Spec{Name: "mcp.call", Version: 1, Summary: "Calls."},
			func(_ context.Context, env actions.Env, in serverCall) (value.Value, error) {
				note(env, "mcp.call")
				return callServer(in)
			}),
	}
}

type serverInput struct {
	Server value.Value `json:"server" doc:"Server."`
}

func listServer(_ context.Context, _ actions.Env, in serverInput) (value.Value, error) {
	if in.Server.At("url").Text() == "https://down.example" {
		return value.Null(), actions.Errorf(actions.CodeUnavailable, "down")
	}
	return value.Parse([]byte(`{"tools": [
		{"name": "read/file", "description": "Reads.", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "$schema": "x"}},
		{"name": "read_dir", "description": "", "input_schema": null},
		{"name": "remove", "description": "Removes.", "input_schema": {"type": "object"}}]}`))
}

type serverCall struct {
	serverInput
	Tool      string      `json:"tool" doc:"Tool."`
	Arguments value.Value `json:"arguments" doc:"Arguments."`
}

func callServer(in serverCall) (value.Value, error) {
	if in.Tool == "remove" {
		return value.Parse([]byte(`{"content": "not allowed", "is_error": true}`))
	}
	return value.Object(value.M("content", value.String(in.Tool+in.Arguments.String()+in.Server.String()))), nil
}

var errPlain = errors.New("odd")

func TestContract(t *testing.T) {
	t.Parallel()
	d := &double{}
	r, err := actions.NewRegistry(slices.Concat(llmactions.With(d.open), (&bench{}).others()[:1])...)
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]value.Value{}
	for name, own := range map[string]string{
		"llm.call": `"prompt": "x"`, "llm.stream": `"prompt": "x"`, "llm.embed": `"input": "x"`,
		"llm.retry": `"prompt": "x"`, "llm.chat": `"message": "x"`, "llm.tools": `"prompt": "x", "tools": ["geo.cities"]`,
	} {
		if inputs[name], err = value.Parse([]byte(`{"model": "gpt-4o-mini", "api_key": "k", ` + own + `}`)); err != nil {
			t.Fatal(err)
		}
	}
	actiontest.Run(t, onlyGroup(t, r), &actiontest.Harness{Inputs: inputs, Runs: 60, Env: func(tb testing.TB, _ *actions.Registry) actions.Env {
		tb.Helper()
		return actiontest.Env(tb, r)
	}})
}

// onlyGroup returns a registry of the group's own actions.
func onlyGroup(t *testing.T, r *actions.Registry) *actions.Registry {
	t.Helper()
	var own []actions.Action
	for _, a := range r.All() {
		if a.Spec().Model {
			own = append(own, a)
		}
	}
	out, err := actions.NewRegistry(own...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
