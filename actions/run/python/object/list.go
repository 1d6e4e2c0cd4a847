package object

import "github.com/tea-agents/tea/value"

// List is a list, or a deque (which is a list with a few methods more).
type List struct {
	items []Object
	src   value.Value // what items are made of on first use
	lazy  bool
	deque bool
	max   int // of a deque; 0: none
}

// TypeName implements Object.
func (l *List) TypeName() string {
	if l.deque {
		return "collections.deque"
	}
	return "list"
}

// NewList makes a list that owns items. The caller has charged them.
func NewList(items []Object) *List { return &List{items: items} }

// NewDeque makes a deque that owns items, of at most max elements (0: no
// bound).
func NewDeque(items []Object, max int) *List { return &List{items: items, deque: true, max: max} }

// MaxLen is the bound of a deque, 0 for none.
func (l *List) MaxLen() int { return l.max }

// Items gives the elements. The slice is the list's own: read it only, and not
// across calls into code.
func (l *List) Items() []Object {
	if l.lazy {
		l.load()
	}
	return l.items
}

// Len is the number of elements.
func (l *List) Len() int {
	if l.lazy {
		return l.src.Len()
	}
	return len(l.items)
}

// Append adds an element and charges it.
func (l *List) Append(t *Thread, o Object) error {
	items := l.Items()
	if err := t.Alloc(slotSize); err != nil {
		return err
	}
	l.items = append(items, o)
	if l.max > 0 && len(l.items) > l.max {
		l.items = l.items[1:]
	}
	return nil
}

// Set replaces all elements; the caller has charged them.
func (l *List) Set(items []Object) { l.lazy, l.items = false, items }

// List makes a list of its own copy of items and charges it.
func (t *Thread) List(items []Object) (*List, error) {
	if err := t.AllocN(len(items)+2, slotSize); err != nil {
		return nil, err
	}
	return &List{items: append(make([]Object, 0, len(items)), items...)}, nil
}

// Tuple is a tuple, or a named tuple.
type Tuple struct {
	items []Object
	typ   *NamedTuple
}

// TypeName implements Object.
func (u *Tuple) TypeName() string {
	if u.typ != nil {
		return u.typ.Name
	}
	return "tuple"
}

// NewTuple makes a tuple that owns items.
func NewTuple(items ...Object) *Tuple { return &Tuple{items: items} }

// Items gives the elements, to be read only.
func (u *Tuple) Items() []Object { return u.items }

// Attr implements Attributer for named tuples.
func (u *Tuple) Attr(_ *Thread, name string) (Object, bool, error) {
	if u.typ != nil {
		for i, f := range u.typ.Fields {
			if f == name {
				return u.items[i], true, nil
			}
		}
		if name == "_fields" {
			return u.typ.fieldTuple(), true, nil
		}
	}
	return nil, false, nil
}

// AttrNames implements AttrNamer.
func (u *Tuple) AttrNames() []string {
	if u.typ == nil {
		return nil
	}
	return u.typ.Fields
}

// NamedTuple is a class made by collections.namedtuple.
type NamedTuple struct {
	Name   string
	Fields []string
	// Defaults are those of the last fields.
	Defaults []Object
}

// TypeName implements Object.
func (*NamedTuple) TypeName() string { return "type" }

func (n *NamedTuple) fieldTuple() *Tuple {
	items := make([]Object, len(n.Fields))
	for i, f := range n.Fields {
		items[i] = NewStr(f)
	}
	return &Tuple{items: items}
}

// Call makes a named tuple.
func (n *NamedTuple) Call(t *Thread, a Args) (Object, error) {
	if err := t.AllocN(len(n.Fields)+2, slotSize); err != nil {
		return nil, err
	}
	if len(a.Pos) > len(n.Fields) {
		return nil, TypeErrorf("%s.__new__() takes %d positional arguments but %d were given", n.Name, len(n.Fields)+1, len(a.Pos)+1)
	}
	items := make([]Object, len(n.Fields))
	copy(items, a.Pos)
	for _, kw := range a.Kw {
		i := indexOf(n.Fields, kw.Name)
		if i < 0 || items[i] != nil {
			return nil, TypeErrorf("%s.__new__() got an unexpected keyword argument '%s'", n.Name, kw.Name)
		}
		items[i] = kw.Value
	}
	for i := range items {
		if d := i - (len(items) - len(n.Defaults)); items[i] == nil && d >= 0 {
			items[i] = n.Defaults[d]
		}
		if items[i] == nil {
			return nil, TypeErrorf("%s.__new__() missing required argument: '%s'", n.Name, n.Fields[i])
		}
	}
	return &Tuple{items: items, typ: n}, nil
}

// Attr implements Attributer.
func (n *NamedTuple) Attr(_ *Thread, name string) (Object, bool, error) {
	switch name {
	case "__name__":
		return NewStr(n.Name), true, nil
	case "_fields":
		return n.fieldTuple(), true, nil
	}
	return nil, false, nil
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// Range is a range of integers.
type Range struct{ Start, Stop, Step, N int }

// TypeName implements Object.
func (*Range) TypeName() string { return "range" }

// NewRange makes a range; step is not 0.
func NewRange(start, stop, step int) *Range {
	r := &Range{Start: start, Stop: stop, Step: step}
	switch {
	case step > 0 && start < stop:
		r.N = int((uint64(stop)-uint64(start)-1)/uint64(step) + 1)
	case step < 0 && start > stop:
		r.N = int((uint64(start)-uint64(stop)-1)/(-uint64(step)) + 1)
	}
	return r
}

func (r *Range) at(i int) Object { return Int(r.Start + i*r.Step) }

// index finds an integer in the range, or gives -1.
func (r *Range) index(o Object) int {
	n, ok := AsInt(o)
	if f, isFloat := o.(Float); isFloat {
		n, ok = int(f), float64(int(f)) == float64(f)
	}
	if _, isBig := o.(*Big); !ok || isBig || r.N == 0 {
		return -1
	}
	d := n - r.Start
	if d%r.Step != 0 || d/r.Step < 0 || d/r.Step >= r.N {
		return -1
	}
	return d / r.Step
}
