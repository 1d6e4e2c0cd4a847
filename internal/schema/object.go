package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tea-agents/tea/value"
)

// Rendered is the type of a field with mode:"late": the outcome of rendering
// its template, whose failure is the receiver's to judge.
type Rendered struct {
	Value value.Value // what the template gave; null when it failed
	Err   error       // why it failed, or nil
	Set   bool        // whether the key was there at all, be it with null
}

// Given tells whether the key is there. Its template's failure, null and an empty
// text are errors: what should have narrowed a choice does not.
func (r Rendered) Given() (bool, error) {
	switch {
	case r.Err != nil:
		return false, r.Err
	case !r.Set:
		return false, nil
	case r.Value.IsNull():
		return false, errors.New("it is null")
	case value.Equal(r.Value, value.String("")):
		return false, errors.New("it is empty")
	}
	return true, nil
}

// Mode says how the engine treats a field's text before it is decoded.
type Mode string

// The modes.
const (
	ModeTemplate Mode = ""     // rendered; a failure fails the call
	ModeExpr     Mode = "expr" // an expression, handed over as it is
	ModeLate     Mode = "late" // rendered; a failure is handed over
)

// Field is one declared key of an object.
type Field struct {
	Name     string
	Doc      string
	Type     string      // for people, such as "list of string"
	Enum     []string    // the strings allowed, or nil
	Default  value.Value // null: none
	Example  value.Value // null: none
	Min, Max string      // as declared, or ""
	Required bool
	Mode     Mode
	Object   *Object // of a struct, or of the structs in a list or map; else nil

	typ       *typ
	index     []int // path of the Go field through embedded structs
	omitempty bool
}

// Object is a compiled struct declaration. It is immutable and safe for
// concurrent use.
type Object struct {
	goType reflect.Type
	fields []Field
	names  []string // of fields, in declared order
}

// For compiles the declaration of the struct type T. The error names
// everything that is malformed in it.
func For[T any]() (*Object, error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct || t == valueType || t == renderedType {
		return nil, fmt.Errorf("schema: %s is not a struct with tags", t)
	}
	return compile(t, nil)
}

// compile builds the object of a struct type; outer are the structs around it.
func compile(t reflect.Type, outer []reflect.Type) (*Object, error) {
	if slices.Contains(outer, t) {
		return nil, fmt.Errorf("schema: %s contains itself", t)
	}
	o := &Object{goType: t}
	err := o.collect(t, nil, append(slices.Clone(outer), t))
	for i, f := range o.fields {
		if slices.Contains(o.names, f.Name) {
			err = errors.Join(err, fmt.Errorf("schema: %s declares %q twice", t, f.Name))
		}
		o.names = append(o.names, o.fields[i].Name)
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// collect appends the fields of the struct t, which is reached from the object
// by index.
func (o *Object) collect(t reflect.Type, index []int, outer []reflect.Type) error {
	var errs []error
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		tag, tagged := sf.Tag.Lookup("json")
		if tag == "-" {
			continue
		}
		if sf.Anonymous && !tagged && sf.Type.Kind() == reflect.Struct {
			if slices.Contains(outer, sf.Type) {
				errs = append(errs, fmt.Errorf("schema: %s contains itself", sf.Type))
				continue
			}
			errs = append(errs, o.collect(sf.Type, at, append(slices.Clone(outer), sf.Type)))
			continue
		}
		if !sf.IsExported() {
			if tagged {
				errs = append(errs, fmt.Errorf("schema: %s.%s has tags but is not exported", t, sf.Name))
			}
			continue
		}
		f, err := newField(sf, at, outer)
		if err != nil {
			errs = append(errs, fmt.Errorf("schema: %s.%s: %w", t, sf.Name, err))
			continue
		}
		o.fields = append(o.fields, f)
	}
	return errors.Join(errs...)
}

// Fields returns the fields in declared order.
func (o *Object) Fields() []Field { return slices.Clone(o.fields) }

// Field returns the field called name, and whether there is one.
func (o *Object) Field(name string) (Field, bool) {
	i := slices.Index(o.names, name)
	if i < 0 {
		return Field{}, false
	}
	return o.fields[i], true
}

// Names returns the names of the fields in declared order.
func (o *Object) Names() []string { return slices.Clone(o.names) }
