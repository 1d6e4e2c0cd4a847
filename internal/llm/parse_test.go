package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// refused checks an error and that it names all that is wrong.
func refused(t *testing.T, what string, err error, wants ...string) {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.InvalidInput {
		t.Errorf("%s: got %v", what, err)
		return
	}
	for _, want := range wants {
		if !strings.Contains(e.Message, want) {
			t.Errorf("%s: %q lacks %q", what, e.Message, want)
		}
	}
}

func TestParseMessages(t *testing.T) {
	t.Parallel()
	got, err := llm.ParseMessages(parse(t, `[
		{"role":"developer","content":"s"},
		{"role":"user","name":"ann","content":["a",{"type":"text","text":"b"},{"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj","detail":"low"}},
		  {"type":"image_url","image_url":"https://a/b.png"}]},
		{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"1","name":"look","arguments":{"q":1}},
		  {"id":"2","type":"function","function":{"name":"go","arguments":"{\"q\":2}"}},{"id":"3","name":"go","arguments":"{oops"}]},
		{"role":"tool","tool_call_id":"2","content":{"seen":true}},
		{"role":"tool","tool_call_id":"1","name":"mine","content":[1,2]}]`))
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Role != llm.System || got[1].Name != "ann" || len(got[1].Parts) != 4 {
		t.Errorf("got %+v", got[:2])
	}
	image := got[1].Parts[2]
	if string(image.Data) != "abc" || image.MediaType != "image/png" || image.Detail != "low" || image.URL != "" ||
		image.Address() != "data:image/png;base64,YWJj" || got[1].Parts[3].Address() != "https://a/b.png" {
		t.Errorf("images: %+v", got[1].Parts[2:])
	}
	calls := got[2].ToolCalls
	if len(got[2].Parts) != 0 || len(calls) != 3 || !value.Equal(calls[1].Arguments, parse(t, `{"q":2}`)) || calls[2].Arguments.Text() != "{oops" {
		t.Errorf("calls: %+v", calls)
	}
	if got[3].Name != "go" || got[3].Parts[0].Text != `{"seen":true}` || got[4].Name != "mine" || got[4].Parts[0].Text != "[1,2]" {
		t.Errorf("results: %+v", got[3:])
	}
}

func TestParseMessagesRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "must be a list", `[]`: "at least one", `["x"]`: "messages[0] must be an object",
		`[{"role":"usr","content":"x"}]`:                          `did you mean "user"`,
		`[{"content":"x"}]`:                                       "has no role",
		`[{"role":"user"}]`:                                       "has no content",
		`[{"role":"user","content":"x","nmae":"y"}]`:              `did you mean "name"`,
		`[{"role":"user","content":{"a":1}}]`:                     "a text or a list of parts",
		`[{"role":"user","content":[{"type":"txt","text":"x"}]}]`: `did you mean "text"`,
		`[{"role":"user","content":[{"text":"x"}]}]`:              "must be a text, {type",
		`[{"role":"user","content":[{"type":"image_url","image_url":"file:///etc/passwd"}]}]`:          "must be an address",
		`[{"role":"user","content":[{"type":"image_url","image_url":"data:text/plain;base64,YQ=="}]}]`: "of the form data:image/png",
		`[{"role":"user","content":[{"type":"image_url","image_url":"data:image/png;base64,%%"}]}]`:    "holds no base64",
		`[{"role":"tool","content":"x"}]`:                                                                   "needs the tool_call_id",
		`[{"role":"user","content":"x","tool_call_id":"1"}]`:                                                "only a turn of a tool",
		`[{"role":"user","content":"x","tool_calls":[{"id":"1","name":"f"}]}]`:                              "only a turn of the assistant",
		`[{"role":"assistant","tool_calls":[{"name":"f"}]}]`:                                                "needs an id and a name",
		`[{"role":"assistant","tool_calls":[{"id":"1","name":"f","arguments":[1]}]}]`:                       "arguments must be",
		`[{"role":"assistant","tool_calls":{}}]`:                                                            "must be a list",
		`[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","argument":"{}"}}]}]`:          `did you mean "arguments"`,
		`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a/b","detial":"x"}}]}]`: `did you mean "detail"`,
	} {
		_, err := llm.ParseMessages(parse(t, text))
		refused(t, text, err, want)
	}
	_, err := llm.ParseMessages(parse(t, `[{"role":"usr","content":"x"},{"role":"user"}]`))
	refused(t, "all at once", err, "messages[0]", "messages[1]")
	_, err = llm.ParseMessages(value.List(value.Object(value.M("role", value.String("user")), value.M("content", value.Secret("S")))))
	refused(t, "an unresolved secret", err, "secret")
}

func FuzzParseMessages(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":"x"}]`))
	f.Add([]byte(`[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"y"}]}]`))
	f.Add([]byte(`[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj"}}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := value.Parse(data)
		if err != nil {
			return
		}
		messages, err := llm.ParseMessages(v)
		if err != nil {
			refused(t, "any", err)
			return
		}
		if len(messages) != v.Len() {
			t.Fatalf("%d turns of %d", len(messages), v.Len())
		}
		for i, m := range messages {
			if m.Role == "" || len(m.Parts) == 0 && len(m.ToolCalls) == 0 && v.Index(i).At("content").Len() != 0 {
				t.Fatalf("%+v lost something of %s", m, v.Index(i))
			}
		}
	})
}

func TestParseTools(t *testing.T) {
	t.Parallel()
	got, err := llm.ParseTools(parse(t, `[{"name":"a"},{"type":"function","function":{"name":"b","description":"d","strict":true,"parameters":{"type":"object"}}}]`))
	if err != nil || len(got) != 2 || got[0].Parameters.At("type").Text() != "object" || got[1].Description != "d" || !got[1].Strict {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err = llm.ParseTools(parse(t, `[{"nmae":"a"},{"name":"b","parameters":1},{"name":"b","strict":"x"},7]`))
	refused(t, "tools", err, `did you mean "name"`, "tools[0] has no name", "tools[1].parameters", "two tools", "strict must be", "tools[3] must be")
	for text, want := range map[string]string{
		`null`: "", `"auto"`: "auto", `"b"`: "b", `{"type":"function","function":{"name":"a"}}`: "a",
	} {
		if name, err := llm.ParseToolChoice(parse(t, text), got); err != nil || name != want {
			t.Errorf("%s: %q, %v", text, name, err)
		}
	}
	for _, text := range []string{`"any"`, `1`, `{"type":"function"}`} {
		_, err := llm.ParseToolChoice(parse(t, text), got)
		refused(t, text, err, "tool_choice")
	}
}

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`null`: "", `"text"`: "", `{"type":"text"}`: "", `"json_object"`: "json_object", `{"type":"json_schema","schema":{"a":1}}`: "json_schema",
		`{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"a":1}}}`: "json_schema",
	} {
		f, err := llm.ParseFormat(parse(t, text))
		if err != nil || f.Type != want || (want == "json_schema") != (f.Name != "" && f.Schema.Len() == 1) || (want == "") != (f.Instruction() == "") {
			t.Errorf("%s: %+v, %v", text, f, err)
		}
	}
	for text, want := range map[string]string{
		`"json"`: "unknown response_format", `"json_schema"`: "needs its schema", `1`: "must be a string", `{}`: "unknown",
		`{"type":"json_schema"}`: "must be a JSON Schema", `{"type":"json_object","schema":{}}`: "unknown key",
		`{"type":"json_schema","schema":{},"strict":1}`: "strict must be", `{"type":"json_schema","json_schema":{"shcema":{}}}`: "did you mean",
	} {
		_, err := llm.ParseFormat(parse(t, text))
		refused(t, text, err, want)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	own := parse(t, `{"my-model":{"input":1,"output":2},"gpt-4o":{"input":10,"output":10,"cached":5}}`)
	if err := llm.CheckPrices(own); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		prices value.Value
		model  string
		usage  llm.Usage
		want   float64
		known  bool
	}{
		{value.Null(), "gpt-4o", llm.Usage{PromptTokens: 1e6, CompletionTokens: 1e6}, 12.5, true},
		{value.Null(), "gpt-4o-2024-08-06", llm.Usage{PromptTokens: 1e6, CachedTokens: 1e6}, 1.25, true},
		{value.Null(), "gpt-4o-2024-05-13", llm.Usage{PromptTokens: 1e6}, 5, true},
		{value.Null(), "gpt-4o-mini-2024-07-18", llm.Usage{PromptTokens: 1e6}, 0.15, true},
		{value.Null(), "gpt-4o-audio-preview", llm.Usage{PromptTokens: 1e6}, 0, false},
		{value.Null(), "claude-sonnet-4-5-20250929", llm.Usage{PromptTokens: 1e5}, 0.3, true},
		{value.Null(), "claude-opus-4-20250514", llm.Usage{PromptTokens: 1e6}, 15, true},
		{value.Null(), "claude-opus-4-9", llm.Usage{PromptTokens: 1e6}, 0, false},
		{value.Null(), "claude-3-5-haiku-latest", llm.Usage{PromptTokens: 1e6}, 0.8, true},
		{value.Null(), "claude-haiku-5-5", llm.Usage{PromptTokens: 1e5}, 0.01, true},
		{value.Null(), "claude-haiku-5-5", llm.Usage{PromptTokens: 2e5}, 0.1, true},
		{value.Null(), "claude-sonnet-4-5", llm.Usage{PromptTokens: 3e5}, 0, false},
		{value.Null(), "llama3", llm.Usage{PromptTokens: 1}, 0, false},
		{value.Null(), "", llm.Usage{}, 0, false},
		{own, "my-model", llm.Usage{PromptTokens: 1e6, CachedTokens: 5e5, CompletionTokens: 1e6}, 3, true},
		{own, "gpt-4o-2024-08-06", llm.Usage{PromptTokens: 1e6, CachedTokens: 1e6}, 5, true},
		{own, "gpt-4o-mini", llm.Usage{PromptTokens: 1e6}, 0.15, true},
	}
	for _, test := range tests {
		got, known := llm.Cost(test.prices, test.model, test.usage)
		if known != test.known || got < test.want-1e-9 || got > test.want+1e-9 {
			t.Errorf("%s %+v: %v %v, want %v", test.model, test.usage, got, known, test.want)
		}
	}
	refused(t, "prices", llm.CheckPrices(parse(t, `{"a":1,"b":{"inputs":1,"output":-1}}`)), `prices["a"]`, `did you mean "input"`, `prices["b"].output`)
	refused(t, "prices", llm.CheckPrices(parse(t, `[]`)), "must be an object")
}

func BenchmarkCost(b *testing.B) {
	for b.Loop() {
		llm.Cost(value.Null(), "gpt-4o-mini-2024-07-18", llm.Usage{PromptTokens: 1})
	}
}
