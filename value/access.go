package value

import (
	"iter"
	"math"
	"math/big"
	"slices"
)

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// IsNull tells whether v is null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// AsBool returns the boolean v holds, and whether it holds one.
func (v Value) AsBool() (b, ok bool) { return v.num != 0, v.kind == KindBool }

// AsInt returns the integer v holds, and whether it holds one that fits in 64 bits.
func (v Value) AsInt() (int64, bool) { return v.num, v.kind == KindInt && v.ref == nil }

// AsBigInt returns the integer v holds as a fresh big.Int, and whether it holds one.
func (v Value) AsBigInt() (*big.Int, bool) {
	if v.kind != KindInt {
		return nil, false
	}
	if v.ref != nil {
		return new(big.Int).Set(v.ref.big), true
	}
	return big.NewInt(v.num), true
}

// AsFloat returns the number v holds, float or integer, as the nearest
// float64, and whether v holds a number.
func (v Value) AsFloat() (float64, bool) {
	switch v.kind {
	case KindFloat:
		return math.Float64frombits(uint64(v.num)), true
	case KindInt:
		if v.ref != nil {
			f, _ := new(big.Float).SetInt(v.ref.big).Float64()
			return f, true
		}
		return float64(v.num), true
	default:
		return 0, false
	}
}

// AsString returns the string v holds, and whether it holds one.
func (v Value) AsString() (string, bool) { return v.str, v.kind == KindString }

// Text returns the string v holds, or "" when it holds none.
func (v Value) Text() string {
	if v.kind != KindString {
		return ""
	}
	return v.str
}

// Len returns the number of elements of a list or members of an object, and 0
// for every other kind.
func (v Value) Len() int {
	if v.kind != KindList && v.kind != KindObject {
		return 0
	}
	return len(v.ref.items)
}

// Index returns element i of a list. It panics when v is no list or i is out
// of range, like a slice.
func (v Value) Index(i int) Value {
	if v.kind != KindList {
		panic("value: Index of " + v.kind.String())
	}
	return v.ref.items[i]
}

// Get returns the member of an object under key, and whether there is one. It
// is null and false for every other kind.
func (v Value) Get(key string) (Value, bool) {
	if v.kind != KindObject {
		return Value{}, false
	}
	i, ok := slices.BinarySearchFunc(v.ref.keys, key, compareKeys)
	if !ok {
		return Value{}, false
	}
	return v.ref.items[i], true
}

// At follows keys through nested objects and returns null where one is missing.
func (v Value) At(keys ...string) Value {
	for _, k := range keys {
		v, _ = v.Get(k)
	}
	return v
}

// Items iterates over the elements of a list.
func (v Value) Items() iter.Seq2[int, Value] {
	if v.kind != KindList {
		return func(func(int, Value) bool) {}
	}
	return slices.All(v.ref.items)
}

// Members iterates over the members of an object, sorted by key.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.kind != KindObject {
			return
		}
		for i, k := range v.ref.keys {
			if !yield(k, v.ref.items[i]) {
				return
			}
		}
	}
}

// Keys returns the keys of an object, sorted. The slice is the caller's.
func (v Value) Keys() []string {
	if v.kind != KindObject {
		return nil
	}
	return slices.Clone(v.ref.keys)
}

// Equal tells whether a and b are the same value. 1 and 1.0 are not.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case KindString:
		return a.str == b.str
	case KindList, KindObject, KindSecret:
		return a.ref == b.ref || (slices.Equal(a.ref.keys, b.ref.keys) && slices.EqualFunc(a.ref.items, b.ref.items, Equal))
	case KindInt:
		if a.ref != nil && b.ref != nil {
			return a.ref.big.Cmp(b.ref.big) == 0
		}
		return a.ref == nil && b.ref == nil && a.num == b.num
	default:
		return a.num == b.num
	}
}
