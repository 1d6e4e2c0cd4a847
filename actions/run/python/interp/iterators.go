package interp

import "github.com/tea-agents/tea/actions/run/python/object"

func lazy(name string, refs []obj, next func(t *thread) (obj, bool, error)) obj {
	return &object.Iter{Name: name, It: object.IterFunc(next), Refs: refs}
}

func newEnumerate(t *thread, a args) (obj, error) {
	var x obj
	var n obj = object.Int(0)
	if err := a.Bind("enumerate", "iterable start?", &x, &n); err != nil {
		return nil, err
	}
	if _, err := object.IntArg(n); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	return lazy("enumerate", []obj{x}, func(t *thread) (obj, bool, error) {
		v, ok, err := it.Next(t)
		if err != nil || !ok {
			return nil, false, err
		}
		pair := object.NewTuple(n, v)
		n, err = object.Binary(t, object.Add, n, object.Int(1))
		return pair, true, err
	}), nil
}

func iterators(t *thread, xs []obj) ([]object.Iterator, error) {
	its := make([]object.Iterator, len(xs))
	for i, x := range xs {
		it, err := object.Iterate(t, x)
		if err != nil {
			return nil, err
		}
		its[i] = it
	}
	return its, nil
}

// row takes one element from each iterator; n is how many gave one.
func row(t *thread, its []object.Iterator) (items []obj, n int, err error) {
	items = make([]obj, len(its))
	for i, it := range its {
		v, ok, err := it.Next(t)
		if err != nil || !ok {
			return nil, i, err
		}
		items[i] = v
	}
	return items, len(its), nil
}

func newZip(t *thread, a args) (obj, error) {
	var strict obj = object.False
	if err := (args{Kw: a.Kw}).Bind("zip", "* strict?", &strict); err != nil {
		return nil, err
	}
	its, err := iterators(t, a.Pos)
	if err != nil {
		return nil, err
	}
	exact := object.Truth(strict)
	return lazy("zip", a.Pos, func(t *thread) (obj, bool, error) {
		if len(its) == 0 {
			return nil, false, nil
		}
		items, n, err := row(t, its)
		switch {
		case err != nil:
			return nil, false, err
		case n == len(its):
			return object.NewTuple(items...), true, nil
		case exact && n > 0:
			return nil, false, object.ValueErrorf("zip() argument %d is shorter than argument 1", n+1)
		}
		return nil, false, exactEnd(t, its, exact)
	}), nil
}

func exactEnd(t *thread, its []object.Iterator, exact bool) error {
	if !exact {
		return nil
	}
	for i, it := range its[1:] {
		if _, more, err := it.Next(t); err != nil || more {
			if err != nil {
				return err
			}
			return object.ValueErrorf("zip() argument %d is longer than argument 1", i+2)
		}
	}
	return nil
}

func newMap(t *thread, a args) (obj, error) {
	if len(a.Pos) < 2 || len(a.Kw) > 0 {
		return nil, object.TypeErrorf("map() must have at least two arguments.")
	}
	fn := a.Pos[0]
	its, err := iterators(t, a.Pos[1:])
	if err != nil {
		return nil, err
	}
	return lazy("map", a.Pos, func(t *thread) (obj, bool, error) {
		items, n, err := row(t, its)
		if err != nil || n < len(its) {
			return nil, false, err
		}
		v, err := object.Call(t, fn, args{Pos: items})
		return v, err == nil, err
	}), nil
}

func newFilter(t *thread, a args) (obj, error) {
	var fn, x obj
	if err := a.Bind("filter", "function iterable /", &fn, &x); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	return lazy("filter", a.Pos, func(t *thread) (obj, bool, error) {
		for {
			v, ok, err := it.Next(t)
			if err != nil || !ok {
				return nil, false, err
			}
			pass := v
			if !object.IsNone(fn) {
				if pass, err = object.Call0(t, fn, v); err != nil {
					return nil, false, err
				}
			}
			if object.Truth(pass) {
				return v, true, nil
			}
			if err := t.Step(1); err != nil {
				return nil, false, err
			}
		}
	}), nil
}

func newReversed(_ *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("reversed", "sequence /", &x); err != nil {
		return nil, err
	}
	it, err := object.Reversed(x)
	if err != nil {
		return nil, err
	}
	return &object.Iter{Name: "reversed", It: it, Refs: []obj{x}}, nil
}
