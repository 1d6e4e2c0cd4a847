package tree

import "github.com/tea-agents/tea/value"

// Node is a part of a document: an object with ordered fields, a list, or a
// value. The zero Node is null.
type Node struct {
	fields []Field
	items  []Node
	value  value.Value
	kind   kind
}

type kind uint8

const (
	isValue kind = iota
	isObject
	isList
)

// Field is a key of an object with what stands under it.
type Field struct {
	Key  string
	Node Node
}

// Value returns v as a node; its objects are sorted by key.
func Value(v value.Value) Node { return Node{value: v} }

// String returns a node with the text s.
func String(s string) Node { return Value(value.String(s)) }

// Object returns an object whose fields keep their order.
func Object(fields ...Field) Node { return Node{kind: isObject, fields: fields} }

// List returns a list of nodes.
func List(items ...Node) Node { return Node{kind: isList, items: items} }

// F is shorthand for a Field.
func F(key string, n Node) Field { return Field{key, n} }

// open turns a value that is an object or a list into a node of that kind.
func (n Node) open() Node {
	if n.kind != isValue {
		return n
	}
	switch n.value.Kind() {
	case value.KindObject:
		fields := make([]Field, 0, n.value.Len())
		for k, v := range n.value.Members() {
			fields = append(fields, Field{k, Value(v)})
		}
		return Object(fields...)
	case value.KindList:
		items := make([]Node, 0, n.value.Len())
		for _, v := range n.value.Items() {
			items = append(items, Value(v))
		}
		return List(items...)
	default:
		return n
	}
}

// empty tells whether an opened node is an object or list with nothing in it.
func (n Node) empty() bool { return n.kind != isValue && len(n.fields)+len(n.items) == 0 }
