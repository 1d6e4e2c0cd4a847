package filters

import (
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

func (n *attrNode) eval(e *env) (operand, error) {
	x, err := n.x.eval(e)
	if err != nil {
		return x, err
	}
	if x.miss != nil {
		return x, x.miss.err(n.at(), ", so it has no ."+n.name)
	}
	if x.v.Kind() == value.KindSecret {
		return x, at(n.at(), errSecret())
	}
	if v, ok := x.v.Get(n.name); ok {
		return of(v), e.tick(1)
	}
	return operand{miss: &missing{n: n, key: n.name, known: x.v.Keys}}, nil
}

func (n *indexNode) eval(e *env) (operand, error) {
	x, err := n.x.eval(e)
	if err != nil {
		return x, err
	}
	if x.miss != nil {
		return x, x.miss.err(n.at(), ", so nothing in it can be looked up")
	}
	index, err := e.argument(n.index)
	if err != nil {
		return x, err
	}
	if x.v.Kind() == value.KindSecret {
		return x, at(n.at(), errSecret())
	}
	if err := e.tick(1 + len(x.v.Text())/64); err != nil {
		return x, at(n.at(), err)
	}
	if v, ok := lookIn(x.v, index); ok {
		return of(v), nil
	}
	m := &missing{n: n}
	if key, ok := index.AsString(); ok && x.v.Kind() == value.KindObject {
		m.key, m.known = key, x.v.Keys
	}
	return operand{miss: m}, nil
}

// lookIn is x[index], and whether there is such an element.
func lookIn(x, index value.Value) (value.Value, bool) {
	if x.Kind() == value.KindObject {
		key, ok := keyText(index)
		if !ok {
			return value.Null(), false
		}
		return x.Get(key)
	}
	at, ok := asInteger(index).AsInt()
	if !ok || index.Kind() == value.KindFloat {
		return value.Null(), false
	}
	i, n := int(at), length(x)
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return value.Null(), false
	}
	if x.Kind() == value.KindString {
		return value.String(runeAt(x.Text(), i)), true
	}
	return x.Index(i), true
}

// length is the number of characters, elements or members of v.
func length(v value.Value) int {
	if v.Kind() == value.KindString {
		return utf8.RuneCountInString(v.Text())
	}
	return v.Len()
}

// runeAt is the character i of s, which has that many.
func runeAt(s string, i int) string {
	for ; i > 0; i-- {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

func (n *sliceNode) eval(e *env) (operand, error) {
	v, err := e.value(n.x)
	if err != nil {
		return operand{}, err
	}
	if err := e.tick(weight(v)); err != nil {
		return operand{}, at(n.at(), err)
	}
	var bounds [3]*int
	for i, part := range []node{n.low, n.high, n.by} {
		if bounds[i], err = e.bound(part); err != nil {
			return operand{}, err
		}
	}
	out, err := sliceOf(v, bounds)
	if err != nil {
		return operand{}, at(n.at(), err)
	}
	return of(out), nil
}

// bound is one part of a slice; left out or null, it is nil.
func (e *env) bound(n node) (*int, error) {
	if n == nil {
		return nil, nil
	}
	v, err := e.argument(n)
	if err != nil || v.IsNull() {
		return nil, err
	}
	i, ok := asInteger(v).AsInt()
	if !ok || v.Kind() == value.KindFloat {
		return nil, failAt(n.at(), "a slice takes integers, not %s %s", v.Kind(), clip(v.String()))
	}
	n64 := int(i)
	return &n64, nil
}

// sliceOf is v[low:high:step] with Python's meaning.
func sliceOf(v value.Value, bounds [3]*int) (value.Value, error) {
	if k := v.Kind(); k == value.KindSecret {
		return v, errSecret()
	} else if k != value.KindString && k != value.KindList {
		return v, failf("only a string or a list can be sliced, not %s", aKind(v))
	}
	if bounds[2] != nil && *bounds[2] == 0 {
		return v, failf("the step of a slice must not be 0")
	}
	if v.Kind() == value.KindList {
		items := make([]value.Value, 0, v.Len())
		eachInSlice(v.Len(), bounds, func(i int) { items = append(items, v.Index(i)) })
		return value.List(items...), nil
	}
	runes := []rune(v.Text())
	out := make([]rune, 0, len(runes))
	eachInSlice(len(runes), bounds, func(i int) { out = append(out, runes[i]) })
	return value.String(string(out)), nil
}

// eachInSlice calls visit with each index that a slice of n elements selects.
func eachInSlice(n int, bounds [3]*int, visit func(i int)) {
	step := 1
	if bounds[2] != nil {
		step = *bounds[2]
	}
	first, last := 0, n // of the allowed bounds
	if step < 0 {
		first, last = -1, n-1
	}
	clamp := func(p *int, otherwise int) int {
		if p == nil {
			return otherwise
		}
		i := *p
		if i < 0 {
			i += n
		}
		return min(max(i, first), last)
	}
	if step > 0 {
		high := clamp(bounds[1], last)
		for i := clamp(bounds[0], first); i < high; i += min(step, n) {
			visit(i)
		}
		return
	}
	low := clamp(bounds[1], first)
	for i := clamp(bounds[0], last); i > low; i += max(step, -n) {
		visit(i)
	}
}

// clip shortens text for a message.
func clip(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}

// elements are what a loop over v goes through: the elements of a list, the
// keys of an object, the characters of a string.
func elements(v value.Value) ([]value.Value, error) {
	switch v.Kind() {
	case value.KindList:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, item)
		}
		return items, nil
	case value.KindObject:
		items := make([]value.Value, 0, v.Len())
		for key := range v.Members() {
			items = append(items, value.String(key))
		}
		return items, nil
	case value.KindString:
		items := make([]value.Value, 0, len(v.Text()))
		if len(v.Text()) > MaxItems {
			return nil, errTooMany()
		}
		for _, r := range v.Text() {
			items = append(items, value.String(string(r)))
		}
		return items, nil
	case value.KindSecret:
		return nil, errSecret()
	}
	f := failf("expected a list, an object or a string, found %s", aKind(v))
	if v.IsNull() {
		return nil, f.withHint("if it may be null, say what then: | default([])")
	}
	if isNumber(v) {
		return nil, f.withHint("to count, use range(n)")
	}
	return nil, f
}
