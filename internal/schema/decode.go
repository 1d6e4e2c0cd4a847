package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// Options are the particulars of [Object.DecodeWith].
type Options struct {
	// Late holds, per top-level key, why rendering it failed. A field with
	// mode:"late" receives the error; on any other it is a problem.
	Late map[string]error
	// Private keeps the contents of values out of the messages, because they
	// may be secret.
	Private bool
}

// Decode stores the object in into dst, a pointer to the struct type that o was
// compiled from. The error is of type [Problems] and names everything that is
// wrong; dst is then only partly filled.
func (o *Object) Decode(in value.Value, dst any) error {
	return o.DecodeWith(in, dst, Options{})
}

// DecodeWith is Decode with options.
func (o *Object) DecodeWith(in value.Value, dst any, opts Options) error {
	p := reflect.ValueOf(dst)
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().Type() != o.goType {
		return fmt.Errorf("schema: Decode needs a *%s, got %T", o.goType, dst)
	}
	d := decoder{late: opts.Late, private: opts.Private}
	d.object(o, in, p.Elem())
	return d.problems.Err()
}

// Check finds what can be found wrong with in before it is rendered. A string
// for which isDynamic is true may become anything, so it passes wherever a
// value is expected; keys are always checked.
func (o *Object) Check(in value.Value, isDynamic func(s string) bool) Problems {
	d := decoder{dynamic: isDynamic}
	d.value(&typ{kind: kindStruct, object: o, goType: o.goType}, in, reflect.New(o.goType).Elem())
	return d.problems
}

// decoder walks a value along a declaration and collects what is wrong.
type decoder struct {
	problems Problems
	path     []string
	dynamic  func(string) bool // nil: nothing is
	late     map[string]error  // for the outermost object
	private  bool
}

func (d *decoder) add(code, hint, format string, args ...any) {
	d.problems = append(d.problems, Problem{
		Path: slices.Clone(d.path), Code: code, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// within runs f one step deeper.
func (d *decoder) within(key string, f func()) {
	d.path = append(d.path, key)
	f()
	d.path = d.path[:len(d.path)-1]
}

func (d *decoder) object(o *Object, in value.Value, dst reflect.Value) {
	if in.Kind() != value.KindObject {
		d.add(CodeType, "", "expected an object, got %s", d.describe(in))
		return
	}
	late := d.late
	d.late = nil
	known := 0
	for i := range o.fields {
		f := &o.fields[i]
		v, present := in.Get(f.Name)
		if present {
			known++
		}
		target := dst
		for _, step := range f.index {
			target = target.Field(step)
		}
		if err := late[f.Name]; err != nil {
			d.failed(f, err, target)
			continue
		}
		d.field(f, v, present, target)
	}
	if known != in.Len() {
		d.unknown(o, in)
	}
	for _, name := range slices.Sorted(maps.Keys(late)) {
		if late[name] != nil && !slices.Contains(o.names, name) {
			d.within(name, func() { d.add(CodeRender, "", "%s", late[name]) })
		}
	}
}

// failed takes note of a field whose template could not be rendered.
func (d *decoder) failed(f *Field, err error, dst reflect.Value) {
	if f.typ.kind == kindLate {
		dst.Set(reflect.ValueOf(Rendered{Err: err, Set: true}))
		return
	}
	d.within(f.Name, func() { d.add(CodeRender, "", "%s", err) })
}

func (d *decoder) field(f *Field, v value.Value, present bool, dst reflect.Value) {
	open := f.typ.kind == kindAny || f.typ.kind == kindLate
	if present && (!v.IsNull() || open && !f.typ.pointer) {
		d.path = append(d.path, f.Name)
		d.value(f.typ, v, dst)
		d.path = d.path[:len(d.path)-1]
		return
	}
	switch {
	case f.Required && present:
		d.within(f.Name, func() { d.add(CodeMissing, "", "is required, but null") })
	case f.Required:
		d.add(CodeMissing, f.Doc, "missing required key %q", f.Name)
	case !f.Default.IsNull():
		d.value(f.typ, f.Default, dst)
	case f.standsEmpty():
		d.value(f.typ, value.Object(), dst)
	}
}

// standsEmpty tells whether an absent field is the same as an empty object,
// whose defaults then count. Where an empty object would lack something, an
// absent one is left zero.
func (f *Field) standsEmpty() bool {
	return f.typ.kind == kindStruct && !f.typ.pointer && !f.Required &&
		!slices.ContainsFunc(f.typ.object.fields, func(inner Field) bool { return inner.Required })
}

// unknown names the keys of in that o does not declare.
func (d *decoder) unknown(o *Object, in value.Value) {
	for key := range in.Members() {
		if !slices.Contains(o.names, key) {
			d.within(key, func() {
				d.add(CodeUnknownKey, diag.DidYouMean(key, o.names), "unknown key %q", key)
			})
			d.problems[len(d.problems)-1].Key = true
		}
	}
}
