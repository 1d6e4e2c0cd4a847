package schema

import (
	"reflect"

	"github.com/tea-agents/tea/value"
)

// Normalize returns in as decoding reads it: defaults filled in, however deep,
// absent and null alike, and scalars converted to the declared types. What is
// not as declared, secrets among it, stays as it is; nothing is checked. Two
// inputs that decode alike have equal normal forms, whatever they leave out and
// however they spell their numbers.
func (o *Object) Normalize(in value.Value) value.Value {
	if in.IsNull() {
		in = value.Object()
	}
	if in.Kind() != value.KindObject {
		return in
	}
	for i := range o.fields {
		f := &o.fields[i]
		v, present := in.Get(f.Name)
		switch {
		case !v.IsNull():
			in = in.With(f.Name, f.typ.normalize(v))
		case !f.Default.IsNull():
			in = in.With(f.Name, f.typ.normalize(f.Default))
		case f.standsEmpty():
			in = in.With(f.Name, f.typ.object.Normalize(value.Object()))
		case present && !f.Required:
			in = in.Without(f.Name)
		}
	}
	return in
}

func (t *typ) normalize(v value.Value) value.Value {
	switch {
	case t.kind == kindAny || t.kind == kindLate || v.IsNull():
		return v
	case t.kind == kindStruct:
		return t.object.Normalize(v)
	case t.kind == kindList && v.Kind() == value.KindList:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = t.elem.normalize(item)
		}
		return value.List(items...)
	case t.kind == kindMap && v.Kind() == value.KindObject:
		members := make([]value.Member, 0, v.Len())
		for key, item := range v.Members() {
			members = append(members, value.M(key, t.elem.normalize(item)))
		}
		return value.Object(members...)
	}
	d, dst := decoder{}, reflect.New(t.goType).Elem()
	if d.value(t, v, dst); len(d.problems) > 0 {
		return v
	}
	return t.encode(dst)
}
