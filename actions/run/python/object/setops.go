package object

// collectionOp computes on sets and dictionaries.
func collectionOp(t *Thread, op Op, a, b Object) (Object, bool, error) {
	if x, ok := a.(*Dict); ok {
		if y, ok := b.(*Dict); ok {
			return dictOp(t, op, x, y)
		}
	}
	if isSetLike(a) && isSetLike(b) && (op == Sub || op == And || op == Or || op == Xor) {
		x, err := setOf(t, a)
		if err != nil {
			return nil, true, err
		}
		y, err := setOf(t, b)
		if err != nil {
			return nil, true, err
		}
		return setOp(t, op, x, y)
	}
	return nil, false, nil
}

func isSetLike(o Object) bool {
	switch o := o.(type) {
	case *Set:
		return true
	case *View:
		return o.kind != "values"
	}
	return false
}

// setOf returns o if it is a set, else a new set of its elements.
func setOf(t *Thread, o Object) (*Set, error) {
	if s, ok := o.(*Set); ok {
		return s, nil
	}
	s := &Set{}
	err := Each(t, o, func(v Object) error { return s.Add(t, v) })
	return s, err
}

func setOp(t *Thread, op Op, a, b *Set) (Object, bool, error) {
	out := &Set{frozen: a.frozen}
	if err := t.Work(a.Len() + b.Len()); err != nil {
		return nil, true, err
	}
	var err error
	switch op {
	case Or:
		err = out.addWhere(t, a, nil, false)
		if err == nil {
			err = out.addWhere(t, b, nil, false)
		}
	case And:
		err = out.addWhere(t, a, b, true)
	case Sub:
		err = out.addWhere(t, a, b, false)
	case Xor:
		err = out.addWhere(t, a, b, false)
		if err == nil {
			err = out.addWhere(t, b, a, false)
		}
	default:
		return nil, false, nil
	}
	return out, true, err
}

// addWhere adds the elements of src that are in filter or, if in is false, are
// not. A nil filter has no elements.
func (s *Set) addWhere(t *Thread, src, filter *Set, in bool) error {
	for i := src.d.next(0); i >= 0; i = src.d.next(i + 1) {
		e := src.d.entries[i]
		if filter != nil && (filter.d.find(e.key) >= 0) != in {
			continue
		}
		if err := s.d.put(t, e.key, e.k, e.v); err != nil {
			return err
		}
	}
	return nil
}

func subset(t *Thread, a, b *Set) (bool, error) {
	if err := t.Work(a.Len()); err != nil {
		return false, err
	}
	for i := a.d.next(0); i >= 0; i = a.d.next(i + 1) {
		if b.d.find(a.d.entries[i].key) < 0 {
			return false, nil
		}
	}
	return true, nil
}

func compareSets(t *Thread, op CmpOp, a, b *Set) (bool, error) {
	if op == Gt || op == Ge {
		a, b = b, a
	}
	if (op == Lt || op == Gt) && a.Len() >= b.Len() {
		return false, nil
	}
	return subset(t, a, b)
}

func dictOp(t *Thread, op Op, a, b *Dict) (Object, bool, error) {
	if a.kind == "Counter" && b.kind == "Counter" {
		return counterOp(t, op, a, b)
	}
	if op != Or {
		return nil, false, nil
	}
	out, err := a.Copy(t)
	if err == nil {
		err = out.Update(t, b)
	}
	return out, true, err
}

// counterOp keeps positive counts only, as Counter's operators do.
func counterOp(t *Thread, op Op, a, b *Dict) (Object, bool, error) {
	out := NewDict("Counter")
	merge := func(key Object, x, y Object) error {
		v, err := counts(t, op, x, y)
		if err != nil {
			return err
		}
		if positive, err := Compare(t, Gt, v, Int(0)); err != nil || !positive {
			return err
		}
		return out.Put(t, key, v)
	}
	switch op {
	case Add, Sub, And, Or:
	default:
		return nil, false, nil
	}
	for k, v := range a.All() {
		other, err := b.getItem(t, k)
		if err == nil {
			err = merge(k, v, other)
		}
		if err != nil {
			return nil, true, err
		}
	}
	for k, v := range b.All() {
		if _, in, err := a.Get(t, k); err != nil || in {
			continue
		}
		if err := merge(k, Int(0), v); err != nil {
			return nil, true, err
		}
	}
	return out, true, nil
}

func counts(t *Thread, op Op, x, y Object) (Object, error) {
	switch op {
	case And, Or:
		less, err := Compare(t, Lt, x, y)
		if err != nil {
			return nil, err
		}
		if less == (op == And) {
			return x, nil
		}
		return y, nil
	}
	return Binary(t, op, x, y)
}
