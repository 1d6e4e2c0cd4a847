package ioschema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// validator is a JSON Schema.
type validator struct {
	schema *jsonschema.Schema
	loose  *jsonschema.Schema // without the outermost `required`
}

// partial returns the validator for an object that need not be complete.
func (v *validator) partial() *validator { return &validator{schema: v.loose, loose: v.loose} }

// sealed refuses to load anything: a schema is complete in itself.
type sealed struct{}

// Load implements jsonschema.URLLoader.
func (sealed) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema cannot refer to %s: it must be complete in itself", url)
}

func (c *compiler) validator(d *spec.Data) *validator {
	doc := d.Value()
	if _, listed := doc.Get("required"); listed && doc.At("required").Kind() == value.KindBool {
		doc = doc.Without("required")
	}
	full, err := build(doc)
	if err != nil {
		c.badSchema(d, err)
		return nil
	}
	loose, err := build(doc.Without("required"))
	if err != nil {
		c.badSchema(d, err)
		return nil
	}
	return &validator{schema: full, loose: loose}
}

// build compiles a schema. `format` is checked, not only noted.
func build(doc value.Value) (*jsonschema.Schema, error) {
	const url = "agent:schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(sealed{})
	c.AssertFormat()
	if err := c.AddResource(url, doc.Any()); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// badSchema reports why something is no JSON Schema, at the place in the file
// where that can be told.
func (c *compiler) badSchema(d *spec.Data, err error) {
	if wrapped, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = wrapped.Err
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		c.at(d, "bad_schema", "not a JSON Schema: %s", flat(err.Error()))
		return
	}
	for _, leaf := range leaves(invalid) {
		pos, width := d.Find(leaf.Path, false)
		c.diags = append(c.diags, diag.Diagnostic{Pos: pos, Width: width, Code: "bad_schema", Message: "not a JSON Schema: " + leaf.String()})
	}
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// leaves returns the innermost problems, sorted by path: the others only sum
// them up.
func leaves(e *jsonschema.ValidationError) Problems {
	all := innermost(e)
	slices.SortStableFunc(all, func(a, b Problem) int {
		return cmp.Or(slices.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return all
}

func innermost(e *jsonschema.ValidationError) Problems {
	if len(e.Causes) > 0 {
		var all Problems
		for _, cause := range e.Causes {
			all = append(all, innermost(cause)...)
		}
		return all
	}
	message := e.Error()
	if _, after, found := strings.Cut(message, "\n"); found {
		message = after
	}
	if _, after, found := strings.Cut(message, "': "); found {
		message = after
	}
	return Problems{{Path: slices.Clone(e.InstanceLocation), Message: flat(message)}}
}

func (k *checker) validate(v *validator, instance value.Value) {
	err := v.schema.Validate(instance.Any())
	if err == nil {
		return
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		k.add("%s", flat(err.Error()))
		return
	}
	for _, p := range leaves(invalid) {
		k.problems = append(k.problems, Problem{Path: slices.Concat(k.path, p.Path), Message: p.Message})
	}
}

// softFields are the properties of a JSON Schema as far as values are converted
// and defaults filled in for them.
func (c *compiler) softFields(properties *spec.Data) []*field {
	if properties == nil {
		return nil
	}
	var fields []*field
	for _, m := range properties.Members {
		f := &field{key: m.Key.Value, typ: tAny, soft: true}
		if t := m.Value.Get("type"); t != nil {
			if known, ok := typeNames()[t.Text.Value]; ok && known != tStr {
				f.typ = known
			}
		}
		if d := m.Value.Get("default"); d != nil {
			v := d.Value()
			f.fallback = &v
		}
		fields = append(fields, f)
	}
	return fields
}
