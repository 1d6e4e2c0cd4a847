package jsonactions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	jsonactions "github.com/tea-agents/tea/actions/json"
	"github.com/tea-agents/tea/internal/grouptest"
)

func TestParse(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for _, tt := range []struct{ input, want string }{
		{`{"text": " [1, 1.0, 123456789012345678901234567890] "}`, `[1,1.0,123456789012345678901234567890]`},
		{`{"text": "null"}`, `null`},
		{`{"text": "nope", "default": {"a": 1}}`, `{"a":1}`},
		{"{\"strict\": false, \"text\": \"Sure:\\n```json\\n{\\\"a\\\": 1}\\n```\\nAnything else?\"}", `{"a":1}`},
		{`{"strict": false, "text": "the list [1, {\"a\": 2}] as you asked"}`, `[1,{"a":2}]`},
		{`{"strict": false, "text": "see {\"a\": [1]} there"}`, `{"a":[1]}`},
	} {
		a.Yields("json.parse", tt.input, `{"data":`+tt.want+`,"success":true}`)
	}
	a.Fails("json.parse", `{"text": "{\"a\": 1,\n \"a\": 2}"}`, actions.CodeInvalidInput, "not JSON: line 2")
	a.Fails("json.parse", `{"text": "Sure: {\"a\": 1}"}`, actions.CodeInvalidInput, "not JSON")
	a.Fails("json.parse", `{"text": "no brackets", "strict": false}`, actions.CodeInvalidInput, "not JSON")
}

func TestStringify(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Yields("json.stringify", `{"data": {"b": "<&>", "a": 9007199254740993}}`, `{"success":true,"text":"{\"a\":9007199254740993,\"b\":\"<&>\"}"}`)
	a.Yields("json.stringify", `{"data": [1, {}], "indent": 4}`, `{"success":true,"text":"[\n    1,\n    {}\n]"}`)
	a.Yields("json.stringify", `{"data": null}`, `{"success":true,"text":"null"}`)
	a.Fails("json.stringify", `{"data": 1, "sort_keys": false}`, actions.CodeInvalidInput, "no order")
}

func TestTransform(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	const data = `{"u": [{"n": "Ada", "age": 36, "id": 9007199254740993}, {"n": "Bob", "age": 12, "id": -9007199254740995}], ` +
		`"o": {"z": 1, "a": 2.5, "m": 3}, "big": 123456789012345678901234567890}`
	for expression, want := range map[string]string{
		"u[0].id":                       `9007199254740993`,
		"u[*].id":                       `[9007199254740993,-9007199254740995]`,
		"big":                           `123456789012345678901234567890`,
		"u[?id == `1`].n":               `[]`,
		"u[?age > `18`].n | [0]":        `"Ada"`,
		"length(u)":                     `2`,
		"sum(u[*].age)":                 `48`,
		"avg(u[*].age)":                 `24`,
		"o.*":                           `[2.5,3,1]`,
		"keys(o)":                       `["a","m","z"]`,
		"values(o)":                     `[2.5,3,1]`,
		"items(o)[0]":                   `["a",2.5]`,
		"u[0].*":                        `[36,9007199254740993,"Ada"]`,
		"missing.*":                     `null`,
		"missing.deep[0].x":             `null`,
		"to_string(big)":                `"123456789012345678901234567890"`,
		"sort_by(u, &age)[*].n":         `["Bob","Ada"]`,
		"{a: o.a, n: u[].n}":            `{"a":2.5,"n":["Ada","Bob"]}`,
		"group_by(u, &n).Ada[0].age":    `36`,
		"merge(o, {a: `null`})":         `{"a":null,"m":3,"z":1}`,
		"u[?contains(n, 'o')].{x: age}": `[{"x":12}]`,
	} {
		got, err := a.Call("json.transform", fmt.Sprintf(`{"data": %s, "expression": %q}`, data, expression))
		if err != nil || got.At("result").String() != want {
			t.Errorf("%s: %s, %v; want %s", expression, got.At("result"), err, want)
		}
	}
}

// TestTransformIsRepeatable: no order of a Go map may show.
func TestTransformIsRepeatable(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	var members []string
	for i := range 30 {
		members = append(members, fmt.Sprintf(`"k%02d": {"v": %d}`, i, i))
	}
	input := fmt.Sprintf(`{"data": {%s}, "expression": "[*.v, keys(@), *.*[]]"}`, strings.Join(members, ","))
	first, err := a.Call("json.transform", input)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		a.Yields("json.transform", input, first.String())
	}
}

func TestTransformRefusals(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for expression, want := range map[string]string{
		"a[":                          "expression",
		"nosuch(@)":                   "nosuch",
		"[?id == `9007199254740993`]": "cannot compare with integers beyond 2^53",
		"&a":                          "yields a function",
		"`1` / `0`":                   "is no number",
		strings.Repeat("a", 10_001):   "longer than",
	} {
		a.Fails("json.transform", fmt.Sprintf(`{"data": [], "expression": %q}`, expression), actions.CodeInvalidInput, want)
	}
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, jsonactions.Actions(), change)
}
