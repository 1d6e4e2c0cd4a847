package ioschema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// compiler collects the problems of a schema.
type compiler struct {
	use   Use
	diags diag.List
}

func (c *compiler) at(d *spec.Data, code, format string, args ...any) *diag.Diagnostic {
	p := c.diags.Add(d.Pos, code, format, args...)
	p.Width = d.Width()
	return p
}

func (c *compiler) fields(d *spec.Data) []*field {
	fields := make([]*field, 0, len(d.Members))
	for _, m := range d.Members {
		f := c.field(m.Value, true)
		f.key = m.Key.Value
		fields = append(fields, f)
	}
	return fields
}

// field compiles one declaration. Only the outermost ones of an output say
// where a value comes from.
func (c *compiler) field(d *spec.Data, outermost bool) *field {
	source := outermost && c.use == Output
	switch {
	case d.IsText() && source && strings.Contains(d.Text.Value, "{{"):
		return &field{typ: tAny, source: d}
	case d.IsText():
		return &field{typ: c.typ(d)}
	case !d.IsObject():
		c.at(d, "bad_schema", "a declaration must be a type, or a map with `type`").
			Hint = "types: " + strings.Join(shortNames(), ", ")
		return &field{typ: tAny}
	case c.isJSON(d):
		return &field{typ: tAny, json: c.validator(d), required: isTrue(d.Get("required"))}
	}
	f := &field{typ: tAny}
	if t := d.Get("type"); t != nil {
		f.typ = c.typ(t)
	} else if d.Get("properties") != nil {
		f.typ = tDict
	} else if d.Get("items") != nil {
		f.typ = tList
	}
	for i := range d.Members {
		c.option(f, &d.Members[i], source)
	}
	c.checkDefault(f, d)
	return f
}

// isJSON tells whether a declaration uses words of JSON Schema that the short
// form has not.
func (c *compiler) isJSON(d *spec.Data) bool {
	words := []string{"$ref", "$schema", "anyOf", "oneOf", "allOf", "not", "enum", "const", "format", "minLength", "maxLength",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems",
		"additionalProperties", "patternProperties", "propertyNames", "prefixItems", "contains"}
	for _, m := range d.Members {
		listed := (m.Key.Value == "required" || m.Key.Value == "type") && m.Value.IsList()
		if listed || slices.Contains(words, m.Key.Value) {
			return true
		}
	}
	return false
}

func (c *compiler) typ(d *spec.Data) typ {
	t, ok := typeNames()[d.Text.Value]
	if !ok || !d.IsText() {
		hint := diag.Suggest(d.Text.Value, slices.Collect(maps.Keys(typeNames())))
		if hint = fmt.Sprintf("did you mean %q?", hint); hint == `did you mean ""?` {
			hint = "types: " + strings.Join(shortNames(), ", ")
		}
		c.at(d, "unknown_type", "unknown type %q", d.Text.Value).Hint = hint
		return tAny
	}
	return t
}

// option reads one key of a declaration.
func (c *compiler) option(f *field, m *spec.Member, source bool) {
	d := m.Value
	switch m.Key.Value {
	case "type", "description", "title", "example", "examples":
	case "required":
		f.required = c.bool(m)
	case "default":
		v := d.Value()
		f.fallback = &v
	case "min":
		f.min = c.number(f, m)
	case "max":
		f.max = c.number(f, m)
	case "min_length":
		f.minLen = c.length(f, m)
	case "max_length":
		f.maxLen = c.length(f, m)
	case "pattern":
		f.pattern = c.pattern(f, m)
	case "choices":
		f.choices = c.choices(m)
	case "properties":
		f.properties = c.properties(f, m)
	case "items":
		c.fits(f, m, tList)
		f.items = c.field(d, false)
	case "value":
		if source {
			f.source = d
			return
		}
		fallthrough
	default:
		c.unknown(m, source)
	}
}

func (c *compiler) unknown(m *spec.Member, source bool) {
	if strings.HasPrefix(m.Key.Value, "x-") {
		return
	}
	known := []string{"type", "description", "required", "default", "min", "max", "min_length", "max_length", "pattern",
		"choices", "properties", "items"}
	if source {
		known = append(known, "value")
	}
	p := c.diags.Add(m.Key.Pos, "unknown_key", "unknown key %q in a declaration", m.Key.Value)
	p.Width, p.Hint = m.Key.Width(), diag.DidYouMean(m.Key.Value, known)
}

// checkDefault checks the default and the choices against the declaration.
func (c *compiler) checkDefault(f *field, d *spec.Data) {
	if f.fallback == nil || f.fallback.IsNull() {
		return
	}
	k := checker{convert: true}
	v := k.value(f, *f.fallback)
	f.fallback = &v
	for _, problem := range k.problems {
		c.at(d.Get("default"), "bad_schema", "the default does not fit: %s", problem.Message)
	}
}

func isTrue(d *spec.Data) bool {
	if d == nil {
		return false
	}
	b, _ := d.Scalar.AsBool()
	return b
}

func (c *compiler) bool(m *spec.Member) bool {
	b, ok := m.Value.Scalar.AsBool()
	if !ok {
		c.at(m.Value, "bad_schema", "`%s` must be true or false", m.Key.Value)
	}
	return b
}

// fits complains when an option does not go with the field's type.
func (c *compiler) fits(f *field, m *spec.Member, types ...typ) {
	if f.typ == tAny || slices.Contains(types, f.typ) {
		return
	}
	p := c.diags.Add(m.Key.Pos, "bad_schema", "`%s` does not go with the type %s", m.Key.Value, f.typ)
	p.Width = m.Key.Width()
}

func (c *compiler) number(f *field, m *spec.Member) *value.Value {
	c.fits(f, m, tInt, tFloat, tNumber)
	v := m.Value.Value()
	if _, ok := v.AsFloat(); !ok {
		c.at(m.Value, "bad_schema", "`%s` must be a number", m.Key.Value)
		return nil
	}
	return &v
}

func (c *compiler) length(f *field, m *spec.Member) *int {
	c.fits(f, m, tStr, tList, tDict)
	n, ok := m.Value.Scalar.AsInt()
	if !ok || n < 0 || n > 1<<40 {
		c.at(m.Value, "bad_schema", "`%s` must be a whole number from 0", m.Key.Value)
		return nil
	}
	i := int(n)
	return &i
}

func (c *compiler) pattern(f *field, m *spec.Member) *regexp.Regexp {
	c.fits(f, m, tStr)
	re, err := regexp.Compile(m.Value.Text.Value)
	if err != nil || !m.Value.IsText() {
		c.at(m.Value, "bad_schema", "`pattern` must be a regular expression").Hint = reason(err)
		return nil
	}
	return re
}

func reason(err error) string {
	if err == nil {
		return "quote it"
	}
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

func (c *compiler) choices(m *spec.Member) []value.Value {
	if !m.Value.IsList() || len(m.Value.Items) == 0 {
		c.at(m.Value, "bad_schema", "`choices` must be a list of values")
		return nil
	}
	return slices.Collect(func(yield func(value.Value) bool) {
		for _, item := range m.Value.Items {
			if !yield(item.Value()) {
				return
			}
		}
	})
}

func (c *compiler) properties(f *field, m *spec.Member) []*field {
	c.fits(f, m, tDict)
	if !m.Value.IsObject() {
		c.at(m.Value, "bad_schema", "`properties` must be a map of declarations")
		return nil
	}
	inner := compiler{use: Input}
	fields := inner.fields(m.Value)
	c.diags = append(c.diags, inner.diags...)
	return fields
}
