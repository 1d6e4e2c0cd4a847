package driver

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/tea-agents/tea/value"
)

// Op is how a Filter compares.
type Op uint8

// The comparisons. Eq and In compare as value.Equal does: 1, 1.0 and "1" are
// three different values, integers are exact at any size. Lt to Ge compare
// numbers by their exact size and strings by their bytes; between other kinds,
// or a number and a string, none of them holds. Exists asks only that the
// path leads somewhere, were it to null.
const (
	Eq Op = iota
	In    // Value is a list of which one is equal
	Lt
	Le
	Gt
	Ge
	Exists
)

// String returns the comparison's sign.
func (o Op) String() string {
	names := [...]string{"=", "in", "<", "<=", ">", ">=", "exists"}
	if int(o) < len(names) {
		return names[o]
	}
	return "?"
}

// Filter is a condition on the metadata.
type Filter struct {
	Path  []string // keys of nested objects; at least one
	Op    Op
	Value value.Value // not used by Exists
}

// Match tells whether the metadata fulfils the condition. Where the path leads
// nowhere none holds.
func (f *Filter) Match(metadata value.Value) bool {
	got := metadata
	for _, key := range f.Path {
		var ok bool
		if got, ok = got.Get(key); !ok {
			return false
		}
	}
	switch f.Op {
	case Exists:
		return true
	case Eq:
		return value.Equal(got, f.Value)
	case In:
		for _, v := range f.Value.Items() {
			if value.Equal(got, v) {
				return true
			}
		}
		return false
	}
	c, ok := compare(got, f.Value)
	return ok && slices.Contains(fulfils(f.Op), c)
}

// fulfils returns the results of a comparison that o accepts.
func fulfils(o Op) []int {
	switch o {
	case Lt:
		return []int{-1}
	case Le:
		return []int{-1, 0}
	case Gt:
		return []int{1}
	case Ge:
		return []int{1, 0}
	default:
		return nil
	}
}

// compare compares two numbers or two strings.
func compare(a, b value.Value) (int, bool) {
	s, aIsString := a.AsString()
	t, bIsString := b.AsString()
	if aIsString && bIsString {
		return cmp.Compare(s, t), true
	}
	x, ok := exact(a)
	if !ok {
		return 0, false
	}
	y, ok := exact(b)
	if !ok {
		return 0, false
	}
	return x.Cmp(y), true
}

// exact returns a number without any rounding.
func exact(v value.Value) (*big.Rat, bool) {
	if i, ok := v.AsBigInt(); ok {
		return new(big.Rat).SetInt(i), true
	}
	f, ok := v.AsFloat()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	return new(big.Rat).SetFloat64(f), true
}
