package ioschema

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// Schema is a compiled shape of an object. It is immutable and safe for
// concurrent use.
type Schema struct {
	fields []*field
	whole  *validator // the whole as JSON Schema, or nil
}

// Use says what a schema is for.
type Use uint8

// The uses. Input is also the one for the state. In an Output a key may say where its value comes from: a template
// in place of the type, or `value: template` beside it.
const (
	Input Use = iota
	Output
)

// Compile reads a schema, which must be an object. It returns nil when the
// list has errors.
func Compile(d *spec.Data, use Use) (*Schema, diag.List) {
	c := compiler{use: use}
	s := &Schema{}
	if isJSONSchema(d) {
		s.whole = c.validator(d)
		s.fields = c.softFields(d.Get("properties"))
	} else {
		s.fields = c.fields(d)
	}
	if c.diags.HasErrors() {
		return nil, c.diags
	}
	return s, c.diags
}

// Keys returns the declared keys, in the order of the file.
func (s *Schema) Keys() []string {
	keys := make([]string, len(s.fields))
	for i, f := range s.fields {
		keys[i] = f.key
	}
	return keys
}

// Source is where the value of a key of an Output comes from.
type Source struct {
	Key  string
	From *spec.Data // a string or more with templates; nil: the state's key
}

// Sources returns the declared keys with where their values come from.
func (s *Schema) Sources() []Source {
	sources := make([]Source, len(s.fields))
	for i, f := range s.fields {
		sources[i] = Source{Key: f.key, From: f.source}
	}
	return sources
}

// Conform returns v with defaults filled in and scalars converted. The error is
// of type Problems. Keys that are not declared pass as they are.
func (s *Schema) Conform(v value.Value) (value.Value, error) {
	k := checker{convert: true}
	v = k.object(s.fields, v)
	if s.whole != nil {
		k.validate(s.whole, v)
	}
	return v, k.err()
}

// CheckPresent tells what is wrong with the keys of v that are declared and present.
// It converts nothing. The error is of type Problems.
func (s *Schema) CheckPresent(v value.Value) error {
	k := checker{}
	k.object(s.fields, v)
	if s.whole != nil {
		k.validate(s.whole.partial(), v)
	}
	return k.err()
}

// isJSONSchema tells a JSON Schema of an object from the short form: the short
// form has no key `type` that says "object" and no key that begins with $.
func isJSONSchema(d *spec.Data) bool {
	if t := d.Get("type"); t != nil && t.IsText() && t.Text.Value == "object" {
		return true
	}
	return slices.ContainsFunc(d.Members, func(m spec.Member) bool { return strings.HasPrefix(m.Key.Value, "$") })
}
