package hostmod

import (
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func jsonModule() *object.Module {
	return module("json", map[string]fn{"loads": jsonLoads, "dumps": jsonDumps}, map[string]obj{
		"JSONDecodeError": object.Type("JSONDecodeError"),
	})
}

// dumper writes JSON the way Python's json.dumps does.
type dumper struct {
	t                  *thread
	b                  strings.Builder
	indent             string
	multiline, ascii   bool
	sortKeys, allowNaN bool
	itemSep, keySep    string
	fallback           obj
	open               []obj
}

func jsonDumps(t *thread, a args) (obj, error) {
	var x, indent, separators, sortKeys, ascii, fallback, allowNaN, skip obj
	err := a.Bind("dumps", "obj * skipkeys? ensure_ascii? allow_nan? indent? separators? default? sort_keys?",
		&x, &skip, &ascii, &allowNaN, &indent, &separators, &fallback, &sortKeys)
	if err != nil {
		return nil, err
	}
	d := &dumper{t: t, itemSep: ", ", keySep: ": ", fallback: fallback,
		ascii: ascii == nil || object.Truth(ascii), allowNaN: allowNaN == nil || object.Truth(allowNaN),
		sortKeys: sortKeys != nil && object.Truth(sortKeys)}
	if err := d.layout(indent, separators); err != nil {
		return nil, err
	}
	if err := d.value(x, 0); err != nil {
		return nil, err
	}
	return object.NewStr(d.b.String()), nil
}

func (d *dumper) layout(indent, separators obj) error {
	if !object.IsNone(indent) {
		d.multiline, d.itemSep = true, ","
		if s, ok := object.AsStr(indent); ok {
			d.indent = s
		} else {
			n, err := object.IntArg(indent)
			if err != nil {
				return err
			}
			d.indent = strings.Repeat(" ", max(0, min(n, 64)))
		}
	}
	if object.IsNone(separators) {
		return nil
	}
	pair, err := object.Collect(d.t, separators)
	if err != nil {
		return err
	}
	if len(pair) != 2 {
		return object.ValueErrorf("separators must be a pair (item_separator, key_separator)")
	}
	if d.itemSep, err = strArg(pair[0], "dumps"); err != nil {
		return err
	}
	d.keySep, err = strArg(pair[1], "dumps")
	return err
}

func (d *dumper) write(s string) error {
	d.b.WriteString(s)
	if err := d.t.Alloc(int64(len(s))); err != nil {
		return err
	}
	return d.t.Step(uint64(len(s)/64) + 1)
}

func (d *dumper) value(x obj, depth int) error {
	switch x := x.(type) {
	case object.NoneType, object.Bool, object.Int, *object.Big:
		s, _ := object.JSONKey(x)
		return d.write(s)
	case object.Float:
		return d.float(float64(x))
	case *object.Str:
		return d.write(d.quote(x.Text()))
	case *object.List:
		return d.list(x, x.Items(), depth)
	case *object.Tuple:
		return d.list(x, x.Items(), depth)
	case *object.Dict:
		return d.dict(x, depth)
	}
	if object.IsNone(d.fallback) {
		e := object.Errorf("TypeError", "Object of type %s is not JSON serializable", shortType(x))
		return e.WithHint("pass default=str, or convert it first")
	}
	if err := d.t.Descend("in json.dumps"); err != nil {
		return err
	}
	defer d.t.Ascend()
	v, err := object.Call0(d.t, d.fallback, x)
	if err != nil {
		return err
	}
	return d.value(v, depth)
}

func shortType(x obj) string {
	name := x.TypeName()
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (d *dumper) float(f float64) error {
	special := ""
	switch {
	case math.IsNaN(f):
		special = "NaN"
	case math.IsInf(f, 1):
		special = "Infinity"
	case math.IsInf(f, -1):
		special = "-Infinity"
	default:
		return d.write(object.FloatRepr(f))
	}
	if !d.allowNaN {
		return object.ValueErrorf("Out of range float values are not JSON compliant")
	}
	return d.write(special)
}

func (d *dumper) enter(x obj) error {
	if slices.Contains(d.open, x) {
		return object.ValueErrorf("Circular reference detected")
	}
	d.open = append(d.open, x)
	return d.t.Descend("in json.dumps")
}

func (d *dumper) leave() {
	d.open = d.open[:len(d.open)-1]
	d.t.Ascend()
}

func (d *dumper) newline(depth int) error {
	if !d.multiline {
		return nil
	}
	return d.write("\n" + strings.Repeat(d.indent, depth))
}

func (d *dumper) list(x obj, items []obj, depth int) error {
	if len(items) == 0 {
		return d.write("[]")
	}
	if err := d.enter(x); err != nil {
		return err
	}
	defer d.leave()
	for i, item := range items {
		open := d.itemSep
		if i == 0 {
			open = "["
		}
		if err := d.write(open); err != nil {
			return err
		}
		if err := d.newline(depth + 1); err != nil {
			return err
		}
		if err := d.value(item, depth+1); err != nil {
			return err
		}
	}
	if err := d.newline(depth); err != nil {
		return err
	}
	return d.write("]")
}

func (d *dumper) dict(x *object.Dict, depth int) error {
	if x.Len() == 0 {
		return d.write("{}")
	}
	if err := d.enter(x); err != nil {
		return err
	}
	defer d.leave()
	keys, err := object.Collect(d.t, x)
	if err == nil && d.sortKeys {
		err = object.Sort(d.t, keys, nil, false)
	}
	if err != nil {
		return err
	}
	for i, k := range keys {
		open := d.itemSep
		if i == 0 {
			open = "{"
		}
		if err := d.write(open); err != nil {
			return err
		}
		if err := d.member(x, k, depth+1); err != nil {
			return err
		}
	}
	if err := d.newline(depth); err != nil {
		return err
	}
	return d.write("}")
}

func (d *dumper) member(x *object.Dict, k obj, depth int) error {
	name, ok := object.JSONKey(k)
	if !ok {
		return object.TypeErrorf("keys must be str, int, float, bool or None, not %s", k.TypeName())
	}
	if err := d.newline(depth); err != nil {
		return err
	}
	if err := d.write(d.quote(name) + d.keySep); err != nil {
		return err
	}
	v, _, err := x.Get(d.t, k)
	if err != nil {
		return err
	}
	return d.value(v, depth)
}

func (d *dumper) quote(s string) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	unit := func(u uint16) {
		b = append(b, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	for _, r := range s {
		if i := strings.IndexRune("\"\\\n\r\t\b\f", r); i >= 0 {
			b = append(b, '\\', `"\nrtbf`[i])
			continue
		}
		switch {
		case r < ' ':
			unit(uint16(r))
		case r > '~' && d.ascii && r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			unit(uint16(hi))
			unit(uint16(lo))
		case r > '~' && d.ascii:
			unit(uint16(r))
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}
