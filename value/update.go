package value

import "slices"

// With returns a copy of the object v in which key holds m. Any other kind
// counts as an empty object.
func (v Value) With(key string, m Value) Value {
	if v.kind != KindObject {
		return Object(Member{key, m})
	}
	i, found := slices.BinarySearchFunc(v.ref.keys, key, compareKeys)
	if found {
		items := slices.Clone(v.ref.items)
		items[i] = m
		return Value{kind: KindObject, ref: &node{keys: v.ref.keys, items: items}}
	}
	n := &node{keys: make([]string, 0, len(v.ref.keys)+1), items: make([]Value, 0, len(v.ref.items)+1)}
	n.keys = append(append(append(n.keys, v.ref.keys[:i]...), key), v.ref.keys[i:]...)
	n.items = append(append(append(n.items, v.ref.items[:i]...), m), v.ref.items[i:]...)
	return Value{kind: KindObject, ref: n}
}

// Without returns a copy of the object v with no member under key.
func (v Value) Without(key string) Value {
	if v.kind != KindObject {
		return v
	}
	i, found := slices.BinarySearchFunc(v.ref.keys, key, compareKeys)
	if !found {
		return v
	}
	keys := append(slices.Clone(v.ref.keys[:i]), v.ref.keys[i+1:]...)
	items := append(slices.Clone(v.ref.items[:i]), v.ref.items[i+1:]...)
	return Value{kind: KindObject, ref: &node{keys: keys, items: items}}
}

// Merge returns the object v with every member of the object over put on top
// (a shallow merge: the last write wins). Any other kind counts as an empty
// object, but v itself is returned when over has no members.
func (v Value) Merge(over Value) Value {
	switch {
	case over.kind != KindObject || over.Len() == 0:
		return v
	case over.Len() == 1:
		return v.With(over.ref.keys[0], over.ref.items[0])
	case v.kind != KindObject || v.Len() == 0:
		return over
	}
	return Value{kind: KindObject, ref: merge(v.ref, over.ref)}
}

// merge walks along both objects at once.
func merge(under, over *node) *node {
	most := len(under.keys) + len(over.keys)
	n := &node{keys: make([]string, 0, most), items: make([]Value, 0, most)}
	i, j := 0, 0
	for i < len(under.keys) && j < len(over.keys) {
		order := compareKeys(under.keys[i], over.keys[j])
		if order < 0 {
			n.keys, n.items = append(n.keys, under.keys[i]), append(n.items, under.items[i])
			i++
			continue
		}
		if order == 0 {
			i++
		}
		n.keys, n.items = append(n.keys, over.keys[j]), append(n.items, over.items[j])
		j++
	}
	n.keys = append(append(n.keys, under.keys[i:]...), over.keys[j:]...)
	n.items = append(append(n.items, under.items[i:]...), over.items[j:]...)
	return n
}
