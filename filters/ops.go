package filters

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/value"
)

// compare is one comparison of two operands. What is missing equals only what
// is missing and is in no list; it has no order.
func (e *env) compare(op string, l, r operand, off int) (bool, error) {
	switch op {
	case "==", "!=":
		if l.miss != nil || r.miss != nil {
			return (l.miss != nil && r.miss != nil) == (op == "=="), nil
		}
		eq, err := e.equal(l.v, r.v)
		return eq == (op == "=="), err
	case "in", "not in":
		if r.miss != nil {
			return false, r.miss.err(off, ", so nothing can be looked for in it")
		}
		if l.miss != nil {
			return op == "not in", nil
		}
		in, err := e.contains(r.v, l.v)
		return in == (op == "in"), err
	}
	for _, x := range []operand{l, r} {
		if x.miss != nil {
			return false, x.miss.err(off, ", so it cannot be compared")
		}
	}
	c, err := e.order(l.v, r.v)
	switch op {
	case "<":
		return c < 0, err
	case "<=":
		return c <= 0, err
	case ">":
		return c > 0, err
	}
	return c >= 0, err
}

// equal is Python's ==: numbers and booleans by what they count, lists and
// objects by their parts.
func (e *env) equal(a, b value.Value) (bool, error) {
	if err := e.tick(1); err != nil {
		return false, err
	}
	ka, kb := a.Kind(), b.Kind()
	switch {
	case ka == value.KindSecret || kb == value.KindSecret:
		return false, errSecret()
	case isNumber(a) && isNumber(b):
		return compareNumbers(a, b) == 0, nil
	case ka != kb:
		return false, nil
	case ka == value.KindString:
		return a.Text() == b.Text(), nil
	case ka == value.KindList:
		return e.equalLists(a, b)
	case ka == value.KindObject:
		return e.equalObjects(a, b)
	}
	return true, nil // null
}

func (e *env) equalLists(a, b value.Value) (bool, error) {
	if a.Len() != b.Len() {
		return false, nil
	}
	for i, x := range a.Items() {
		if eq, err := e.equal(x, b.Index(i)); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (e *env) equalObjects(a, b value.Value) (bool, error) {
	if a.Len() != b.Len() {
		return false, nil
	}
	for key, x := range a.Members() {
		y, ok := b.Get(key)
		if !ok {
			return false, nil
		}
		if eq, err := e.equal(x, y); !eq || err != nil {
			return false, err
		}
	}
	return true, nil
}

// contains is `x in c`.
func (e *env) contains(c, x value.Value) (bool, error) {
	switch c.Kind() {
	case value.KindSecret:
		return false, errSecret()
	case value.KindString:
		if x.Kind() != value.KindString {
			return false, failf("only a string can be in a string, not %s", aKind(x))
		}
		return strings.Contains(c.Text(), x.Text()), e.tick(weight(c))
	case value.KindObject:
		key, ok := keyText(x)
		if !ok {
			return false, nil
		}
		_, ok = c.Get(key)
		return ok, nil
	case value.KindList:
		for _, item := range c.Items() {
			if eq, err := e.equal(item, x); eq || err != nil {
				return eq, err
			}
		}
		return false, nil
	}
	f := failf("expected a list, an object or a string to look in, found %s", aKind(c))
	if c.IsNull() {
		f.hint = "if it may be null, say what then: | default([])"
	}
	return false, f
}

// order is the sign of a - b for two numbers, strings or lists.
func (e *env) order(a, b value.Value) (int, error) {
	if err := e.tick(1); err != nil {
		return 0, err
	}
	ka, kb := a.Kind(), b.Kind()
	switch {
	case ka == value.KindSecret || kb == value.KindSecret:
		return 0, errSecret()
	case isNumber(a) && isNumber(b):
		return compareNumbers(a, b), nil
	case ka == value.KindString && kb == value.KindString:
		return strings.Compare(a.Text(), b.Text()), nil
	case ka == value.KindList && kb == value.KindList:
		for i := range min(a.Len(), b.Len()) {
			if eq, err := e.equal(a.Index(i), b.Index(i)); err != nil {
				return 0, err
			} else if !eq {
				return e.order(a.Index(i), b.Index(i))
			}
		}
		return a.Len() - b.Len(), nil
	}
	return 0, failf("%s and %s have no order", aKind(a), aKind(b))
}

// sorted returns items in the order of key, stable. The first error of the
// order ends it.
func (e *env) sorted(items []value.Value, key func(value.Value) (value.Value, error), reverse bool) ([]value.Value, error) {
	type pair struct{ key, item value.Value }
	pairs := make([]pair, len(items))
	for i, item := range items {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		pairs[i] = pair{k, item}
	}
	var failed error
	slices.SortStableFunc(pairs, func(a, b pair) int {
		if failed != nil {
			return 0
		}
		var c int
		c, failed = e.order(a.key, b.key)
		if reverse {
			return -c
		}
		return c
	})
	out := make([]value.Value, len(pairs))
	for i, p := range pairs {
		out[i] = p.item
	}
	return out, failed
}

// folded is v for a comparison that ignores case.
func folded(v value.Value) value.Value {
	if s, ok := v.AsString(); ok {
		return value.String(strings.ToLower(s))
	}
	return v
}
