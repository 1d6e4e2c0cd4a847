package dataactions

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/tea-agents/tea/value"
)

// operators returns what a predicate can say, by name. Each gets the member (or
// null) and the value that it is compared with.
func operators() map[string]func(v, want value.Value) bool {
	return map[string]func(v, want value.Value) bool{
		"eq":         equal,
		"ne":         func(v, want value.Value) bool { return !equal(v, want) },
		"gt":         ordered(func(c int) bool { return c > 0 }),
		"gte":        ordered(func(c int) bool { return c >= 0 }),
		"lt":         ordered(func(c int) bool { return c < 0 }),
		"lte":        ordered(func(c int) bool { return c <= 0 }),
		"in":         func(v, want value.Value) bool { return contains(want, v) },
		"not_in":     func(v, want value.Value) bool { return !contains(want, v) },
		"contains":   contains,
		"startswith": texts(strings.HasPrefix),
		"endswith":   texts(strings.HasSuffix),
	}
}

func operatorNames() []string { return slices.Sorted(maps.Keys(operators())) }

// equal compares numbers by size and everything else exactly.
func equal(a, b value.Value) bool {
	if c, ok := compare(a, b); ok {
		return c == 0
	}
	return value.Equal(a, b)
}

func ordered(is func(c int) bool) func(v, want value.Value) bool {
	return func(v, want value.Value) bool {
		c, ok := compare(v, want)
		return ok && is(c)
	}
}

// compare orders two numbers, by their exact size, or two strings.
func compare(a, b value.Value) (int, bool) {
	if x, ok := a.AsString(); ok {
		y, ok := b.AsString()
		return cmp.Compare(x, y), ok
	}
	x, okX := number(a)
	y, okY := number(b)
	if !okX || !okY {
		return 0, false
	}
	return x.Cmp(y), true
}

func number(v value.Value) (*big.Rat, bool) {
	if i, ok := v.AsBigInt(); ok {
		return new(big.Rat).SetInt(i), true
	}
	f, ok := v.AsFloat()
	if !ok {
		return nil, false
	}
	r := new(big.Rat).SetFloat64(f) // nil for what is not finite
	return r, r != nil
}

// contains tells whether a list has an element, an object a key, or a string a
// part.
func contains(in, what value.Value) bool {
	switch in.Kind() {
	case value.KindList:
		for _, item := range in.Items() {
			if equal(item, what) {
				return true
			}
		}
		return false
	case value.KindObject:
		_, ok := in.Get(what.Text())
		return ok && what.Kind() == value.KindString
	}
	return texts(strings.Contains)(in, what)
}

func texts(f func(s, part string) bool) func(v, want value.Value) bool {
	return func(v, want value.Value) bool {
		s, okS := v.AsString()
		part, okPart := want.AsString()
		return okS && okPart && f(s, part)
	}
}
