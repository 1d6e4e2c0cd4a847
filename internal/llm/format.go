package llm

import (
	"slices"

	"github.com/tea-agents/tea/value"
)

// ParseFormat reads a response_format: "text", "json_object", {type: …}, or a
// schema, {type: json_schema, json_schema: {name, schema, strict}} or {type:
// json_schema, schema, name, strict}. Null is text. A schema without a name is
// called "answer". The error is an *Error of kind InvalidInput.
func ParseFormat(v value.Value) (Format, error) {
	const path = "response_format"
	var p problems
	switch v.Kind() {
	case value.KindNull:
		return Format{}, nil
	case value.KindString:
		f := Format{Type: v.Text()}
		if f.Type == "json_schema" {
			p.add("%s: json_schema needs its schema: {type: json_schema, schema: {…}}", path)
		}
		p.formatType(f.Type)
		return f.plain(), p.err()
	case value.KindObject:
	default:
		p.add("%s must be a string or an object, not a %s", path, v.Kind())
		return Format{}, p.err()
	}
	f := Format{Type: v.At("type").Text()}
	p.formatType(f.Type)
	if f.Type != "json_schema" {
		p.unknown(path, v, "type")
		return f.plain(), p.err()
	}
	p.schema(path, v, &f)
	return f, p.err()
}

// plain gives text its one spelling.
func (f Format) plain() Format {
	if f.Type == "text" {
		f.Type = ""
	}
	return f
}

func (p *problems) formatType(t string) {
	known := []string{"text", "json_object", "json_schema"}
	if !slices.Contains(known, t) {
		p.add("unknown response_format %q%s", t, hint(t, known))
	}
}

// schema reads what a json_schema says besides its type.
func (p *problems) schema(path string, v value.Value, f *Format) {
	body := v.Without("type")
	if inner, ok := v.Get("json_schema"); ok {
		p.unknown(path, v, "type", "json_schema")
		body, path = inner, path+".json_schema"
	}
	p.unknown(path, body, "name", "description", "schema", "strict")
	f.Name, f.Schema = "answer", body.At("schema")
	if name := body.At("name").Text(); name != "" {
		f.Name = name
	}
	if f.Schema.Kind() != value.KindObject {
		p.add("%s.schema must be a JSON Schema, an object", path)
	}
	strict := body.At("strict")
	if b, ok := strict.AsBool(); ok {
		f.Strict = b
	} else if !strict.IsNull() {
		p.add("%s.strict must be true or false", path)
	}
}

// value returns the one spelling of a format, null for text.
func (f Format) value() value.Value {
	if f.Type == "" {
		return value.Null()
	}
	v := value.Object(value.M("type", value.String(f.Type)))
	if f.Type == "json_schema" {
		v = v.With("name", value.String(f.Name)).With("schema", f.Schema).With("strict", value.Bool(f.Strict))
	}
	return v
}

// Instruction asks a model in words for an answer of this form, for providers
// that cannot enforce it. It is "" for text.
func (f Format) Instruction() string {
	switch f.Type {
	case "json_object":
		return "Answer with one JSON object and nothing else: no other words, no code fence."
	case "json_schema":
		return "Answer with one JSON value and nothing else: no other words, no code fence. " +
			"It must match this JSON Schema:\n" + f.Schema.String()
	}
	return ""
}
