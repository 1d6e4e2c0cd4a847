package hostmod

import "github.com/tea-agents/tea/actions/run/python/object"

func itertoolsModule() *object.Module {
	return module("itertools", map[string]fn{
		"chain": itChain, "count": itCount, "cycle": itCycle, "repeat": itRepeat, "islice": itSlice,
		"product": itProduct, "permutations": itPermutations, "combinations": itCombinations(false),
		"combinations_with_replacement": itCombinations(true),
		"accumulate":                    itAccumulate, "groupby": itGroupBy, "takewhile": itWhile(true), "dropwhile": itWhile(false),
		"zip_longest": itZipLongest, "starmap": itStarmap, "pairwise": itPairwise, "compress": itCompress,
		"filterfalse": itFilterFalse, "batched": itBatched, "chain_from_iterable": itFromIterable,
	}, nil)
}

func iter(name string, refs []obj, next func(t *thread) (obj, bool, error)) obj {
	return &object.Iter{Name: "itertools." + name, It: object.IterFunc(next), Refs: refs}
}

// chained iterates over the elements of what outer yields.
func chained(outer object.Iterator, refs []obj) obj {
	var inner object.Iterator
	return iter("chain", refs, func(t *thread) (obj, bool, error) {
		for {
			if inner != nil {
				v, ok, err := inner.Next(t)
				if err != nil || ok {
					return v, ok, err
				}
			}
			next, ok, err := outer.Next(t)
			if err != nil || !ok {
				return nil, false, err
			}
			if err := t.Step(1); err != nil {
				return nil, false, err
			}
			if inner, err = object.Iterate(t, next); err != nil {
				return nil, false, err
			}
		}
	})
}

func itChain(_ *thread, a args) (obj, error) { return chained(object.SliceIter(a.Pos), a.Pos), nil }

func itFromIterable(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("from_iterable", "iterable /", &x); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	return chained(it, a.Pos), nil
}

func itCount(_ *thread, a args) (obj, error) {
	var n, step obj = object.Int(0), object.Int(1)
	if err := a.Bind("count", "start? step?", &n, &step); err != nil {
		return nil, err
	}
	return iter("count", nil, func(t *thread) (obj, bool, error) {
		v := n
		var err error
		n, err = object.Binary(t, object.Add, n, step)
		return v, err == nil, err
	}), nil
}

func itCycle(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("cycle", "iterable /", &x); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	i := 0
	return iter("cycle", items, func(*thread) (obj, bool, error) {
		if len(items) == 0 {
			return nil, false, nil
		}
		i++
		return items[(i-1)%len(items)], true, nil
	}), nil
}

func itRepeat(_ *thread, a args) (obj, error) {
	var x, times obj
	if err := a.Bind("repeat", "object times?", &x, &times); err != nil {
		return nil, err
	}
	n, err := intOr(times, -1)
	if err != nil {
		return nil, err
	}
	if times != nil {
		n = max(n, 0)
	}
	return iter("repeat", []obj{x}, func(*thread) (obj, bool, error) {
		if n == 0 {
			return nil, false, nil
		}
		n--
		return x, true, nil
	}), nil
}

func itSlice(t *thread, a args) (obj, error) {
	var x, p, q, s obj
	if err := a.Bind("islice", "iterable start stop? step? /", &x, &p, &q, &s); err != nil {
		return nil, err
	}
	if len(a.Pos) == 2 {
		p, q = nil, p
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	start, err1 := intOr(p, 0)
	stop, err2 := intOr(q, 1<<62)
	step, err3 := intOr(s, 1)
	if err1 != nil || err2 != nil || err3 != nil || start < 0 || stop < 0 || step < 1 {
		return nil, object.ValueErrorf("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
	}
	at, next := 0, start
	return iter("islice", []obj{x}, func(t *thread) (obj, bool, error) {
		for next < stop {
			v, ok, err := it.Next(t)
			if err != nil || !ok {
				return nil, false, err
			}
			if err := t.Step(1); err != nil {
				return nil, false, err
			}
			at++
			if at-1 == next {
				next += step
				return v, true, nil
			}
		}
		return nil, false, nil
	}), nil
}

func collectAll(t *thread, xs []obj) ([][]obj, error) {
	pools := make([][]obj, len(xs))
	for i, x := range xs {
		items, err := object.Collect(t, x)
		if err != nil {
			return nil, err
		}
		pools[i] = items
	}
	return pools, nil
}

func itProduct(t *thread, a args) (obj, error) {
	var repeat obj
	if err := (args{Kw: a.Kw}).Bind("product", "* repeat?", &repeat); err != nil {
		return nil, err
	}
	once, err := collectAll(t, a.Pos)
	if err != nil {
		return nil, err
	}
	n, err := intOr(repeat, 1)
	if err != nil {
		return nil, err
	}
	if err := t.AllocN(max(n, 0), 24*(len(once)+1)); err != nil {
		return nil, err
	}
	var pools [][]obj
	for range n {
		pools = append(pools, once...)
	}
	return odometer("product", pools), nil
}

// odometer yields one element of each pool in all ways, the last fastest.
func odometer(name string, pools [][]obj) obj {
	at := make([]int, len(pools))
	done := false
	for _, p := range pools {
		done = done || len(p) == 0
	}
	return iter(name, nil, func(t *thread) (obj, bool, error) {
		if done {
			return nil, false, nil
		}
		out := make([]obj, len(pools))
		for i, p := range pools {
			out[i] = p[at[i]]
		}
		i := len(pools) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(pools[i]) {
				break
			}
			at[i] = 0
		}
		done = i < 0
		return object.NewTuple(out...), true, t.AllocN(len(out)+2, 24)
	})
}

func itPermutations(t *thread, a args) (obj, error) {
	var x, r obj
	if err := a.Bind("permutations", "iterable r?", &x, &r); err != nil {
		return nil, err
	}
	return chosen(t, "permutations", x, r, func(at []int, n int) bool {
		used := make([]bool, n)
		for _, i := range at {
			used[i] = true
		}
		for k := len(at) - 1; k >= 0; k-- {
			used[at[k]] = false
			for i := at[k] + 1; i < n; i++ {
				if used[i] {
					continue
				}
				at[k] = i
				used[i] = true
				free := 0
				for m := k + 1; m < len(at); m++ {
					for used[free] {
						free++
					}
					at[m] = free
					used[free] = true
				}
				return true
			}
		}
		return false
	}, false)
}

func itCombinations(replace bool) fn {
	return func(t *thread, a args) (obj, error) {
		var x, r obj
		if err := a.Bind("combinations", "iterable r", &x, &r); err != nil {
			return nil, err
		}
		return chosen(t, "combinations", x, r, func(at []int, n int) bool {
			for k := len(at) - 1; k >= 0; k-- {
				limit := n - 1
				if !replace {
					limit = n - len(at) + k
				}
				if at[k] >= limit {
					continue
				}
				at[k]++
				for m := k + 1; m < len(at); m++ {
					at[m] = at[m-1]
					if !replace {
						at[m]++
					}
				}
				return true
			}
			return false
		}, replace)
	}
}

// chosen yields r elements of x at the indexes that advance goes through.
func chosen(t *thread, name string, x, r obj, advance func(at []int, n int) bool, replace bool) (obj, error) {
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	n, err := intOr(r, len(items))
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, object.ValueErrorf("r must be non-negative")
	}
	done := n > len(items) && (!replace || len(items) == 0)
	if err := t.AllocN(n, 8); err != nil {
		return nil, err
	}
	at := make([]int, n)
	for i := range at {
		if !replace {
			at[i] = i
		}
	}
	return iter(name, items, func(t *thread) (obj, bool, error) {
		if done {
			return nil, false, nil
		}
		out := make([]obj, n)
		for i, k := range at {
			out[i] = items[k]
		}
		done = !advance(at, len(items))
		if err := t.Work(len(items) + n); err != nil {
			return nil, false, err
		}
		return object.NewTuple(out...), true, t.AllocN(n+2, 24)
	}), nil
}
