package llm_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// parse reads JSON.
func parse(t interface {
	Helper()
	Fatal(...any)
}, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err, text)
	}
	return v
}

func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func TestEffective(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		input, defaults string
		env             map[string]string
		want            string
	}{
		"a prefix": {input: `{"model":"openai/gpt-4o"}`, want: `{"model":"gpt-4o","provider":"openai"}`},
		"a provider": {
			input: `{"model":"llama3","provider":"ollama"}`, want: `{"model":"llama3","provider":"ollama"}`,
		},
		"the provider's prefix besides": {
			input: `{"model":"ollama/llama3","provider":"ollama"}`, want: `{"model":"llama3","provider":"ollama"}`,
		},
		"a known family":   {input: `{"model":"claude-sonnet-4-5"}`, want: `{"model":"claude-sonnet-4-5","provider":"anthropic"}`},
		"another":          {input: `{"model":"gemini-2.5-pro"}`, want: `{"model":"gemini-2.5-pro","provider":"gemini"}`},
		"thinking models":  {input: `{"model":"o3-mini"}`, want: `{"model":"o3-mini","provider":"openai"}`},
		"shell needs none": {input: `{"provider":"shell"}`, want: `{"provider":"shell"}`},
		"a server of one's own": {
			input: `{"model":"qwen/qwen3","api_base":"http://127.0.0.1:8080/v1/"}`,
			want:  `{"model":"qwen/qwen3","provider":"openai","api_base":"http://127.0.0.1:8080/v1"}`,
		},
		"a server whose models have prefixes": {
			input: `{"model":"openai/gpt-4o","provider":"openai","api_base":"https://openrouter.ai/api/v1"}`,
			want:  `{"model":"openai/gpt-4o","provider":"openai","api_base":"https://openrouter.ai/api/v1"}`,
		},
		"the same by defaults": {
			input: `{"model":"anthropic/claude-x"}`, defaults: `{"provider":"openai","api_base":"https://openrouter.ai/api/v1","model":"m"}`,
			want: `{"model":"anthropic/claude-x","provider":"openai","api_base":"https://openrouter.ai/api/v1"}`,
		},
		"the provider's own address": {
			input: `{"model":"gpt-4o","api_base":"https://api.openai.com/v1/"}`, want: `{"model":"gpt-4o","provider":"openai"}`,
		},
		"an address from the environment": {
			input: `{"model":"gpt-4o"}`, env: map[string]string{"OPENAI_BASE_URL": "", "OPENAI_API_BASE": "http://a/v1/"},
			want: `{"model":"gpt-4o","provider":"openai","api_base":"http://a/v1"}`,
		},
		"Azure's": {
			input: `{"model":"azure/dep"}`, env: map[string]string{"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com/", "OPENAI_BASE_URL": "http://no"},
			want: `{"model":"dep","provider":"azure","api_base":"https://x.openai.azure.com"}`,
		},
		"Ollama's, a host": {
			input: `{"model":"ollama/m"}`, env: map[string]string{"OLLAMA_HOST": "box:1234"},
			want: `{"model":"m","provider":"ollama","api_base":"http://box:1234"}`,
		},
		"Ollama's, to listen on": {
			input: `{"model":"ollama/m"}`, env: map[string]string{"OLLAMA_HOST": "0.0.0.0"}, want: `{"model":"m","provider":"ollama"}`,
		},
		"defaults lie under": {
			input: `{"temperature":0.5,"seed":null}`, defaults: `{"model":"gpt-4o","temperature":1,"seed":3,"api_key":"k"}`,
			want: `{"model":"gpt-4o","provider":"openai","temperature":0.5,"seed":3,"api_key":"k"}`,
		},
		"defaults of another provider lend no key": {
			input:    `{"model":"claude-sonnet-4-5"}`,
			defaults: `{"model":"gpt-4o","api_base":"http://a/v1","api_key":"k","headers":{"a":"b"},"api_version":"1","extra":{"x":1},"seed":3}`,
			want:     `{"model":"claude-sonnet-4-5","provider":"anthropic","seed":3}`,
		},
		"a prompt": {
			input: `{"model":"gpt-4o","prompt":"Hi"}`, defaults: `{"system":"Be kind"}`,
			want: `{"model":"gpt-4o","provider":"openai","messages":[{"role":"system","content":"Be kind"},{"role":"user","content":"Hi"}]}`,
		},
		"a prompt that is a number": {
			input: `{"model":"gpt-4o","prompt":42}`,
			want:  `{"model":"gpt-4o","provider":"openai","messages":[{"role":"user","content":"42"}]}`,
		},
		"system before messages": {
			input: `{"model":"gpt-4o","system":"s","messages":[{"role":"user","content":"u"}]}`,
			want:  `{"model":"gpt-4o","provider":"openai","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}`,
		},
		"messages take no default system": {
			input: `{"model":"gpt-4o","messages":[{"role":"user","content":"u"}]}`, defaults: `{"system":"s","messages":[1],"prompt":"p"}`,
			want: `{"model":"gpt-4o","provider":"openai","messages":[{"role":"user","content":"u"}]}`,
		},
		"one text to embed": {
			input: `{"model":"text-embedding-3-small","input":"a"}`, want: `{"model":"text-embedding-3-small","provider":"openai","input":["a"]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defaults := value.Null()
			if test.defaults != "" {
				defaults = parse(t, test.defaults)
			}
			got, err := llm.Effective("llm.call", parse(t, test.input), defaults, environment(test.env))
			if want := parse(t, test.want); err != nil || !value.Equal(got, want) {
				t.Fatalf("got %s, %v\nwant %s", got, err, want)
			}
			again, err := llm.Effective("llm.call", got, defaults, environment(test.env))
			if err != nil || !value.Equal(again, got) {
				t.Errorf("a second time: %s, %v\nwant %s", again, err, got)
			}
		})
	}
}

func TestEffectiveRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ input, want string }{
		"no model":            {`{}`, "the model is missing"},
		"no model but a name": {`{"provider":"openai"}`, "the model is missing"},
		"nobody's model":      {`{"model":"qwen3"}`, "anthropic, azure, gemini, ollama, openai, shell"},
		"a slip in a prefix":  {`{"model":"opnai/gpt"}`, `did you mean "openai/gpt"`},
		"a slip":              {`{"model":"m","provider":"antropic"}`, `did you mean "anthropic"`},
		"two providers":       {`{"model":"anthropic/claude-x","provider":"openai"}`, "but the provider is openai"},
		"an address":          {`{"model":"gpt-4o","api_base":"localhost:80"}`, "api_base must be an address"},
		"model is a number":   {`{"model":4}`, "model must be a string"},
		"two questions":       {`{"model":"gpt-4o","prompt":"a","messages":[]}`, "not both"},
		"two systems":         {`{"model":"gpt-4o","system":"a","messages":[{"role":"system","content":"b"}]}`, "given twice"},
		"all at once":         {`{"model":4,"prompt":"a","messages":[]}`, "not both"},
		"no object":           {`[]`, "must be an object"},
	}
	for name, test := range tests {
		got, err := llm.Effective("llm.call", parse(t, test.input), value.Null(), nil)
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.InvalidInput || !strings.Contains(e.Message, test.want) {
			t.Errorf("%s: got %s, %v, want %q", name, got, err, test.want)
		}
	}
}

func TestSecretsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	input := value.Object(value.M("model", value.String("gpt-4o")), value.M("api_base", value.Secret("BASE")),
		value.M("prompt", value.Secret("WORD")), value.M("api_key", value.Secret("KEY")))
	got, err := llm.Effective("llm.call", input, value.Null(), nil)
	if err != nil || len(value.SecretNames(got)) != 3 {
		t.Errorf("got %s with %q, %v", got, value.SecretNames(got), err)
	}
	if text := llm.PromptText(got); text != "user: "+value.Mask {
		t.Errorf("prompt: %q", text)
	}
}

func identity(t *rapid.T, action string, input value.Value) string {
	e, err := llm.Effective(action, input, value.Null(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := llm.Identity(action, e).Canonical()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOneQuestionOneIdentity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prompt, system := rapid.String().Draw(t, "prompt"), rapid.String().Draw(t, "system")
		temperature := rapid.IntRange(0, 2).Draw(t, "temperature")
		short := value.Must(map[string]any{"model": "openai/gpt-4o", "prompt": prompt, "system": system, "temperature": temperature, "stop": "x"})
		long := value.Must(map[string]any{
			"provider": "openai", "model": "gpt-4o", "temperature": float64(temperature), "stop": []any{"x"}, "response_format": "text",
			"messages": []any{map[string]any{"role": "system", "content": system}, map[string]any{"role": "user", "content": prompt}},
		})
		if a, b := identity(t, "llm.call", short), identity(t, "llm.stream", long); a != b {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

func TestParametersAndIdentity(t *testing.T) {
	t.Parallel()
	without := []string{"api_key", "headers", "timeout", "retry", "retries", "max_retries", "stream", "user", "cache", "sensitive", "prices"}
	known := []string{"temperature", "top_p", "max_tokens", "seed", "stop", "response_format", "tools", "tool_choice", "extra", "sample", "api_base", "api_version"}
	rapid.Check(t, func(t *rapid.T) {
		base := parse(t, `{"model":"gpt-4o","prompt":"Hi"}`)
		name := rapid.OneOf(rapid.SampledFrom(without), rapid.SampledFrom(known), rapid.StringMatching(`[a-z]{6,12}_x`)).Draw(t, "name")
		a, b := rapid.Int64Range(1, 1<<40).Draw(t, "a"), rapid.Int64Range(1, 1<<40).Draw(t, "b")
		of := func(n int64) value.Value {
			switch name {
			case "api_base":
				return value.String("http://a/" + value.Int(n).String())
			case "extra":
				return value.Must(map[string]any{"x": n})
			}
			return value.Int(n)
		}
		one, two := identity(t, "llm.call", base.With(name, of(a))), identity(t, "llm.call", base.With(name, of(b)))
		none := identity(t, "llm.call", base)
		isWithout := false
		for _, w := range without {
			isWithout = isWithout || w == name
		}
		if isWithout && (one != none || two != none) {
			t.Fatalf("%s takes part", name)
		}
		if !isWithout && (one == none || (one == two) != (a == b)) {
			t.Fatalf("%s = %d, %d: %s %s", name, a, b, one, two)
		}
	})
}

func TestIdentityOfSpellings(t *testing.T) {
	t.Parallel()
	same := [][2]string{
		{`{"temperature":0}`, `{"temperature":"0.0"}`},
		{`{"max_tokens":5}`, `{"max_tokens":"5"}`},
		{`{"seed":5}`, `{"seed":5.0}`},
		{`{"response_format":"json_object"}`, `{"response_format":{"type":"json_object"}}`},
		{`{"response_format":{"type":"json_schema","schema":{"a":1}}}`, `{"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"a":1}}}}`},
		{`{"extra":{"user":"ann","stream":true}}`, `{}`},
		{`{"b":1,"a":2}`, `{"a":2,"b":1}`},
	}
	for _, pair := range same {
		a, b := llm.Identity("llm.call", parse(t, pair[0])), llm.Identity("llm.stream", parse(t, pair[1]))
		if !value.Equal(a, b) {
			t.Errorf("%s and %s", a, b)
		}
	}
	if value.Equal(llm.Identity("llm.call", value.Object()), llm.Identity("llm.embed", value.Object())) {
		t.Error("an embedding is no answer")
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{}`: false, `{"sensitive":true}`: true, `{"sensitive":false}`: false, `{"sensitive":"false"}`: false,
		`{"sensitive":"yes"}`: true, `{"sensitive":null}`: false, `{"sensitive":0}`: false, `{"sensitive":[]}`: true, `{"sensitive":""}`: false,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a TEA_NOCACHE b"}]}]}`: true,
		`{"messages":[{"role":"user","content":"tea_nocache"}]}`:                              false,
		`{"input":["x","TEA_NOCACHE"]}`:                                                       true,
		`{"model":"TEA_NOCACHE"}`:                                                             false,
	} {
		if got := llm.Private(parse(t, text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestPromptText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"messages":[{"role":"system","content":"Be kind"},{"role":"user","content":["a",{"type":"image_url","image_url":"https://a/b"}]},
		  {"role":"assistant","tool_calls":[{"id":"1","name":"look","arguments":{"q":1}}]},{"role":"tool","tool_call_id":"1","content":{"n":2}}]}`: "system: Be kind\nuser: a [image https://a/b]\nassistant: look({\"q\":1})\ntool: {\"n\":2}",
		`{"input":["a","b"]}`: "a\nb",
		`{"messages":[7]}`:    "[7]",
		`{}`:                  "",
	} {
		if got := llm.PromptText(parse(t, text)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
