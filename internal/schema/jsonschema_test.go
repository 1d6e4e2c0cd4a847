package schema_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

func compiled(tb testing.TB, o *schema.Object) *jsonschema.Schema {
	tb.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(o.JSONSchema().String()))
	if err != nil {
		tb.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///s.json", doc); err != nil {
		tb.Fatal(err)
	}
	s, err := c.Compile("mem:///s.json")
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func valid(tb testing.TB, s *jsonschema.Schema, v value.Value) bool {
	tb.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(v.String()))
	if err != nil {
		tb.Fatal(err)
	}
	return s.Validate(doc) == nil
}

func TestJSONSchemaSaysWhatIsDeclared(t *testing.T) {
	t.Parallel()
	s := object[request](t).JSONSchema()
	for path, want := range map[string]string{
		"$schema":                     `"https://json-schema.org/draft/2020-12/schema"`,
		"required":                    `["url"]`,
		"additionalProperties":        `false`,
		"properties.url":              `{"description":"Address.","examples":["https://example.org"],"minLength":1,"type":"string"}`,
		"properties.method":           `{"default":"GET","description":"Method.","enum":["GET","POST"],"type":"string"}`,
		"properties.retries.maximum":  `10`,
		"properties.timeout":          `{"default":"30s","description":"Bound.","maximum":3600,"type":["string","number"]}`,
		"properties.tags":             `{"description":"Labels.","items":{"enum":["a","b"],"type":"string"},"maxItems":3,"type":"array"}`,
		"properties.body":             `{"description":"Anything."}`,
		"properties.auth.required":    `["user"]`,
		"properties.steps.items.type": `"object"`,
	} {
		if got := s.At(strings.Split(path, ".")...); got.String() != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestEncodedDataFitsTheJSONSchema(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	s := compiled(t, o)
	rapid.Check(t, func(t *rapid.T) {
		v, err := o.Encode(request{
			URL: rapid.StringN(1, 9, -1).Draw(t, "url"), Method: "POST",
			Retries: rapid.IntRange(0, 10).Draw(t, "retries"),
			Tags:    rapid.SliceOfN(rapid.Just("a"), 0, 3).Draw(t, "tags"),
			Steps:   []auth{{}},
		})
		if err != nil || s.Validate(v.Any()) != nil {
			t.Errorf("%s: %v", v, s.Validate(v.Any()))
		}
	})
}

func TestWhatTheJSONSchemaRefusesIsAProblem(t *testing.T) {
	t.Parallel()
	o := object[request](t)
	s := compiled(t, o)
	for _, text := range []string{
		`{}`, `[]`, `{"url":""}`, `{"url":"u","retries":11}`, `{"url":"u","method":"X"}`, `{"url":"u","x":1}`,
		`{"url":"u","tags":["c"]}`, `{"url":"u","tags":["a","a","a","a"]}`, `{"url":"u","steps":[{}]}`, `{"url":"u","timeout":4000}`,
	} {
		v := parse(t, text)
		if valid(t, s, v) || o.Decode(v, new(request)) == nil {
			t.Errorf("%s: accepted", text)
		}
	}
}
