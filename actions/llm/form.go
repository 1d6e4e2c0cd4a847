package llmactions

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// form is what an answer must be. The zero form is any text.
type form struct {
	json   bool
	schema *jsonschema.Schema // nil: any object
}

// newForm compiles the schema of a format, so that a bad one is found before
// the model is asked.
func newForm(f llm.Format) (form, error) {
	switch f.Type {
	case "json_object":
		return form{json: true}, nil
	case "json_schema":
		s, err := compile(f.Schema)
		if err != nil {
			return form{}, fmt.Errorf("response_format: not a JSON Schema: %s", flat(err.Error()))
		}
		return form{json: true, schema: s}, nil
	}
	return form{}, nil
}

// sealed refuses to load anything: a schema is complete in itself.
type sealed struct{}

// Load implements jsonschema.URLLoader.
func (sealed) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, but must be complete in itself", url)
}

func compile(schema value.Value) (*jsonschema.Schema, error) {
	const address = "answer:schema"
	doc, err := plain(schema)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(sealed{})
	c.AssertFormat()
	if err := c.AddResource(address, doc); err != nil {
		return nil, err
	}
	return c.Compile(address)
}

// plain turns v into what the library takes; numbers stay exact.
func plain(v value.Value) (any, error) {
	text, err := v.Canonical()
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// read returns an answer as data, or what is wrong with it. Where any text
// will do, it returns neither.
func (f form) read(content string) (parsed *value.Value, problem string) {
	if !f.json {
		return nil, ""
	}
	v, err := value.Parse([]byte(unfenced(content)))
	switch {
	case err != nil:
		return nil, "it is not JSON: " + err.Error()
	case f.schema == nil && v.Kind() != value.KindObject:
		return nil, fmt.Sprintf("it is a %s, not an object", v.Kind())
	case f.schema == nil:
		return &v, ""
	}
	doc, err := plain(v)
	if err == nil {
		err = f.schema.Validate(doc)
	}
	if err != nil {
		return nil, mismatch(err)
	}
	return &v, ""
}

// unfenced takes off the Markdown fence that models like to put around JSON.
func unfenced(content string) string {
	text := strings.TrimSpace(content)
	inner, opens := strings.CutPrefix(text, "```")
	inner, closes := strings.CutSuffix(inner, "```")
	if !opens || !closes {
		return text
	}
	return strings.TrimSpace(strings.TrimPrefix(inner, "json"))
}

// mismatch says what of a schema is not kept: the first things of it.
func mismatch(err error) string {
	const most = 3
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return flat(err.Error())
	}
	all := slices.Compact(leaves(invalid))
	if more := len(all) - most; more > 0 {
		all = append(all[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

// leaves returns the innermost problems, sorted by path: the others only sum
// them up.
func leaves(e *jsonschema.ValidationError) []string {
	type leaf struct{ path, message string }
	var all []leaf
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			_, message, _ := strings.Cut(e.Error(), "': ")
			all = append(all, leaf{strings.Join(e.InstanceLocation, "."), flat(cmp.Or(message, e.Error()))})
		}
	}
	walk(e)
	slices.SortStableFunc(all, func(a, b leaf) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.message, b.message))
	})
	out := make([]string, len(all))
	for i, l := range all {
		out[i] = l.message
		if l.path != "" {
			out[i] = l.path + ": " + l.message
		}
	}
	return out
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }
