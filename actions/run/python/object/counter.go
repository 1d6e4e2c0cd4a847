package object

import "slices"

// reprOrder gives the entries in the order in which repr shows them: a Counter
// from the most common to the least.
func reprOrder(t *Thread, d *Dict) ([]entry, error) {
	d.next(0)
	if err := t.AllocN(d.Len(), entrySize); err != nil {
		return nil, err
	}
	live := make([]entry, 0, d.Len())
	for _, e := range d.entries {
		if e.k != nil {
			live = append(live, e)
		}
	}
	if d.kind == "Counter" {
		return live, sortByCount(t, live)
	}
	return live, nil
}

func sortByCount(t *Thread, entries []entry) error {
	var failed error
	slices.SortStableFunc(entries, func(a, b entry) int {
		if failed != nil {
			return 0
		}
		less, err := Compare(t, Lt, b.v, a.v)
		if err != nil {
			failed = err
			return 0
		}
		if less {
			return -1
		}
		more, err := Compare(t, Lt, a.v, b.v)
		if err != nil {
			failed = err
		}
		if more {
			return 1
		}
		return 0
	})
	return failed
}

// MostCommon gives the entries of a Counter as (key, count) pairs, the most
// common first.
func (d *Dict) MostCommon(t *Thread) ([]Object, error) {
	entries, err := reprOrder(t, d)
	if err != nil {
		return nil, err
	}
	if err := t.AllocN(len(entries), 2*headSize); err != nil {
		return nil, err
	}
	pairs := make([]Object, len(entries))
	for i, e := range entries {
		pairs[i] = NewTuple(e.k, e.v)
	}
	return pairs, nil
}
