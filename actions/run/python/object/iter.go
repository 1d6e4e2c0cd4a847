package object

// Iter is an iterator as a Python value.
type Iter struct {
	Name string // of its type
	It   Iterator
	Refs []Object // what it keeps alive
}

// TypeName implements Object.
func (i *Iter) TypeName() string { return i.Name }

// Held implements Sized.
func (i *Iter) Held(visit func(Object)) {
	for _, r := range i.Refs {
		visit(r)
	}
}

// Next implements Iterator. It counts as a call, so that iterators upon
// iterators don't nest without bound.
func (i *Iter) Next(t *Thread) (Object, bool, error) {
	if err := t.Enter(); err != nil {
		return nil, false, err
	}
	defer t.Leave()
	return i.It.Next(t)
}

// IterFunc makes an Iterator of a function.
type IterFunc func(t *Thread) (Object, bool, error)

// Next implements Iterator.
func (f IterFunc) Next(t *Thread) (Object, bool, error) { return f(t) }

// Iterate returns an iterator over o, which sees changes made on the way as
// Python's do.
func Iterate(t *Thread, o Object) (Iterator, error) {
	switch o := o.(type) {
	case *List:
		return &listIter{l: o}, nil
	case *Tuple:
		return &sliceIter{items: o.items}, nil
	case *Range:
		return &rangeIter{r: o}, nil
	case *Str:
		return &strIter{s: o}, nil
	case Bytes:
		return &bytesIter{b: string(o)}, nil
	case *Dict:
		return newDictIter(&View{d: o, kind: "keys"}, "dictionary"), nil
	case *View:
		return newDictIter(o, "dictionary"), nil
	case *Set:
		return newDictIter(&View{d: &o.d, kind: "keys"}, "Set"), nil
	case *Iter:
		return o, nil
	case Iterable:
		return o.Iterate(t), nil
	}
	return nil, TypeErrorf("'%s' object is not iterable", o.TypeName())
}

// Each calls fn for every element of o, counting steps.
func Each(t *Thread, o Object, fn func(Object) error) error {
	it, err := Iterate(t, o)
	if err != nil {
		return err
	}
	for {
		v, ok, err := it.Next(t)
		if err != nil || !ok {
			return err
		}
		if err := t.Step(1); err != nil {
			return err
		}
		if err := fn(v); err != nil {
			return err
		}
	}
}

// Collect returns the elements of o in a slice of the caller's, charged.
func Collect(t *Thread, o Object) ([]Object, error) {
	var items []Object
	switch o := o.(type) {
	case *List:
		items = o.Items()
	case *Tuple:
		items = o.items
	default:
		if r, ok := o.(*Range); ok {
			if err := t.AllocN(r.N, slotSize); err != nil {
				return nil, err
			}
			items = make([]Object, 0, r.N)
		}
		err := Each(t, o, func(v Object) error {
			items = append(items, v)
			return t.Alloc(slotSize)
		})
		return items, err
	}
	if err := t.AllocN(len(items), slotSize); err != nil {
		return nil, err
	}
	if err := t.Work(len(items)); err != nil {
		return nil, err
	}
	return append(make([]Object, 0, len(items)), items...), nil
}

type listIter struct {
	l *List
	i int
}

// Next implements Iterator.
func (it *listIter) Next(*Thread) (Object, bool, error) {
	items := it.l.Items()
	if it.i >= len(items) {
		it.i = 1 << 62 // an exhausted iterator stays so
		return nil, false, nil
	}
	it.i++
	return items[it.i-1], true, nil
}

type sliceIter struct{ items []Object }

// Next implements Iterator.
func (it *sliceIter) Next(*Thread) (Object, bool, error) {
	if len(it.items) == 0 {
		return nil, false, nil
	}
	v := it.items[0]
	it.items = it.items[1:]
	return v, true, nil
}

// SliceIter iterates over items.
func SliceIter(items []Object) Iterator { return &sliceIter{items: items} }

type rangeIter struct {
	r *Range
	i int
}

// Next implements Iterator.
func (it *rangeIter) Next(*Thread) (Object, bool, error) {
	if it.i >= it.r.N {
		return nil, false, nil
	}
	it.i++
	return it.r.at(it.i - 1), true, nil
}

type strIter struct {
	s *Str
	i int
}

// Next implements Iterator.
func (it *strIter) Next(t *Thread) (Object, bool, error) {
	if it.i >= it.s.Len() {
		return nil, false, nil
	}
	it.i++
	return it.s.at(it.i - 1), true, t.Alloc(headSize)
}

type bytesIter struct {
	b string
	i int
}

// Next implements Iterator.
func (it *bytesIter) Next(*Thread) (Object, bool, error) {
	if it.i >= len(it.b) {
		return nil, false, nil
	}
	it.i++
	return Int(it.b[it.i-1]), true, nil
}

type dictIter struct {
	v    *View
	noun string
	i, n int
	back bool
}

func newDictIter(v *View, noun string) *dictIter {
	return &dictIter{v: v, noun: noun, n: v.d.Len()}
}

// Next implements Iterator.
func (it *dictIter) Next(*Thread) (Object, bool, error) {
	d := it.v.d
	if d.Len() != it.n {
		return nil, false, Errorf("RuntimeError", "%s changed size during iteration", it.noun).
			WithHint("iterate over a copy: for k in list(d): ...")
	}
	if it.back {
		for it.i--; it.i >= 0; it.i-- {
			if it.i < len(d.entries) && d.entries[it.i].k != nil {
				return it.v.at(it.i), true, nil
			}
		}
		it.i = 0
		return nil, false, nil
	}
	i := d.next(it.i)
	if i < 0 {
		return nil, false, nil
	}
	it.i = i + 1
	return it.v.at(i), true, nil
}

// Reversed is reversed(o).
func Reversed(o Object) (Iterator, error) {
	switch o := o.(type) {
	case *List:
		i := o.Len()
		return IterFunc(func(*Thread) (Object, bool, error) {
			i = min(i, o.Len()) - 1
			if i < 0 {
				i = 0
				return nil, false, nil
			}
			return o.Items()[i], true, nil
		}), nil
	case *Tuple:
		return backwards(len(o.items), func(i int) Object { return o.items[i] }), nil
	case *Str:
		return backwards(o.Len(), func(i int) Object { return o.at(i) }), nil
	case Bytes:
		return backwards(len(o), func(i int) Object { return Int(o[i]) }), nil
	case *Range:
		return backwards(o.N, o.at), nil
	case *Dict:
		return reversedView(&View{d: o, kind: "keys"}), nil
	case *View:
		return reversedView(o), nil
	}
	return nil, TypeErrorf("'%s' object is not reversible", o.TypeName())
}

func backwards(n int, at func(int) Object) Iterator {
	return IterFunc(func(*Thread) (Object, bool, error) {
		if n == 0 {
			return nil, false, nil
		}
		n--
		return at(n), true, nil
	})
}

func reversedView(v *View) Iterator {
	it := newDictIter(v, "dictionary")
	v.d.next(0) // fills a lazy dictionary
	it.i, it.back = len(v.d.entries), true
	return it
}
