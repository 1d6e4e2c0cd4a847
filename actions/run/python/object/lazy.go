package object

import (
	"math"
	"math/big"

	"github.com/tea-agents/tea/value"
)

// FromValue makes a Python value of a JSON value. Lists and objects are
// converted one level at a time, when code first looks into them.
func FromValue(v value.Value) Object {
	switch v.Kind() {
	case value.KindBool:
		b, _ := v.AsBool()
		return Bool(b)
	case value.KindInt:
		if i, ok := v.AsInt(); ok {
			return Int(i)
		}
		b, _ := v.AsBigInt()
		return NewInt(b)
	case value.KindFloat:
		f, _ := v.AsFloat()
		return Float(f)
	case value.KindString:
		return NewStr(v.Text())
	case value.KindList:
		return &List{src: v, lazy: true}
	case value.KindObject:
		return &Dict{src: v, lazy: true}
	case value.KindSecret:
		return &SecretText{v: v}
	}
	return NoneType{}
}

func (l *List) load() {
	l.lazy = false
	l.items = make([]Object, 0, l.src.Len())
	for _, v := range l.src.Items() {
		l.items = append(l.items, FromValue(v))
	}
}

func (d *Dict) load() {
	d.lazy = false
	d.entries = make([]entry, 0, d.src.Len())
	for k, v := range d.src.Members() {
		key := NewStr(k)
		d.add(Key{kind: keyStr, s: key.s}, key, FromValue(v))
	}
}

// Untouched returns the JSON value that o was made of, if code has not looked
// into it since.
func Untouched(o Object) (value.Value, bool) {
	switch o := o.(type) {
	case *List:
		return o.src, o.lazy
	case *Dict:
		return o.src, o.lazy
	}
	return value.Value{}, false
}

// SecretText is text that holds a secret. Code can pass it on, not read it.
type SecretText struct{ v value.Value }

// TypeName implements Object.
func (*SecretText) TypeName() string { return "secret" }

// Repr implements Reprer.
func (*SecretText) Repr(*Thread) (string, error) { return value.Mask, nil }

// ToValue makes a JSON value of a Python value. What is not JSON is an error
// that begins with subject, such as "state key `x`".
func ToValue(t *Thread, o Object, subject string) (value.Value, error) {
	c := converter{t: t, subject: subject}
	return c.convert(o)
}

type converter struct {
	t       *Thread
	subject string
}

func (c *converter) fail(what, hint string) error {
	return Errorf("TypeError", "%s: %s is not JSON", c.subject, what).WithHint("%s", hint)
}

func (c *converter) convert(o Object) (value.Value, error) {
	if v, ok := Untouched(o); ok {
		return v, nil
	}
	switch o := o.(type) {
	case nil, NoneType:
		return value.Null(), nil
	case Bool:
		return value.Bool(bool(o)), nil
	case Int:
		return value.Int(int64(o)), nil
	case *Big:
		return value.BigInt(new(big.Int).Set(o.v)), nil
	case Float:
		if math.IsNaN(float64(o)) || math.IsInf(float64(o), 0) {
			return value.Value{}, c.fail(plainRepr(o), "use None for a number that is not there")
		}
		return value.Float(float64(o)), nil
	case *Str:
		return value.String(o.s), nil
	case *SecretText:
		return o.v, nil
	case *List:
		return c.list(o.items)
	case *Tuple:
		return c.list(o.items)
	case *Dict:
		return c.dict(o)
	}
	return value.Value{}, c.notJSON(o)
}

func (c *converter) notJSON(o Object) error {
	switch o.(type) {
	case *Set:
		return c.fail("a "+o.TypeName(), "use sorted(...) or list(...)")
	case Bytes:
		return c.fail("a bytes object", "use .decode(), .hex() or base64.b64encode(...).decode()")
	case *Range, *View, *Iter, Iterator:
		return c.fail("a "+o.TypeName(), "use list(...)")
	case Callable, Type, *Module:
		return c.fail("a "+o.TypeName(), "store data only; did you forget to call it?")
	}
	name := o.TypeName()
	article := "a "
	if len(name) > 0 && (name[0] == 'a' || name[0] == 'e' || name[0] == 'i' || name[0] == 'o') {
		article = "an "
	}
	return c.fail(article+name, "use str(...)")
}

func (c *converter) list(items []Object) (value.Value, error) {
	if err := c.t.descend("while a value is converted to JSON"); err != nil {
		return value.Value{}, err
	}
	defer c.t.ascend()
	if err := c.t.AllocN(len(items), 48); err != nil {
		return value.Value{}, err
	}
	if err := c.t.Step(uint64(len(items)) + 1); err != nil {
		return value.Value{}, err
	}
	out := make([]value.Value, len(items))
	for i, item := range items {
		v, err := c.convert(item)
		if err != nil {
			return value.Value{}, err
		}
		out[i] = v
	}
	return value.List(out...), nil
}

func (c *converter) dict(d *Dict) (value.Value, error) {
	if err := c.t.descend("while a value is converted to JSON"); err != nil {
		return value.Value{}, err
	}
	defer c.t.ascend()
	if err := c.t.AllocN(d.Len(), 64); err != nil {
		return value.Value{}, err
	}
	if err := c.t.Step(uint64(d.Len()) + 1); err != nil {
		return value.Value{}, err
	}
	members := make([]value.Member, 0, d.Len())
	seen := make(map[string]struct{}, d.Len())
	for k, item := range d.All() {
		name, ok := JSONKey(k)
		if !ok {
			return value.Value{}, c.fail("a "+k.TypeName()+" as the key of a dict", "use str(...) for the key")
		}
		if _, dup := seen[name]; dup {
			return value.Value{}, Errorf("ValueError", "%s: two keys of a dict are both %q in JSON", c.subject, name)
		}
		seen[name] = struct{}{}
		v, err := c.convert(item)
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.M(name, v))
	}
	return value.Object(members...), nil
}

// JSONKey is the text that json.dumps writes for a key of a dictionary.
func JSONKey(k Object) (string, bool) {
	switch k := k.(type) {
	case *Str:
		return k.s, true
	case NoneType:
		return "null", true
	case Bool:
		if k {
			return "true", true
		}
		return "false", true
	case Int, *Big, Float:
		return plainRepr(k), true
	}
	return "", false
}
