package filters

import (
	"strings"

	"github.com/tea-agents/tea/value"
)

// method is a method of strings, lists or objects.
type method struct {
	name, signature string
	on              value.Kind
	params          *params
	run             func(e *env, x value.Value, a Args) (value.Value, error)
}

func allMethods() []*method {
	return append(stringMethods(), []*method{
		{name: "get", signature: "(key, default=none)", on: value.KindObject, run: get},
		{name: "keys", on: value.KindObject, run: func(_ *env, x value.Value, _ Args) (value.Value, error) {
			keys, err := elements(x)
			return value.List(keys...), err
		}},
		{name: "values", on: value.KindObject, run: func(_ *env, x value.Value, _ Args) (value.Value, error) {
			items := make([]value.Value, 0, x.Len())
			for _, v := range x.Members() {
				items = append(items, v)
			}
			return value.List(items...), nil
		}},
		{name: "items", on: value.KindObject, run: func(_ *env, x value.Value, _ Args) (value.Value, error) {
			return pairsOf(x), nil
		}},
		{name: "copy", on: value.KindObject, run: itself},
		{name: "copy", on: value.KindList, run: itself},
		{name: "index", signature: "(x)", on: value.KindList, run: listIndex},
		{name: "count", signature: "(x)", on: value.KindList, run: listCount},
	}...)
}

func (n *methodNode) eval(e *env) (operand, error) {
	x, err := n.x.eval(e)
	if err != nil {
		return x, err
	}
	if x.miss != nil {
		return x, x.miss.err(n.at(), ", so it has no ."+n.name+"()")
	}
	if n.name == "cycle" {
		return e.cycle(n)
	}
	m, err := e.method(n, x.v)
	if err != nil {
		return x, err
	}
	if err := m.params.check(n.at(), n.name, n.args); err != nil {
		return x, err
	}
	args, err := e.bind(m.params, n.args)
	if err != nil {
		return x, err
	}
	if err := e.tick(weight(x.v)); err != nil {
		return x, at(n.at(), err)
	}
	v, err := m.run(e, x.v, args)
	if err == nil {
		err = e.made(v)
	}
	if err != nil {
		return x, at(n.at(), err)
	}
	return of(v), nil
}

// method finds the method for the kind of x.
func (e *env) method(n *methodNode, x value.Value) (*method, error) {
	if x.Kind() == value.KindSecret {
		return nil, at(n.at(), errSecret())
	}
	for _, m := range e.set.methods[n.name] {
		if m.on == x.Kind() {
			return m, nil
		}
	}
	what := describe(n.x)
	if what == "" {
		what = "the value"
	}
	f := failAt(n.at(), "%s is %s, which has no .%s()", what, aKind(x), n.name)
	if x.IsNull() {
		f.hint = "if it may be null, say what then: | default(…)"
	}
	return nil, f
}

// cycle is loop.cycle(a, b): one of its arguments after the other.
func (e *env) cycle(n *methodNode) (operand, error) {
	name, ok := n.x.(*nameNode)
	l := e.loop()
	if !ok || name.name != "loop" || l == nil {
		return operand{}, failAt(n.at(), "only loop has .cycle()")
	}
	if len(n.args.pos) == 0 {
		return operand{}, failAt(n.at(), "cycle needs an argument")
	}
	return n.args.pos[l.index%len(n.args.pos)].eval(e)
}

func itself(_ *env, x value.Value, _ Args) (value.Value, error) { return x, nil }

func get(_ *env, x value.Value, a Args) (value.Value, error) {
	if key, ok := keyText(a.Value("key")); ok {
		if v, ok := x.Get(key); ok {
			return v, nil
		}
	}
	return a.Value("default"), nil
}

// pairsOf is the list of [key, value] of an object.
func pairsOf(x value.Value) value.Value {
	pairs := make([]value.Value, 0, x.Len())
	for key, v := range x.Members() {
		pairs = append(pairs, value.List(value.String(key), v))
	}
	return value.List(pairs...)
}

func listIndex(e *env, x value.Value, a Args) (value.Value, error) {
	for i, item := range x.Items() {
		if eq, err := e.equal(item, a.Value("x")); eq || err != nil {
			return value.Int(int64(i)), err
		}
	}
	return value.Null(), failf("%s is not in the list", clip(a.Value("x").String()))
}

func listCount(e *env, x value.Value, a Args) (value.Value, error) {
	n := int64(0)
	for _, item := range x.Items() {
		eq, err := e.equal(item, a.Value("x"))
		if err != nil {
			return value.Null(), err
		}
		if eq {
			n++
		}
	}
	return value.Int(n), nil
}

// joined is the texts of items with sep between them.
func joined(sep string, items []value.Value) (value.Value, error) {
	texts := make([]string, len(items))
	size := 0
	for i, item := range items {
		s, err := Text(item)
		if err != nil {
			return value.Null(), err
		}
		if size += len(s) + len(sep); size-len(sep) > MaxOutput {
			return value.Null(), errTooLarge()
		}
		texts[i] = s
	}
	return value.String(strings.Join(texts, sep)), nil
}
