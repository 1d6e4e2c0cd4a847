package schema

import (
	"fmt"
	"reflect"
	"time"

	"github.com/tea-agents/tea/value"
)

// Encode returns x, a struct with tags or any other type that a field may have,
// as a value. Integers stay exact, durations become seconds, nil slices and
// maps become empty ones. Left out are nil pointers and, with omitempty, zero
// values and empty lists and maps. A [value.Value] is kept as it is. The error
// names a type that cannot be declared; whether the result is JSON (a float may
// be NaN) is for [value.Value.Check] to say.
func Encode(x any) (value.Value, error) {
	v := reflect.ValueOf(x)
	if !v.IsValid() {
		return value.Null(), nil
	}
	t, err := newType(v.Type(), nil)
	if err != nil {
		return value.Null(), err
	}
	return t.encode(v), nil
}

// Encode is the package's Encode without compiling the type again. x is of the
// struct type that o was compiled from, or a pointer to one.
func (o *Object) Encode(x any) (value.Value, error) {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() || v.Type() != o.goType {
		return value.Null(), fmt.Errorf("schema: Encode needs a %s, got %T", o.goType, x)
	}
	return o.encode(v), nil
}

func (o *Object) encode(v reflect.Value) value.Value {
	members := make([]value.Member, 0, len(o.fields))
	for i := range o.fields {
		f := &o.fields[i]
		fv := v.FieldByIndex(f.index)
		if f.typ.pointer && fv.IsNil() || f.omitempty && isEmpty(f.typ, fv) {
			continue
		}
		members = append(members, value.M(f.Name, f.typ.encode(fv)))
	}
	return value.Object(members...)
}

func isEmpty(t *typ, v reflect.Value) bool {
	switch {
	case t.pointer:
		return v.IsNil()
	case t.kind == kindList || t.kind == kindMap:
		return v.Len() == 0
	case t.kind == kindAny:
		return asValue(v).IsNull()
	default:
		return v.IsZero()
	}
}

func (t *typ) encode(v reflect.Value) value.Value {
	if t.pointer {
		if v.IsNil() {
			return value.Null()
		}
		v = v.Elem()
	}
	switch t.kind {
	case kindAny:
		return asValue(v)
	case kindLate:
		r, _ := v.Interface().(Rendered)
		return r.Value
	case kindString:
		return value.String(v.String())
	case kindBool:
		return value.Bool(v.Bool())
	case kindInt:
		return value.Int(v.Int())
	case kindFloat:
		return value.Float(v.Float())
	case kindDuration:
		return durationValue(time.Duration(v.Int()))
	case kindStruct:
		return t.object.encode(v)
	default:
		return t.encodeMany(v)
	}
}

func (t *typ) encodeMany(v reflect.Value) value.Value {
	if t.kind == kindList {
		items := make([]value.Value, v.Len())
		for i := range items {
			items[i] = t.elem.encode(v.Index(i))
		}
		return value.List(items...)
	}
	members := make([]value.Member, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		members = append(members, value.M(iter.Key().String(), t.elem.encode(iter.Value())))
	}
	return value.Object(members...)
}

func asValue(v reflect.Value) value.Value {
	out, _ := v.Interface().(value.Value)
	return out
}
