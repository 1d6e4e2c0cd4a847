package ioschema_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine/internal/ioschema"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/value"
)

func declare(t *testing.T, yaml string, use ioschema.Use) (*ioschema.Schema, string) {
	t.Helper()
	src := "input_schema:\n  " + strings.ReplaceAll(strings.TrimSpace(yaml), "\n", "\n  ") + "\nnodes: [{name: n, run: ''}]\n"
	a, diags := spec.Parse("a.yaml", []byte(src))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	s, diags := ioschema.Compile(a.InputSchema, use)
	return s, diags.Error()
}

func TestConform(t *testing.T) {
	t.Parallel()
	const all = `
s: {type: str, min_length: 2, max_length: 4, pattern: "^[a-z]+$"}
i: {type: int, min: 1, max: 9}
f: float
n: number
b: bool
l: {type: list, items: int, max_length: 2}
d: {type: dict, properties: {x: {type: int, required: true}, y: {type: str, default: z}}}
c: {type: str, choices: [red, blue]}
`
	tests := []struct{ name, schema, in, want, err string }{
		{"text becomes numbers", all, `{"i":"5","f":"5","n":"7","b":"true"}`, `{"b":true,"f":5.0,"i":5,"n":7}`, ""},
		{"a whole float becomes an integer", all, `{"i":5.0}`, `{"i":5}`, ""},
		{"a number becomes text", `s: str`, `{"s":5}`, `{"s":"5"}`, ""},
		{"integers stay exact", `i: int`, `{"i":"123456789012345678901234567890"}`, `{"i":123456789012345678901234567890}`, ""},
		{"an integer that no float holds stays", `f: float`, `{"f":9007199254740993}`, `{"f":9007199254740993}`, ""},
		{"lists are converted inside", all, `{"l":["1",2]}`, `{"l":[1,2]}`, ""},
		{"objects take defaults inside", all, `{"d":{"x":"1"}}`, `{"d":{"x":1,"y":"z"}}`, ""},
		{"null counts as not given", all, `{"i":null}`, `{"i":null}`, ""},
		{"other keys pass", all, `{"other":[]}`, `{"other":[]}`, ""},
		{"a default fills in", `i: {type: int, default: "3"}`, `{}`, `{"i":3}`, ""},
		{"required", `i: {type: int, required: true}`, `{"i":null}`, ``, `i: is required`},
		{"no object", `i: int`, `[]`, ``, `must be an object, this is a list`},
		{"all problems at once", all, `{"s":"a","i":10,"f":"x","b":"no","l":[1,2,"x"],"d":{},"c":"green"}`, ``, `
s: must have at least 2 characters, this has 1
i: must be at most 9, this is 10
f: must be a number, this is "x"
b: must be true or false, this is "no"
l: must have at most 2 elements, this has 3
l.2: must be a whole number, this is "x"
d.x: is required
c: must be one of "red", "blue", this is "green"`},
		{"pattern", all, `{"s":"AB"}`, ``, `s: must match ^[a-z]+$, this is "AB"`},
		{"JSON Schema", `
type: object
required: [q]
properties: {q: {type: string, minLength: 2}, n: {type: integer, default: 3}}
additionalProperties: false`, `{"q":"x","z":1,"n":"4"}`, ``, "additional properties 'z' not allowed\nq: minLength: got 1, want 2"},
		{"JSON Schema converts", `
type: object
properties: {n: {type: integer}, m: {type: integer, default: 3}}`, `{"n":"4"}`, `{"m":3,"n":4}`, ""},
		{"JSON Schema for a key", `q: {enum: [1, 2]}`, `{"q":3}`, ``, `q: value must be one of 1, 2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, diags := declare(t, tt.schema, ioschema.Input)
			if diags != "" {
				t.Fatal(diags)
			}
			in, err := value.Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Conform(in)
			if message := text(err); message != strings.TrimSpace(tt.err) {
				t.Fatalf("error\n%s\nwant\n%s", message, tt.err)
			}
			if err == nil && got.String() != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheckOnlyLooksAtWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{n: {type: int, required: true}, s: str}`,
		`{type: object, required: [n], properties: {n: {type: integer}, s: {type: string}}}`,
	} {
		s, diags := declare(t, schema, ioschema.Input)
		if diags != "" {
			t.Fatal(diags)
		}
		if err := s.CheckPresent(value.Must(map[string]any{"s": "x"})); err != nil {
			t.Errorf("%s: a missing key is no problem of a state, got %v", schema, err)
		}
		if err := s.CheckPresent(value.Must(map[string]any{"n": "5"})); err == nil {
			t.Errorf("%s: text passes for a number, and a state is not converted", schema)
		}
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	s, diags := declare(t, `
answer: str
text: "{{ state.a }}"
long: {type: int, value: "{{ state.b }}"}`, ioschema.Output)
	if diags != "" {
		t.Fatal(diags)
	}
	var got []string
	for _, src := range s.Sources() {
		got = append(got, src.Key+"="+src.From.Value().String())
	}
	if want := `answer=null text="{{ state.a }}" long="{{ state.b }}"`; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestMistakesInDeclarations(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`q: strng`:                            `a.yaml:2:6: unknown type "strng" (did you mean "string"?)`,
		`q: 5`:                                "a.yaml:2:6: a declaration must be a type, or a map with `type` (types: any, str, int, float, bool, list, dict)",
		`q: {type: int, minn: 3}`:             `a.yaml:2:18: unknown key "minn" in a declaration (did you mean "min"?)`,
		`q: {type: int, pattern: x}`:          "a.yaml:2:18: `pattern` does not go with the type int",
		`q: {type: str, pattern: "("}`:        "a.yaml:2:27: `pattern` must be a regular expression (missing closing ): `(`)",
		`q: {type: int, default: x}`:          `a.yaml:2:27: the default does not fit: must be a whole number, this is "x"`,
		`q: {type: int, required: 3}`:         "a.yaml:2:28: `required` must be true or false",
		`q: {type: int, min: x}`:              "a.yaml:2:23: `min` must be a number",
		`q: {type: str, min_length: -1}`:      "a.yaml:2:30: `min_length` must be a whole number from 0",
		`q: {choices: []}`:                    "a.yaml:2:16: `choices` must be a list of values",
		`q: {properties: []}`:                 "a.yaml:2:19: `properties` must be a map of declarations",
		`q: {type: str, value: "{{ x }}"}`:    `a.yaml:2:18: unknown key "value" in a declaration (known: choices, default, description, items, max, max_length, min, min_length, pattern, properties, required, type)`,
		`{type: object, properties: 5}`:       "a.yaml:2:30: not a JSON Schema: properties: got number, want object",
		`{type: object, $ref: "file:///etc"}`: "",
	} {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			s, got := declare(t, schema, ioschema.Input)
			if s != nil || got == "" || want != "" && got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
