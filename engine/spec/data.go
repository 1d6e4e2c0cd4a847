package spec

import (
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// Data is a YAML value with the place of each of its parts. Aliases and merge
// keys have been followed.
type Data struct {
	Pos     diag.Pos
	Kind    value.Kind
	Scalar  value.Value // null, booleans and numbers
	Text    Text        // strings, and how other scalars are written
	Items   []*Data     // lists
	Members []Member    // objects, in the order of the file
}

// Member is one key of an object with its value.
type Member struct {
	Key   Text
	Value *Data
}

// Get returns the member of an object under key, or nil.
func (d *Data) Get(key string) *Data {
	if d == nil {
		return nil
	}
	for _, m := range d.Members {
		if m.Key.Value == key {
			return m.Value
		}
	}
	return nil
}

// Value returns the data without its places. A nil Data is null.
func (d *Data) Value() value.Value {
	if d == nil {
		return value.Null()
	}
	switch d.Kind {
	case value.KindString:
		return value.String(d.Text.Value)
	case value.KindList:
		items := make([]value.Value, len(d.Items))
		for i, item := range d.Items {
			items[i] = item.Value()
		}
		return value.List(items...)
	case value.KindObject:
		members := make([]value.Member, len(d.Members))
		for i, m := range d.Members {
			members[i] = value.M(m.Key.Value, m.Value.Value())
		}
		return value.Object(members...)
	default:
		return d.Scalar
	}
}

// Width is how many characters a caret line under the data takes.
func (d *Data) Width() int {
	if d.Kind == value.KindList || d.Kind == value.KindObject {
		return 1
	}
	return d.Text.Width()
}

// Find follows a path of keys and indices as far as it goes. With key, and
// when the last element of the path is a key, the place is that of the key
// itself. It returns the place and the width of its caret line.
func (d *Data) Find(path []string, key bool) (diag.Pos, int) {
	for i, name := range path {
		if index, ok := d.index(name); ok {
			d = d.Items[index]
			continue
		}
		m := d.member(name)
		if m == nil {
			break
		}
		if key && i == len(path)-1 {
			return m.Key.Pos, m.Key.Width()
		}
		d = m.Value
	}
	return d.Pos, d.Width()
}

func (d *Data) member(key string) *Member {
	for i := range d.Members {
		if d.Members[i].Key.Value == key {
			return &d.Members[i]
		}
	}
	return nil
}

// index returns the list index that name spells, when d has such an element.
func (d *Data) index(name string) (int, bool) {
	if d.Kind != value.KindList || name == "" || len(name) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n < len(d.Items)
}

// IsNull tells whether the data is null, or an empty value.
func (d *Data) IsNull() bool { return d.Kind == value.KindNull }

// IsObject tells whether the data is a map.
func (d *Data) IsObject() bool { return d.Kind == value.KindObject }

// IsList tells whether the data is a list.
func (d *Data) IsList() bool { return d.Kind == value.KindList }

// IsText tells whether the data is a string.
func (d *Data) IsText() bool { return d.Kind == value.KindString }
