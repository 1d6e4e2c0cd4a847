package schema

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

var validName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// newField compiles one Go field.
func newField(sf reflect.StructField, index []int, outer []reflect.Type) (Field, error) {
	tags, err := parseTags(string(sf.Tag))
	if err != nil {
		return Field{}, err
	}
	f := Field{Doc: tags["doc"], Min: tags["min"], Max: tags["max"], Mode: Mode(tags["mode"]), index: index}
	if err := f.name(tags["json"]); err != nil {
		return Field{}, err
	}
	if f.typ, err = newType(sf.Type, outer); err != nil {
		return Field{}, err
	}
	f.Type, f.Object = f.typ.name(), f.typ.nested()
	_, hasDefault := tags["default"]
	f.Required = !f.omitempty && !f.typ.pointer && !hasDefault
	return f, errors.Join(f.checkMode(), f.constrain(tags), f.literals(tags))
}

// name reads the json tag.
func (f *Field) name(tag string) error {
	name, options, _ := strings.Cut(tag, ",")
	if !validName.MatchString(name) {
		return fmt.Errorf("the json tag must name the field, got %q", tag)
	}
	if options != "" && options != "omitempty" {
		return fmt.Errorf("unknown option %q in the json tag", options)
	}
	f.Name, f.omitempty = name, options == "omitempty"
	return nil
}

func (f *Field) checkMode() error {
	late := f.typ.kind == kindLate
	switch {
	case f.Mode == ModeExpr && f.typ.kind != kindString:
		return errors.New(`mode:"expr" needs a string`)
	case late != (f.Mode == ModeLate):
		return errors.New(`mode:"late" and the type schema.Rendered go together`)
	case !slices.Contains([]Mode{ModeTemplate, ModeExpr, ModeLate}, f.Mode):
		return fmt.Errorf("unknown mode %q", f.Mode)
	}
	return nil
}

// constrain reads enum, min and max into the field's type.
func (f *Field) constrain(tags map[string]string) error {
	if list, ok := tags["enum"]; ok {
		f.Enum = strings.Split(list, ",")
		target := f.typ
		if target.kind == kindList || target.kind == kindMap {
			target = target.elem
		}
		if target.kind != kindString {
			return fmt.Errorf("enum needs a string or a list or map of strings, not %s", f.Type)
		}
		target.enum = f.Enum
	}
	var errMin, errMax error
	f.typ.min, errMin = f.typ.bound(tags, "min")
	f.typ.max, errMax = f.typ.bound(tags, "max")
	return errors.Join(errMin, errMax)
}

// literals reads default and example, which must be what they stand for.
func (f *Field) literals(tags map[string]string) error {
	var errs []error
	for _, l := range []struct {
		tag string
		dst *value.Value
	}{{"default", &f.Default}, {"example", &f.Example}} {
		text, ok := tags[l.tag]
		if !ok {
			continue
		}
		v, err := f.typ.literal(text)
		if err == nil {
			d := decoder{}
			d.value(f.typ, v, reflect.New(f.typ.goType).Elem())
			err = d.problems.Err()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %q: %w", l.tag, text, err))
		}
		*l.dst = v
	}
	return errors.Join(errs...)
}

// parseTags reads a struct tag strictly: an unknown or malformed part, which
// reflect would pass over, is an error.
func parseTags(tag string) (map[string]string, error) {
	known := []string{"json", "doc", "enum", "default", "min", "max", "example", "mode"}
	tags := map[string]string{}
	for rest := strings.TrimSpace(tag); rest != ""; rest = strings.TrimLeft(rest, " ") {
		name, quoted, ok := strings.Cut(rest, ":")
		if !ok {
			return nil, fmt.Errorf("malformed tag at %q", rest)
		}
		prefix, err := strconv.QuotedPrefix(quoted)
		if err != nil {
			return nil, fmt.Errorf("malformed tag %s: %w", name, err)
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown tag %q", name)
		}
		if tags[name], err = strconv.Unquote(prefix); err != nil {
			return nil, fmt.Errorf("malformed tag %s: %w", name, err)
		}
		rest = quoted[len(prefix):]
	}
	return tags, nil
}
