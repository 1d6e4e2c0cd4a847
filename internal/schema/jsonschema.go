package schema

import (
	"github.com/tea-agents/tea/value"
)

// Draft is the dialect of JSON Schema that [Object.JSONSchema] speaks.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// JSONSchema returns the declaration as a JSON Schema. It describes values of
// the declared types, not the scalars that are converted to them.
func (o *Object) JSONSchema() value.Value {
	return o.jsonSchema().With("$schema", value.String(Draft))
}

func (o *Object) jsonSchema() value.Value {
	properties := make([]value.Member, 0, len(o.fields))
	required := []value.Value{}
	for i := range o.fields {
		f := &o.fields[i]
		properties = append(properties, value.M(f.Name, f.jsonSchema()))
		if f.Required {
			required = append(required, value.String(f.Name))
		}
	}
	s := value.Object(
		value.M("type", value.String("object")),
		value.M("properties", value.Object(properties...)),
		value.M("additionalProperties", value.Bool(false)),
	)
	if len(required) > 0 {
		s = s.With("required", value.List(required...))
	}
	return s
}

func (f *Field) jsonSchema() value.Value {
	s := f.typ.jsonSchema()
	if f.Doc != "" {
		s = s.With("description", value.String(f.Doc))
	}
	if !f.Default.IsNull() {
		s = s.With("default", f.Default)
	}
	if !f.Example.IsNull() {
		s = s.With("examples", value.List(f.Example))
	}
	return s
}

func (t *typ) jsonSchema() value.Value {
	s := value.Object()
	typed := func(names ...string) {
		list := make([]value.Value, len(names))
		for i, n := range names {
			list[i] = value.String(n)
		}
		if len(list) == 1 {
			s = s.With("type", list[0])
		} else {
			s = s.With("type", value.List(list...))
		}
	}
	switch t.kind {
	case kindString:
		typed("string")
	case kindBool:
		typed("boolean")
	case kindInt:
		typed("integer")
	case kindFloat:
		typed("number")
	case kindDuration:
		typed("string", "number")
	case kindList:
		typed("array")
		s = s.With("items", t.elem.jsonSchema())
	case kindMap:
		typed("object")
		s = s.With("additionalProperties", t.elem.jsonSchema())
	case kindStruct:
		s = t.object.jsonSchema()
	}
	return t.jsonConstraints(s)
}

func (t *typ) jsonConstraints(s value.Value) value.Value {
	if t.enum != nil {
		list := make([]value.Value, len(t.enum))
		for i, e := range t.enum {
			list[i] = value.String(e)
		}
		s = s.With("enum", value.List(list...))
	}
	suffix := [...]string{
		kindString: "Length", kindInt: "imum", kindFloat: "imum", kindDuration: "imum",
		kindList: "Items", kindMap: "Properties", kindStruct: "",
	}[t.kind]
	if t.min != nil {
		s = s.With("min"+suffix, t.min.json())
	}
	if t.max != nil {
		s = s.With("max"+suffix, t.max.json())
	}
	return s
}

// json is the bound as a number: an integer where it is one.
func (b *bound) json() value.Value {
	if i, ok := toInt(value.Float(b.num)); ok {
		return value.Int(i)
	}
	return value.Float(b.num)
}
