package schema

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/tea-agents/tea/value"
)

type kind uint8

const (
	kindAny kind = iota
	kindLate
	kindString
	kindBool
	kindInt
	kindFloat
	kindDuration
	kindList
	kindMap
	kindStruct
)

//nolint:gochecknoglobals // constants that Go cannot spell as such
var (
	valueType    = reflect.TypeFor[value.Value]()
	renderedType = reflect.TypeFor[Rendered]()
	durationType = reflect.TypeFor[time.Duration]()
)

// typ is a compiled type with the constraints that its field puts on it.
type typ struct {
	kind     kind
	goType   reflect.Type // with the pointer, if any
	pointer  bool
	elem     *typ    // of a list or map
	object   *Object // of a struct
	enum     []string
	min, max *bound
}

// bound is an inclusive limit: of a number, of a duration in seconds, or of a
// length.
type bound struct {
	text string
	num  float64
}

func newType(t reflect.Type, outer []reflect.Type) (*typ, error) {
	out := &typ{goType: t}
	var err error
	switch {
	case t.Kind() == reflect.Pointer:
		return newPointer(t, outer)
	case t == valueType:
		out.kind = kindAny
	case t == renderedType:
		out.kind = kindLate
	case t == durationType:
		out.kind = kindDuration
	case t.Kind() == reflect.Struct:
		out.kind = kindStruct
		out.object, err = compile(t, outer)
	case t.Kind() == reflect.Slice:
		out.kind = kindList
		out.elem, err = newType(t.Elem(), outer)
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		out.kind = kindMap
		out.elem, err = newType(t.Elem(), outer)
	default:
		out.kind, err = scalarKind(t)
	}
	if err == nil && out.elem != nil && out.elem.kind == kindLate {
		err = fmt.Errorf("unsupported type %s", t)
	}
	return out, err
}

func newPointer(t reflect.Type, outer []reflect.Type) (*typ, error) {
	inner, err := newType(t.Elem(), outer)
	if err != nil {
		return nil, err
	}
	if inner.pointer || inner.kind == kindLate {
		return nil, fmt.Errorf("unsupported type %s", t)
	}
	inner.goType, inner.pointer = t, true
	return inner, nil
}

func scalarKind(t reflect.Type) (kind, error) {
	switch t.Kind() {
	case reflect.String:
		return kindString, nil
	case reflect.Bool:
		return kindBool, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return kindInt, nil
	case reflect.Float32, reflect.Float64:
		return kindFloat, nil
	default:
		return 0, fmt.Errorf("unsupported type %s", t)
	}
}

// name is the type in words.
func (t *typ) name() string {
	switch t.kind {
	case kindList:
		return "list of " + t.elem.name()
	case kindMap:
		return "map of " + t.elem.name()
	default:
		return [...]string{
			kindAny: "any", kindLate: "any", kindString: "string", kindBool: "boolean",
			kindInt: "integer", kindFloat: "number", kindDuration: "duration", kindStruct: "object",
		}[t.kind]
	}
}

// expected is the type as the object of a sentence.
func (t *typ) expected() string {
	return [...]string{
		kindAny: "anything", kindLate: "anything", kindString: "a string", kindBool: "true or false",
		kindInt: "an integer", kindFloat: "a number", kindDuration: `a duration such as "90m", "30d" or seconds`,
		kindList: "a list", kindMap: "an object", kindStruct: "an object",
	}[t.kind]
}

// nested is the object in t, in its elements, or nil.
func (t *typ) nested() *Object {
	for t.elem != nil {
		t = t.elem
	}
	return t.object
}

// bound reads the tag min or max.
func (t *typ) bound(tags map[string]string, tag string) (*bound, error) {
	text, ok := tags[tag]
	if !ok {
		return nil, nil
	}
	if t.kind == kindDuration {
		d, err := ParseDuration(text)
		return &bound{text: text, num: d.Seconds()}, err
	}
	if t.kind == kindAny || t.kind == kindLate || t.kind == kindBool || t.kind == kindStruct {
		return nil, fmt.Errorf("%s means nothing on a field of type %s", tag, t.name())
	}
	num, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("%s %q is not a number", tag, text)
	}
	return &bound{text: text, num: num}, nil
}

// literal reads the text of a default or example: a string as it is, a
// duration in either form, everything else as JSON.
func (t *typ) literal(text string) (value.Value, error) {
	if t.kind == kindString {
		return value.String(text), nil
	}
	if t.kind == kindDuration {
		if n, ok := number(text); ok {
			return n, nil
		}
		return value.String(text), nil
	}
	return value.Parse([]byte(text))
}
