package object

import "slices"

// Sort sorts items in place, stably, by key (None: by the items themselves).
func Sort(t *Thread, items []Object, key Object, reverse bool) error {
	keys := items
	if !IsNone(key) {
		if err := t.AllocN(len(items), slotSize); err != nil {
			return err
		}
		keys = make([]Object, len(items))
		for i, item := range items {
			k, err := Call0(t, key, item)
			if err != nil {
				return err
			}
			keys[i] = k
		}
	}
	return sortBy(t, items, keys, reverse)
}

func sortBy(t *Thread, items, keys []Object, reverse bool) error {
	if err := t.AllocN(len(items), 2*slotSize); err != nil {
		return err
	}
	type pair struct{ k, v Object }
	pairs := make([]pair, len(items))
	for i := range items {
		pairs[i] = pair{keys[i], items[i]}
	}
	var failed error
	slices.SortStableFunc(pairs, func(a, b pair) int {
		if failed != nil {
			return 0
		}
		if reverse {
			a, b = b, a
		}
		c, err := sortOrder(t, a.k, b.k)
		if err != nil {
			failed = err
		}
		return c
	})
	for i := range pairs {
		items[i] = pairs[i].v
	}
	return failed
}

// sortOrder orders by < alone, as Python's sort does.
func sortOrder(t *Thread, a, b Object) (int, error) {
	if err := t.Step(1); err != nil {
		return 0, err
	}
	less, err := Compare(t, Lt, a, b)
	if err != nil || less {
		return -1, err
	}
	more, err := Compare(t, Lt, b, a)
	if more {
		return 1, err
	}
	return 0, err
}
