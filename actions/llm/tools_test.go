package llmactions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

const ask = `{"model": "gpt-4o", "prompt": "x", "tools": `

func TestToolsLoop(t *testing.T) {
	t.Parallel()
	b := newBench(t,
		asks(wish("a", "geo_cities", `{"country": "China"}`), wish("b", "geo_count", `{"country": "India"}`)),
		asks(wish("c", "geo_cities", `{"country": "Atlantis"}`)),
		"Done.")
	got := b.Must("llm.tools", ask+`["geo.*"], "prices": {"gpt-4o": {"input": 1, "output": 1}}}`)
	want := `{"content":"Done.","cost_usd":3.6e-05,"finish_reason":"stop","messages":[` +
		`{"content":"x","role":"user"},` +
		`{"role":"assistant","tool_calls":[{"arguments":{"country":"China"},"id":"a","name":"geo_cities"},{"arguments":{"country":"India"},"id":"b","name":"geo_count"}]},` +
		`{"content":"China ","name":"geo_cities","role":"tool","tool_call_id":"a"},` +
		`{"content":"India ","name":"geo_count","role":"tool","tool_call_id":"b"},` +
		`{"role":"assistant","tool_calls":[{"arguments":{"country":"Atlantis"},"id":"c","name":"geo_cities"}]},` +
		`{"content":"{\"error\":\"it sank\",\"error_type\":\"not_found\"}","name":"geo_cities","role":"tool","tool_call_id":"c"},` +
		`{"content":"Done.","role":"assistant"}],` +
		`"model":"gpt-4o","provider":"openai","rounds":2,"success":true,"tool_calls":[` +
		`{"action":"geo.cities","arguments":{"country":"China"},"name":"geo_cities","result":"China "},` +
		`{"action":"geo.count","arguments":{"country":"India"},"name":"geo_count","result":"India "},` +
		`{"action":"geo.cities","arguments":{"country":"Atlantis"},"error":"it sank","name":"geo_cities"}],` +
		`"usage":{"cached_tokens":0,"completion_tokens":6,"prompt_tokens":30,"total_tokens":36}}`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if ids := strings.Join(b.calls, ", "); ids != "/2 geo.cities, /3 geo.count, /5 geo.cities" {
		t.Errorf("calls %s", ids)
	}
	if told := b.last(t).Messages; len(told) != 6 || told[5].ToolCallID != "c" {
		t.Errorf("the model was told %+v", told)
	}
}

func TestToolDeclarations(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		`["geo.*"]`:                  "geo_cities geo_count",
		`["geo.*", "geo.found"]`:     "geo_cities geo_count geo_found",
		`["geo.count", "geo.*"]`:     "geo_count geo_cities",
		`["geo.all"]`:                "geo_all",
		`["actions.geo_cities"]`:     "geo_cities",
		`["*"]`:                      "geo_cities geo_count mcp_call mcp_tools",
		`["geo.count", "geo.count"]`: "geo_count geo_count_2",
		`["geo.count", {"action": "geo.count", "name": "other", "with": {"country": "x"}}]`: "geo_count other",
		`[{"mcp": {"url": "https://x.example"}, "allow": ["read*"]}]`:                       "read_file read_dir",
		`[{"mcp": {"url": "https://x.example"}, "allow": ["remove"]}]`:                      "remove",
		`["llm.call"]`: "llm_call",
	} {
		b := newBench(t)
		b.Must("llm.tools", ask+list+`}`)
		var names []string
		for _, tool := range b.last(t).Tools {
			names = append(names, tool.Name)
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%s: %v, want %s", list, names, want)
		}
	}
	b := newBench(t)
	b.Must("llm.tools", ask+`["geo.cities", {"action": "geo.cities", "name": "mine", "description": "Mine.", "with": {"country": "China", "token": "t"}}]}`)
	tools := b.last(t).Tools
	if tools[0].Description != "Does geo.cities." || tools[0].Parameters.At("required").String() != `["country"]` {
		t.Errorf("%+v", tools[0])
	}
	if tools[1].Description != "Mine." || tools[1].Parameters.String() !=
		`{"additionalProperties":false,"properties":{"also":{"description":"More."},"limit":{"default":2,"description":"How many.","minimum":1,"type":"integer"}},"type":"object"}` {
		t.Errorf("%+v", tools[1])
	}
}

func TestToolListMistakes(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		`[]`:                                    "tools",
		`["geo.citties"]`:                       `tools[0]: unknown action "geo.citties" (did you mean "geo.cities"?)`,
		`["geo.cities", "geo.x", 7]`:            `tools[1]: unknown action "geo.x"`,
		`["x.*"]`:                               `no action that only reads or computes is called "x.*"`,
		`["geo.f*"]`:                            `no action that only reads`,
		`[{}]`:                                  "want either action or mcp",
		`[{"action": "geo.cities", "mcp": {}}]`: "want either action or mcp",
		`[{"action": "geo.cities", "allow": ["*"]}]`:                    "allow goes with mcp",
		`[{"mcp": {"url": "u"}}]`:                                       "say in allow",
		`[{"mcp": {"url": "u"}, "allow": ["*"], "name": "n"}]`:          "go with action",
		`[{"mcp": {"url": "u"}, "allow": ["reed_dir"]}]`:                `did you mean "read_dir"?`,
		`[{"acton": "geo.cities"}]`:                                     `did you mean "action"?`,
		`[{"action": "geo.cities", "name": "a b"}]`:                     "no name for a tool",
		`["geo.cities", {"action": "geo.count", "name": "geo_cities"}]`: `another tool called "geo_cities"`,
		`[{"action": "geo.cities", "with": {"contry": "x"}}]`:           `has no parameter "contry" (did you mean "country"?)`,
	} {
		b := newBench(t)
		b.Fails("llm.tools", ask+list+`}`, actions.CodeInvalidInput, want)
		if len(b.requests) > 0 {
			t.Errorf("%s: the model was asked", list)
		}
	}
	newBench(t).Fails("llm.tools", ask+`[{"mcp": {"url": "https://down.example"}, "allow": ["*"]}]}`, actions.CodeUnavailable, "down")
}

// TestToolsTheModelGetsWrong shows what the model is told, and that no action
// runs.
func TestToolsTheModelGetsWrong(t *testing.T) {
	t.Parallel()
	const tools = `["geo.cities", {"action": "geo.count", "with": {"country": "China", "token": "hush"}}], "on_tool_error": "fail"}`
	for _, tt := range []struct{ name, arguments, want string }{
		{"geo_citties", `{}`, `there is no tool "geo_citties"; did you mean "geo_cities"?`},
		{"geo.found", `{}`, `there is no tool "geo.found"`},
		{"geo_found", `{"country": "x"}`, `there is no tool "geo_found"`},
		{"geo_cities", `{`, "the arguments are not a JSON object: {"},
		{"geo_cities", `{}`, `missing required key "country"`},
		{"geo_cities", `{"country": "x", "limit": 0}`, "limit"},
		{"geo_cities", `{"country": "x", "lmit": 1}`, `did you mean "limit"?`},
		{"geo_count", `{"token": "mine"}`, `unknown key "token"`},
	} {
		b := newBench(t, asks(wish("a", tt.name, tt.arguments)), "Sorry.")
		got := b.Must("llm.tools", ask+tools)
		run := got.At("tool_calls").Index(0)
		if !strings.Contains(run.At("error").Text(), tt.want) || len(b.calls) > 0 {
			t.Errorf("%s(%s): %s, calls %v", tt.name, tt.arguments, run, b.calls)
		}
		told := b.last(t).Messages
		if v, err := value.Parse([]byte(told[len(told)-1].Parts[0].Text)); err != nil || v.At("error").Text() != run.At("error").Text() {
			t.Errorf("the model was told %+v", told[len(told)-1])
		}
	}
}

func TestFixedParametersStayHidden(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks(wish("a", "geo_cities", `{"country": "China"}`)), "Done.")
	input := value.Must(map[string]any{"model": "gpt-4o", "prompt": "x"}).With("tools", value.List(value.Object(
		value.M("action", value.String("geo.cities")),
		value.M("with", value.Object(value.M("token", value.Secret("T")))))))
	got, err := b.Run(t.Context(), &actions.Call{Action: "llm.tools", Input: input})
	if err != nil {
		t.Fatal(err)
	}
	if result := got.Output.At("tool_calls").Index(0).At("result").Text(); result != "China secret-T" {
		t.Errorf("the action got %q", result)
	}
	if p := b.last(t).Tools[0].Parameters.String(); strings.Contains(p, "token") {
		t.Errorf("the model sees %s", p)
	}
}

func TestToolFailures(t *testing.T) {
	t.Parallel()
	sinks := asks(wish("a", "geo_cities", `{"country": "Atlantis"}`))
	newBench(t, sinks).Fails("llm.tools", ask+`["geo.cities"], "on_tool_error": "fail"}`, actions.CodeNotFound, "tool geo_cities: it sank")
	missing := asks(wish("a", "geo_cities", `{"country": "Laputa"}`))
	newBench(t, missing).Fails("llm.tools", ask+`["geo.cities"]}`, actions.CodeReplayMiss, "not recorded")
	newBench(t, busy(0)).Fails("llm.tools", ask+`["geo.cities"]}`, actions.CodeUnavailable, "busy")
}

func TestToolLimits(t *testing.T) {
	t.Parallel()
	one := wish("a", "geo_cities", `{"country": "China"}`)
	two := asks(one, wish("b", "geo_cities", `{"country": "India"}`))
	for _, tt := range []struct {
		limit, input string
		ran, rounds  int
	}{
		{"max_tool_rounds", `"max_tool_rounds": 2`, 4, 2},
		{"max_calls", `"max_calls": 3`, 3, 2},
		{"max_calls", `"max_calls": 4`, 4, 3},
		{"max_tokens_total", `"max_tokens_total": 24`, 2, 1},
		{"max_tokens_total", `"max_tokens_total": 1`, 0, 0},
	} {
		script := []reply{two, two, two, two}
		newBench(t, script...).Fails("llm.tools", ask+`["geo.cities"], `+tt.input+`}`, actions.CodeTooLarge, tt.limit)
		b := newBench(t, script...)
		got := b.Must("llm.tools", ask+`["geo.cities"], "on_limit": "return", `+tt.input+`}`)
		if got.At("limit").Text() != tt.limit || got.At("finish_reason").Text() != "tool_rounds" || len(b.calls) != tt.ran {
			t.Errorf("%s: %s, calls %v", tt.input, got, b.calls)
		}
		if n := value.Int(int64(tt.rounds)).String(); got.At("rounds").String() != n {
			t.Errorf("%s: %s rounds, want %s", tt.input, got.At("rounds"), n)
		}
		answered(t, got.At("messages"))
	}
	newBench(t, two, "Done.").Must("llm.tools", ask+`["geo.cities"], "max_tool_rounds": 1, "max_calls": 2, "max_tokens_total": 13}`)
}

// answered checks that every tool call has its reply.
func answered(t *testing.T, list value.Value) {
	t.Helper()
	messages, err := llm.ParseMessages(list)
	if err != nil {
		t.Fatal(err)
	}
	open := []string{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			open = append(open, c.ID)
		}
		if i := slices.Index(open, m.ToolCallID); i >= 0 {
			open = slices.Delete(open, i, i+1)
		}
	}
	if len(open) > 0 {
		t.Errorf("no reply to %v in %s", open, list)
	}
}

func TestToolsOfAServer(t *testing.T) {
	t.Parallel()
	b := newBench(t,
		asks(wish("a", "read_file", `{"path": "p"}`), wish("b", "remove", `{}`), wish("c", "read_dir", `nonsense`)),
		"Done.")
	got := b.Must("llm.tools", ask+`[{"mcp": {"url": "https://x.example"}, "allow": ["*"]}]}`).At("tool_calls")
	for i, want := range []string{
		`{"action":"mcp.call","arguments":{"path":"p"},"name":"read_file","result":"read/file{\"path\":\"p\"}{\"url\":\"https://x.example\"}"}`,
		`{"action":"mcp.call","arguments":{},"error":"not allowed","name":"remove"}`,
		`{"action":"mcp.call","arguments":"nonsense","error":"the arguments are not a JSON object: nonsense","name":"read_dir"}`,
	} {
		if got.Index(i).String() != want {
			t.Errorf("call %d: %s, want %s", i, got.Index(i), want)
		}
	}
	if len(b.calls) != 2 {
		t.Errorf("calls %v", b.calls)
	}
}

func TestToolChoiceCountsOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks(wish("a", "geo_cities", `{"country": "China"}`)), "Done.")
	b.Must("llm.tools", ask+`["geo.cities"], "tool_choice": "required", "stream": true, "response_format": "text"}`)
	if b.requests[0].ToolChoice != "required" || b.requests[1].ToolChoice != "" {
		t.Errorf("%q, then %q", b.requests[0].ToolChoice, b.requests[1].ToolChoice)
	}
}

func TestUnknownPricesMakeNoSum(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks(wish("a", "geo_cities", `{"country": "China"}`)), "Done.")
	got := b.Must("llm.tools", `{"model": "own", "api_base": "http://127.0.0.1:1/v1", "prompt": "x", "tools": ["geo.cities"]}`)
	if _, priced := got.Get("cost_usd"); priced {
		t.Errorf("%s", got)
	}
}
