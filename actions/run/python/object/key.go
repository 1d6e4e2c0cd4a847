package object

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
)

// Key stands for a hashable value: values that are equal in Python have equal
// Keys.
type Key struct {
	kind byte
	n    uint64
	s    string
}

const (
	keyNone byte = iota + 1
	keyInt
	keyBig
	keyFloat
	keyStr
	keyBytes
	keyTuple
	keyFrozen
	keyType
	keyNamed
	keyIdent
	keyHost
)

// HostKey makes a Key for a type of a host module. name must be unique to the
// type.
func HostKey(name, text string) Key { return Key{kind: keyHost, s: name + "\x00" + text} }

// IdentKey makes a Key for a value that equals only itself; see NextID.
func IdentKey(id uint64) Key { return Key{kind: keyIdent, n: id} }

// Key makes the Key of a value; it fails for what is not hashable.
func (t *Thread) Key(o Object) (Key, error) {
	switch o := o.(type) {
	case *Str:
		return Key{kind: keyStr, s: o.s}, nil
	case Int:
		return Key{kind: keyInt, n: uint64(o)}, nil
	case Bool:
		if o {
			return Key{kind: keyInt, n: 1}, nil
		}
		return Key{kind: keyInt}, nil
	case Float:
		return floatKey(float64(o)), nil
	case *Big:
		return Key{kind: keyBig, n: uint64(o.v.Sign()), s: string(o.v.Bytes())}, nil
	case NoneType:
		return Key{kind: keyNone}, nil
	case *Tuple:
		return t.tupleKey(o)
	}
	return t.rareKey(o)
}

func (t *Thread) rareKey(o Object) (Key, error) {
	switch o := o.(type) {
	case Bytes:
		return Key{kind: keyBytes, s: string(o)}, nil
	case Type:
		return Key{kind: keyType, s: string(o)}, nil
	case *Builtin:
		return Key{kind: keyNamed, s: o.Name}, nil
	case *Set:
		if o.frozen {
			return t.frozenKey(o)
		}
	case Hasher:
		return o.HashKey(), nil
	}
	return Key{}, TypeErrorf("unhashable type: '%s'", o.TypeName())
}

func floatKey(f float64) Key {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		if f >= -1<<63 && f < 1<<63 {
			return Key{kind: keyInt, n: uint64(int64(f))}
		}
		if o, err := FloatToInt(f); err == nil {
			if b, ok := o.(*Big); ok {
				return Key{kind: keyBig, n: uint64(b.v.Sign()), s: string(b.v.Bytes())}
			}
		}
	}
	return Key{kind: keyFloat, n: math.Float64bits(f)}
}

func (t *Thread) tupleKey(u *Tuple) (Key, error) {
	if err := t.descend("in hash"); err != nil {
		return Key{}, err
	}
	defer t.ascend()
	var buf []byte
	for _, item := range u.items {
		k, err := t.Key(item)
		if err != nil {
			return Key{}, err
		}
		buf = k.append(buf)
	}
	if err := t.Alloc(int64(len(buf))); err != nil {
		return Key{}, err
	}
	return Key{kind: keyTuple, s: string(buf)}, nil
}

func (k Key) append(b []byte) []byte {
	b = append(b, k.kind)
	b = binary.LittleEndian.AppendUint64(b, k.n)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(k.s)))
	return append(b, k.s...)
}

func (t *Thread) frozenKey(s *Set) (Key, error) {
	parts := make([]string, 0, s.Len())
	for i := s.d.next(0); i >= 0; i = s.d.next(i + 1) {
		parts = append(parts, string(s.d.entries[i].key.append(nil)))
	}
	slices.Sort(parts)
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if err := t.Alloc(int64(n)); err != nil {
		return Key{}, err
	}
	buf := make([]byte, 0, n)
	for _, p := range parts {
		buf = append(buf, p...)
	}
	return Key{kind: keyFrozen, s: string(buf)}, nil
}

// Hash is a number that is equal for equal Keys.
func (k Key) Hash() int64 {
	if k.kind == keyInt {
		return int64(k.n)
	}
	h := fnv.New64a()
	_, _ = h.Write(k.append(nil)) // never fails
	return int64(h.Sum64() >> 3)
}
