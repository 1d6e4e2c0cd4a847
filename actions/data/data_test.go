package dataactions_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tea-agents/tea/actions"
	dataactions "github.com/tea-agents/tea/actions/data"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/value"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	const schema = `{"type": "object", "required": ["name", "age"], "additionalProperties": false, ` +
		`"properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}, "mail": {"type": "string", "format": "email"}, ` +
		`"tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}}}, "$defs": {"tag": {"type": "string", "maxLength": 3}}}`
	a.Yields("data.validate", `{"schema": `+schema+`, "data": {"name": "Ada", "age": 36, "tags": ["a"]}}`,
		`{"error_count":0,"errors":[],"success":true,"valid":true}`)
	got := a.Must("data.validate", `{"schema": `+schema+`, "data": {"age": -1, "mail": "x", "tags": ["a", "long"], "nmae": 1}}`)
	var paths []string
	for _, e := range got.At("errors").Items() {
		if e.At("message").Text() == "" {
			t.Errorf("no message: %s", got)
		}
		paths = append(paths, e.At("path").Text())
	}
	if text := fmt.Sprintf("%q", paths); text != `["" "" "/age" "/mail" "/tags/1"]` || got.At("valid").String() != "false" {
		t.Errorf("%s: %s", text, got)
	}
	a.Yields("data.validate", `{"schema": {"maximum": 9007199254740992}, "data": 9007199254740993}`,
		`{"error_count":1,"errors":[{"message":"must be at most 9007199254740992, got 9007199254740993","path":""}],"success":true,"valid":false}`)
	a.Yields("data.validate", `{"schema": true, "data": 1}`, `{"error_count":0,"errors":[],"success":true,"valid":true}`)
	a.Fails("data.validate", `{"schema": {"type": "strin"}, "data": 1}`, actions.CodeInvalidInput, "schema")
	for _, ref := range []string{"file:///etc/passwd", "https://example.org/s.json", "other.json"} {
		a.Fails("data.validate", `{"schema": {"$ref": "`+ref+`"}, "data": 1}`, actions.CodeInvalidInput, "can refer to itself only")
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for _, tt := range []struct{ input, want string }{
		{`"sources": [{"a": {"x": 1, "l": [1]}}, null, {"a": {"y": 2, "l": [2]}}]`, `{"a":{"l":[2],"x":1,"y":2}}`},
		{`"sources": [{"a": {"x": 1, "l": [1]}}, null, {"a": {"y": 2, "l": [2]}}], "lists": "concat"`, `{"a":{"l":[1,2],"x":1,"y":2}}`},
		{`"sources": [{"a": {"x": 1}, "b": 1}, null, {"a": {"y": 2}}], "strategy": "shallow"`, `{"a":{"y":2},"b":1}`},
		{`"sources": [{"a": 1}, null, {"b": 1}], "strategy": "replace"`, `{"b":1}`},
		{`"sources": [[1], null, [2, 3]], "lists": "concat"`, `[1,2,3]`},
		{`"sources": [[1], null, [2, 3]]`, `[2,3]`},
		{`"sources": [{"a": [1]}, {"a": {"x": 1}}]`, `{"a":{"x":1}}`},
		{`"sources": [{"a": 1}, {"a": null}]`, `{"a":null}`},
	} {
		a.Yields("data.merge", `{`+tt.input+`}`, `{"result":`+tt.want+`,"source_count":2,"success":true}`)
	}
	a.Yields("data.merge", `{"sources": []}`, `{"result":{},"source_count":0,"success":true}`)
	a.Fails("data.merge", `{"sources": [{}, 1]}`, actions.CodeInvalidInput, "sources[1] is a int")
	a.Fails("data.merge", `{"sources": [{}, []]}`, actions.CodeInvalidInput, "sources[1] is a list, but those before it are a object")
}

func TestFilter(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	const data = `[{"n": "Ada", "age": 36, "tags": ["x"], "o": {"id": 1}}, {"n": "Bob", "age": 12.5}, {"n": "Cy", "age": 9007199254740993}]`
	for condition, want := range map[string]string{
		`"where": "item.age > 18"`:                                                                                        `Ada Cy `,
		`"where": "{{ item.n in ['Bob', 'Cy'] and index < 2 }}"`:                                                          `Bob `,
		`"match": {"n": "Ada"}`:                                                                                           `Ada `,
		`"match": {"o.id": 1.0}`:                                                                                          `Ada `,
		`"match": {"age": 36}, "where": "item.n == 'Bob'"`:                                                                ``,
		`"predicate": {"field": "n", "value": "Bob"}`:                                                                     `Bob `,
		`"predicate": {"field": "n", "op": "ne", "value": "Bob"}`:                                                         `Ada Cy `,
		`"predicate": {"field": "age", "op": "gt", "value": 9007199254740992}`:                                            `Cy `,
		`"predicate": {"field": "age", "op": "lte", "value": 12.5}`:                                                       `Bob `,
		`"predicate": {"field": "age", "op": "lt", "value": "x"}`:                                                         ``,
		`"predicate": {"field": "n", "op": "gte", "value": "Bob"}`:                                                        `Bob Cy `,
		`"predicate": {"field": "n", "op": "in", "value": ["Ada", "Cy"]}`:                                                 `Ada Cy `,
		`"predicate": {"field": "n", "op": "not_in", "value": ["Ada", "Cy"]}`:                                             `Bob `,
		`"predicate": {"field": "tags", "op": "contains", "value": "x"}`:                                                  `Ada `,
		`"predicate": {"field": "o", "op": "contains", "value": "id"}`:                                                    `Ada `,
		`"predicate": {"field": "n", "op": "contains", "value": "o"}`:                                                     `Bob `,
		`"predicate": [{"field": "n", "op": "startswith", "value": "A"}, {"field": "n", "op": "endswith", "value": "a"}]`: `Ada `,
		`"predicate": {"field": "missing", "value": null}`:                                                                `Ada Bob Cy `,
	} {
		got := a.Must("data.filter", `{"data": `+data+`, `+condition+`}`)
		names := ""
		for _, item := range got.At("result").Items() {
			names += item.At("n").Text() + " "
		}
		if names != want || got.At("original_count").String() != "3" || got.At("filtered_count").String() != fmt.Sprint(got.At("result").Len()) {
			t.Errorf("%s: %s, want %s: %s", condition, names, want, got)
		}
	}
}

func TestFilterKnowsTheFiltersOfTheProgram(t *testing.T) {
	t.Parallel()
	set, err := filters.NewSet(filters.Filter{
		Name: "shout", Doc: "Adds a mark.", Example: "{{ 'a' | shout }} => a!",
		Apply: func(_ context.Context, in value.Value, _ filters.Args) (value.Value, error) {
			return value.String(in.Text() + "!"), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const input = `{"data": ["a", "b"], "where": "item | shout == 'a!'"}`
	newAgent(t, func(e *actions.Env) { e.Filters = set }).
		Yields("data.filter", input, `{"filtered_count":1,"original_count":2,"result":["a"],"success":true}`)
	newAgent(t, func(e *actions.Env) { e.Filters = nil }).
		Fails("data.filter", input, actions.CodeInvalidInput, "shout")
}

func TestFilterRefusals(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for condition, want := range map[string]string{
		`"data": []`:                          "give where, match or predicate",
		`"data": [], "where": "item.a >"`:     "where",
		`"data": [{}], "where": "item.a > 1"`: "where, at item 0",
		`"data": [], "predicate": {"field": "a", "op": "equals", "value": 1}`: `unknown op "equals"`,
		`"data": [], "predicate": [{"field": "a", "value": 1}, {"value": 1}]`: "predicate[1]: needs field",
		`"data": [], "predicate": {"field": "a"}`:                             "needs value",
		`"data": [], "predicate": {"field": "a", "val": 1}`:                   `unknown key "val"`,
	} {
		a.Fails("data.filter", `{`+condition+`}`, actions.CodeInvalidInput, want)
	}
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, dataactions.Actions(), change)
}
