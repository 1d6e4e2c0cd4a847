package hostmod

import (
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func collectionsModule() *object.Module {
	return module("collections", map[string]fn{"namedtuple": newNamedTuple}, map[string]obj{
		"Counter": object.Type("Counter"), "defaultdict": object.Type("defaultdict"),
		"OrderedDict": object.Type("OrderedDict"), "deque": object.Type("collections.deque"),
	})
}

func newCounter(t *thread, a args) (obj, error) {
	d := object.NewDict("Counter")
	return d, d.Count(t, a, false)
}

func newOrderedDict(t *thread, a args) (obj, error) {
	d := object.NewDict("OrderedDict")
	return d, d.Fill(t, a)
}

func newDefaultDict(t *thread, a args) (obj, error) {
	d := object.NewDict("defaultdict")
	if len(a.Pos) > 0 {
		d.Factory = a.Pos[0]
		switch d.Factory.(type) {
		case object.Callable, object.Type, object.NoneType:
		default:
			return nil, object.TypeErrorf("first argument must be callable or None")
		}
		a.Pos = a.Pos[1:]
	}
	return d, d.Fill(t, a)
}

func moveToEnd(t *thread, d *object.Dict, a args) (obj, error) {
	var key obj
	var last obj = object.True
	if err := a.Bind("move_to_end", "key last?", &key, &last); err != nil {
		return nil, err
	}
	v, ok, err := d.Delete(t, key)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &object.Exception{Kind: "KeyError", Args: []obj{key}}
	}
	if object.Truth(last) {
		return object.None(), d.Put(t, key, v)
	}
	rest := object.NewDict("dict")
	if err := rest.Update(t, d); err != nil {
		return nil, err
	}
	d.Clear()
	if err := d.Put(t, key, v); err != nil {
		return nil, err
	}
	return object.None(), d.Update(t, rest)
}

func counterMethods() []object.Method {
	return []object.Method{
		object.On("most_common", func(t *thread, d *object.Dict, a args) (obj, error) {
			var n obj
			if err := a.Bind("most_common", "n?", &n); err != nil {
				return nil, err
			}
			pairs, err := d.MostCommon(t)
			if err != nil {
				return nil, err
			}
			k, err := intOr(n, len(pairs))
			return object.NewList(pairs[:max(0, min(k, len(pairs)))]), err
		}),
		object.On("subtract", func(t *thread, d *object.Dict, a args) (obj, error) {
			return object.None(), d.Count(t, a, true)
		}),
		object.On("total", func(t *thread, d *object.Dict, a args) (obj, error) {
			var sum obj = object.Int(0)
			var err error
			for _, v := range d.All() {
				if sum, err = object.Binary(t, object.Add, sum, v); err != nil {
					return nil, err
				}
			}
			return sum, a.Bind("total", "")
		}),
		object.On("elements", func(t *thread, d *object.Dict, a args) (obj, error) {
			var items []obj
			for k, v := range d.All() {
				n, _ := object.AsInt(v)
				if err := t.AllocN(max(n, 0), 24); err != nil {
					return nil, err
				}
				for range n {
					items = append(items, k)
				}
			}
			return &object.Iter{Name: "itertools.chain", It: object.SliceIter(items), Refs: items}, a.Bind("elements", "")
		}),
	}
}

func newDeque(t *thread, a args) (obj, error) {
	var x, m obj
	if err := a.Bind("deque", "iterable? maxlen?", &x, &m); err != nil {
		return nil, err
	}
	limit, err := intOr(m, 0)
	if err != nil {
		return nil, err
	}
	if limit < 0 || limit == 0 && !object.IsNone(m) {
		return nil, object.ValueErrorf("maxlen must be positive here")
	}
	d := object.NewDeque(nil, limit)
	if x == nil {
		return d, nil
	}
	return d, object.Each(t, x, func(v obj) error { return d.Append(t, v) })
}

func dequeMethods() []object.Method {
	list := func(name string) object.Method {
		m, _ := object.NewWorld().Method("list", name)
		return m
	}
	ms := []object.Method{
		object.On("appendleft", dequeAppendLeft), object.On("popleft", dequePopLeft),
		object.On("extendleft", dequeExtendLeft), object.On("rotate", dequeRotate),
	}
	for _, name := range []string{"append", "extend", "pop", "insert", "remove", "index", "count", "reverse", "copy", "clear"} {
		ms = append(ms, list(name))
	}
	return ms
}

func pushLeft(t *thread, l *object.List, x obj) error {
	items := l.Items()
	if err := t.Alloc(24); err != nil {
		return err
	}
	out := append(append(make([]obj, 0, 2*len(items)+1), x), items...)
	if m := l.MaxLen(); m > 0 && len(out) > m {
		out = out[:m]
	}
	l.Set(out)
	return t.Work(len(items))
}

func dequeAppendLeft(t *thread, l *object.List, a args) (obj, error) {
	var x obj
	if err := a.Bind("appendleft", "x /", &x); err != nil {
		return nil, err
	}
	return object.None(), pushLeft(t, l, x)
}

func dequeExtendLeft(t *thread, l *object.List, a args) (obj, error) {
	var x obj
	if err := a.Bind("extendleft", "iterable /", &x); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	for _, v := range items {
		if err := pushLeft(t, l, v); err != nil {
			return nil, err
		}
	}
	return object.None(), nil
}

func dequePopLeft(_ *thread, l *object.List, a args) (obj, error) {
	if err := a.Bind("popleft", ""); err != nil {
		return nil, err
	}
	items := l.Items()
	if len(items) == 0 {
		return nil, object.Errorf("IndexError", "pop from an empty deque")
	}
	v := items[0]
	items[0] = nil
	l.Set(items[1:])
	return v, nil
}

func dequeRotate(t *thread, l *object.List, a args) (obj, error) {
	var x obj = object.Int(1)
	if err := a.Bind("rotate", "n?", &x); err != nil {
		return nil, err
	}
	n, err := object.IntArg(x)
	if err != nil {
		return nil, err
	}
	items, err := object.Collect(t, l)
	if err != nil || len(items) == 0 {
		return object.None(), err
	}
	cut := (len(items) - n%len(items)) % len(items)
	l.Set(append(append(make([]obj, 0, len(items)), items[cut:]...), items[:cut]...))
	return object.None(), nil
}

func newNamedTuple(t *thread, a args) (obj, error) {
	var name, fields, rename, defaults, module obj
	if err := a.Bind("namedtuple", "typename field_names * rename? defaults? module?", &name, &fields, &rename, &defaults, &module); err != nil {
		return nil, err
	}
	typ := &object.NamedTuple{}
	var err error
	if typ.Name, err = strArg(name, "namedtuple"); err != nil {
		return nil, err
	}
	if s, ok := object.AsStr(fields); ok {
		typ.Fields = strings.Fields(strings.ReplaceAll(s, ",", " "))
	} else if err := object.Each(t, fields, func(v obj) error {
		s, err := strArg(v, "namedtuple")
		typ.Fields = append(typ.Fields, s)
		return err
	}); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, f := range typ.Fields {
		if !object.IsIdentifier(f) || seen[f] || f[0] == '_' {
			return nil, object.ValueErrorf("Type names and field names must be valid identifiers, each once: %s", object.Quote(f))
		}
		seen[f] = true
	}
	if !object.IsNone(defaults) {
		if typ.Defaults, err = object.Collect(t, defaults); err != nil {
			return nil, err
		}
		if len(typ.Defaults) > len(typ.Fields) {
			return nil, object.TypeErrorf("Got more default values than field names")
		}
	}
	return typ, nil
}
