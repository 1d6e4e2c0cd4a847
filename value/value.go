package value

import (
	"math/big"
	"slices"
	"sync/atomic"
)

// Kind tells what a [Value] is.
type Kind uint8

// The kinds of values. The zero Kind is Null.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindFloat
	KindString
	KindList
	KindObject
	KindSecret
)

// String names the kind in the words of JSON Schema (a list is a "list").
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "boolean"
	case KindInt:
		return "integer"
	case KindFloat:
		return "number"
	case KindString:
		return "string"
	case KindList:
		return "list"
	case KindObject:
		return "object"
	default:
		return "secret"
	}
}

// Value is an immutable JSON value. The zero Value is null. Do not compare
// Values with ==; use [Equal].
type Value struct {
	kind Kind
	num  int64 // KindBool: 0 or 1; KindInt that fits; KindFloat: its bits
	str  string
	ref  *node // lists, objects, secrets and integers beyond int64
}

// node holds what does not fit in a Value, and the memoised digest.
type node struct {
	big    *big.Int
	items  []Value  // elements of a list, members of an object, parts of a secret
	keys   []string // sorted keys of an object, parallel to items
	digest atomic.Pointer[digestResult]
}

// Null returns the null value, which is also the zero Value.
func Null() Value { return Value{} }

// Bool returns a boolean.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, num: 1}
	}
	return Value{kind: KindBool}
}

// Int returns an integer.
func Int(i int64) Value { return Value{kind: KindInt, num: i} }

// BigInt returns an integer of any size. It copies i.
func BigInt(i *big.Int) Value {
	if i.IsInt64() {
		return Int(i.Int64())
	}
	return Value{kind: KindInt, ref: &node{big: new(big.Int).Set(i)}}
}

// String returns a string. A string that is not valid UTF-8 can be carried but
// has no canonical form: see [Value.Check].
func String(s string) Value { return Value{kind: KindString, str: s} }

// List returns a list of the given elements. It takes ownership of a slice
// passed with "..."; the caller must not change it afterwards.
func List(items ...Value) Value { return Value{kind: KindList, ref: &node{items: items}} }

// Map returns an object with the members of m.
func Map(m map[string]Value) Value {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	items := make([]Value, len(keys))
	for i, k := range keys {
		items[i] = m[k]
	}
	return Value{kind: KindObject, ref: &node{keys: keys, items: items}}
}

// Member is one key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

// Object returns an object of the given members. Of members with equal keys
// the last one counts.
func Object(members ...Member) Value {
	sorted := members
	byKey := func(a, b Member) int { return compareKeys(a.Key, b.Key) }
	if !slices.IsSortedFunc(members, byKey) {
		sorted = slices.Clone(members)
		slices.SortStableFunc(sorted, byKey)
	}
	n := &node{keys: make([]string, 0, len(sorted)), items: make([]Value, 0, len(sorted))}
	for i, m := range sorted {
		if i+1 < len(sorted) && sorted[i+1].Key == m.Key {
			continue
		}
		n.keys = append(n.keys, m.Key)
		n.items = append(n.items, m.Value)
	}
	return Value{kind: KindObject, ref: n}
}

// M is shorthand for a [Member]: value.Object(value.M("a", value.Int(1))).
func M(key string, v Value) Member { return Member{Key: key, Value: v} }

// compareKeys orders strings by their UTF-16 code units, as RFC 8785 §3.2.3
// asks. That differs from the order of bytes only where a code point beyond
// the basic plane meets one in U+E000–U+FFFF.
func compareKeys(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	x, y := a[i], b[i]
	// The bytes F0–F4 lead a surrogate pair (D800–DFFF); EE and EF lead
	// U+E000–U+FFFF, which UTF-16 puts after them.
	if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
		return int(y) - int(x)
	}
	return int(x) - int(y)
}
