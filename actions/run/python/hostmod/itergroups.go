package hostmod

import "github.com/tea-agents/tea/actions/run/python/object"

func itAccumulate(t *thread, a args) (obj, error) {
	var x, f, initial obj
	if err := a.Bind("accumulate", "iterable func? * initial?", &x, &f, &initial); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	total, fresh := initial, !object.IsNone(initial)
	return iter("accumulate", a.Pos, func(t *thread) (obj, bool, error) {
		if fresh {
			fresh = false
			return total, true, nil
		}
		v, ok, err := it.Next(t)
		switch {
		case err != nil || !ok:
			return nil, false, err
		case object.IsNone(total):
			total = v
		case object.IsNone(f):
			total, err = object.Binary(t, object.Add, total, v)
		default:
			total, err = object.Call0(t, f, total, v)
		}
		return total, err == nil, err
	}), nil
}

// itGroupBy hands out each group as a list's iterator, so that a group stays
// valid after the next one is taken.
func itGroupBy(t *thread, a args) (obj, error) {
	var x, key obj
	if err := a.Bind("groupby", "iterable key?", &x, &key); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	keyOf := func(t *thread, v obj) (obj, error) {
		if object.IsNone(key) {
			return v, nil
		}
		return object.Call0(t, key, v)
	}
	return iter("groupby", a.Pos, func(t *thread) (obj, bool, error) {
		if len(items) == 0 {
			return nil, false, nil
		}
		k, err := keyOf(t, items[0])
		if err != nil {
			return nil, false, err
		}
		n := 1
		for ; n < len(items); n++ {
			other, err := keyOf(t, items[n])
			if err != nil {
				return nil, false, err
			}
			if same, err := object.Equal(t, k, other); err != nil || !same {
				if err != nil {
					return nil, false, err
				}
				break
			}
		}
		group := items[:n]
		items = items[n:]
		return object.NewTuple(k, &object.Iter{Name: "itertools._grouper", It: object.SliceIter(group), Refs: group}), true, t.Step(uint64(n))
	}), nil
}

func itWhile(take bool) fn {
	return func(t *thread, a args) (obj, error) {
		var f, x obj
		if err := a.Bind("takewhile", "predicate iterable /", &f, &x); err != nil {
			return nil, err
		}
		it, err := object.Iterate(t, x)
		if err != nil {
			return nil, err
		}
		over := false
		return iter("takewhile", a.Pos, func(t *thread) (obj, bool, error) {
			for {
				if over && take {
					return nil, false, nil
				}
				v, ok, err := it.Next(t)
				if err != nil || !ok || over {
					return v, ok, err
				}
				pass, err := object.Call0(t, f, v)
				if err != nil {
					return nil, false, err
				}
				over = !object.Truth(pass)
				if over != take {
					return v, true, nil
				}
			}
		}), nil
	}
}

func itFilterFalse(t *thread, a args) (obj, error) {
	var f, x obj
	if err := a.Bind("filterfalse", "predicate iterable /", &f, &x); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	return iter("filterfalse", a.Pos, func(t *thread) (obj, bool, error) {
		for {
			v, ok, err := it.Next(t)
			if err != nil || !ok {
				return nil, false, err
			}
			pass := v
			if !object.IsNone(f) {
				if pass, err = object.Call0(t, f, v); err != nil {
					return nil, false, err
				}
			}
			if !object.Truth(pass) {
				return v, true, nil
			}
			if err := t.Step(1); err != nil {
				return nil, false, err
			}
		}
	}), nil
}

func itZipLongest(t *thread, a args) (obj, error) {
	fill := object.None()
	if err := (args{Kw: a.Kw}).Bind("zip_longest", "* fillvalue?", &fill); err != nil {
		return nil, err
	}
	its := make([]object.Iterator, len(a.Pos))
	for i, x := range a.Pos {
		it, err := object.Iterate(t, x)
		if err != nil {
			return nil, err
		}
		its[i] = it
	}
	return iter("zip_longest", a.Pos, func(t *thread) (obj, bool, error) {
		out, any := make([]obj, len(its)), false
		for i, it := range its {
			out[i] = fill
			if it == nil {
				continue
			}
			v, ok, err := it.Next(t)
			if err != nil {
				return nil, false, err
			}
			if !ok {
				its[i] = nil
				continue
			}
			out[i], any = v, true
		}
		return object.NewTuple(out...), any, nil
	}), nil
}

func itStarmap(t *thread, a args) (obj, error) {
	var f, x obj
	if err := a.Bind("starmap", "function iterable /", &f, &x); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	return iter("starmap", a.Pos, func(t *thread) (obj, bool, error) {
		v, ok, err := it.Next(t)
		if err != nil || !ok {
			return nil, false, err
		}
		items, err := object.Collect(t, v)
		if err != nil {
			return nil, false, err
		}
		r, err := object.Call0(t, f, items...)
		return r, err == nil, err
	}), nil
}

func itPairwise(t *thread, a args) (obj, error) {
	var x, last obj
	if err := a.Bind("pairwise", "iterable /", &x); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	return iter("pairwise", a.Pos, func(t *thread) (obj, bool, error) {
		for {
			v, ok, err := it.Next(t)
			if err != nil || !ok {
				return nil, false, err
			}
			before := last
			last = v
			if before != nil {
				return object.NewTuple(before, v), true, nil
			}
		}
	}), nil
}

func itCompress(t *thread, a args) (obj, error) {
	var x, s obj
	if err := a.Bind("compress", "data selectors", &x, &s); err != nil {
		return nil, err
	}
	pools, err := collectAll(t, []obj{x, s})
	if err != nil {
		return nil, err
	}
	var out []obj
	for i := range min(len(pools[0]), len(pools[1])) {
		if object.Truth(pools[1][i]) {
			out = append(out, pools[0][i])
		}
	}
	return &object.Iter{Name: "itertools.compress", It: object.SliceIter(out), Refs: out}, nil
}

func itBatched(t *thread, a args) (obj, error) {
	var x, n obj
	if err := a.Bind("batched", "iterable n", &x, &n); err != nil {
		return nil, err
	}
	size, err := object.IntArg(n)
	if err != nil {
		return nil, err
	}
	if size < 1 {
		return nil, object.ValueErrorf("n must be at least one")
	}
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	return iter("batched", items, func(t *thread) (obj, bool, error) {
		if len(items) == 0 {
			return nil, false, nil
		}
		k := min(size, len(items))
		batch := items[:k:k]
		items = items[k:]
		return object.NewTuple(batch...), true, t.Alloc(64)
	}), nil
}
