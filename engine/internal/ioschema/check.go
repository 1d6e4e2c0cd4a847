package ioschema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// Problem is one thing that is wrong with a value.
type Problem struct {
	Path    []string // keys, and indices of lists
	Message string
}

// String returns "path: message".
func (p Problem) String() string {
	if len(p.Path) == 0 {
		return p.Message
	}
	return strings.Join(p.Path, ".") + ": " + p.Message
}

// Problems is all that is wrong with a value.
type Problems []Problem

// Error returns all problems, a line each.
func (l Problems) Error() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// checker walks a value along fields.
type checker struct {
	convert  bool // convert scalars, fill in defaults, insist on what is required
	path     []string
	problems Problems
}

func (k *checker) err() error {
	if len(k.problems) == 0 {
		return nil
	}
	return k.problems
}

func (k *checker) add(format string, args ...any) {
	path := append([]string(nil), k.path...)
	k.problems = append(k.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (k *checker) within(key string, f func()) {
	k.path = append(k.path, key)
	f()
	k.path = k.path[:len(k.path)-1]
}

// object checks the declared keys of v. Null counts as not given.
func (k *checker) object(fields []*field, v value.Value) value.Value {
	if v.Kind() != value.KindObject {
		k.add("must be an object, this is %s", kindName(v))
		return v
	}
	for _, f := range fields {
		k.within(f.key, func() {
			m, present := v.Get(f.key)
			if present && !m.IsNull() {
				v = v.With(f.key, k.value(f, m))
				return
			}
			switch {
			case !k.convert:
			case f.fallback != nil:
				v = v.With(f.key, *f.fallback)
			case f.required:
				k.add("is required")
			}
		})
	}
	return v
}

// value checks one value and returns it converted.
func (k *checker) value(f *field, v value.Value) value.Value {
	if k.convert {
		v = convert(f.typ, v)
	}
	if f.soft {
		return v
	}
	if !f.typ.is(v) {
		k.add("must be %s, this is %s", f.typ.article(), describe(v))
		return v
	}
	k.bounds(f, v)
	k.choice(f, v)
	if f.json != nil {
		k.validate(f.json, v)
	}
	if f.properties != nil && v.Kind() == value.KindObject {
		v = k.object(f.properties, v)
	}
	if f.items != nil && v.Kind() == value.KindList {
		v = k.list(f.items, v)
	}
	return v
}

func (k *checker) list(item *field, v value.Value) value.Value {
	out := make([]value.Value, 0, v.Len())
	for i, element := range v.Items() {
		k.within(strconv.Itoa(i), func() { out = append(out, k.value(item, element)) })
	}
	return value.List(out...)
}

func (k *checker) choice(f *field, v value.Value) {
	if f.choices == nil {
		return
	}
	texts := make([]string, len(f.choices))
	for i, c := range f.choices {
		if value.Equal(c, v) || value.Equal(convert(f.typ, c), v) {
			return
		}
		texts[i] = c.String()
	}
	k.add("must be one of %s, this is %s", strings.Join(texts, ", "), describe(v))
}

func (k *checker) bounds(f *field, v value.Value) {
	if x, ok := v.AsFloat(); ok {
		if low, bounded := bound(f.min); bounded && x < low {
			k.add("must be at least %s, this is %s", f.min, v)
		}
		if high, bounded := bound(f.max); bounded && x > high {
			k.add("must be at most %s, this is %s", f.max, v)
		}
	}
	n, unit := length(v)
	if f.minLen != nil && unit != "" && n < *f.minLen {
		k.add("must have at least %d %s, this has %d", *f.minLen, unit, n)
	}
	if f.maxLen != nil && unit != "" && n > *f.maxLen {
		k.add("must have at most %d %s, this has %d", *f.maxLen, unit, n)
	}
	if s, ok := v.AsString(); ok && f.pattern != nil && !f.pattern.MatchString(s) {
		k.add("must match %s, this is %s", f.pattern, describe(v))
	}
}

func bound(v *value.Value) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return v.AsFloat()
}

func length(v value.Value) (n int, unit string) {
	switch v.Kind() {
	case value.KindString:
		return utf8.RuneCountInString(v.Text()), "characters"
	case value.KindList:
		return v.Len(), "elements"
	case value.KindObject:
		return v.Len(), "keys"
	default:
		return 0, ""
	}
}
