package object

func listMethods() []Method {
	return []Method{
		on("append", listAppend), on("extend", listExtend), on("insert", listInsert),
		on("pop", listPop), on("remove", listRemove), on("index", listIndex),
		on("count", listCount), on("sort", listSort), on("reverse", listReverse),
		on("copy", listCopy), on("clear", listClear),
	}
}

func listAppend(t *Thread, l *List, a Args) (Object, error) {
	if len(a.Pos) != 1 || len(a.Kw) != 0 {
		var x Object
		if err := a.Bind("append", "object /", &x); err != nil {
			return nil, err
		}
	}
	return None(), l.Append(t, a.Pos[0])
}

func (l *List) extend(t *Thread, o Object) error {
	items, err := Collect(t, o)
	if err != nil {
		return err
	}
	l.items = append(l.Items(), items...)
	if over := len(l.items) - l.max; l.max > 0 && over > 0 {
		l.items = l.items[over:]
	}
	return nil
}

func listExtend(t *Thread, l *List, a Args) (Object, error) {
	var x Object
	if err := a.Bind("extend", "iterable /", &x); err != nil {
		return nil, err
	}
	return None(), l.extend(t, x)
}

func listInsert(t *Thread, l *List, a Args) (Object, error) {
	var at, x Object
	if err := a.Bind("insert", "index object /", &at, &x); err != nil {
		return nil, err
	}
	if _, err := IntArg(at); err != nil {
		return nil, err
	}
	n := len(l.Items())
	i, err := clampIndex(at, n, n, 0, n)
	if err != nil {
		return nil, err
	}
	if err := l.Append(t, x); err != nil {
		return nil, err
	}
	copy(l.items[i+1:], l.items[i:n])
	l.items[i] = x
	return None(), t.Work(n - i)
}

func listPop(t *Thread, l *List, a Args) (Object, error) {
	var at Object = Int(-1)
	if err := a.Bind("pop", "index? /", &at); err != nil {
		return nil, err
	}
	items := l.Items()
	if len(items) == 0 {
		if l.deque {
			return nil, Errorf("IndexError", "pop from an empty deque")
		}
		return nil, Errorf("IndexError", "pop from empty list")
	}
	i, err := IntArg(at)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		i += len(items)
	}
	if i < 0 || i >= len(items) {
		return nil, Errorf("IndexError", "pop index out of range")
	}
	v := items[i]
	copy(items[i:], items[i+1:])
	items[len(items)-1] = nil
	l.items = items[:len(items)-1]
	return v, t.Work(len(items) - i)
}

func listRemove(t *Thread, l *List, a Args) (Object, error) {
	var x Object
	if err := a.Bind("remove", "value /", &x); err != nil {
		return nil, err
	}
	i, err := indexIn(t, l.Items(), x)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(l.items) {
		return nil, ValueErrorf("list.remove(x): x not in list")
	}
	l.items = append(l.items[:i], l.items[i+1:]...)
	return None(), nil
}

func listIndex(t *Thread, l *List, a Args) (Object, error) { return seqIndex(t, l, l.Items(), a) }

func seqIndex(t *Thread, self Object, items []Object, a Args) (Object, error) {
	var x, lo, hi Object
	if err := a.Bind("index", "value start? stop? /", &x, &lo, &hi); err != nil {
		return nil, err
	}
	start, _, n, err := (&Slice{Lo: lo, Hi: hi}).bounds(len(items))
	if err != nil {
		return nil, err
	}
	i, err := indexIn(t, items[start:start+n], x)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		if _, ok := self.(*Tuple); ok {
			return nil, ValueErrorf("tuple.index(x): x not in tuple")
		}
		return nil, ValueErrorf("%s is not in list", plainRepr(x))
	}
	return Int(start + i), nil
}

func listCount(t *Thread, l *List, a Args) (Object, error) { return seqCount(t, l.Items(), a) }

func seqCount(t *Thread, items []Object, a Args) (Object, error) {
	var x Object
	if err := a.Bind("count", "value /", &x); err != nil {
		return nil, err
	}
	n := 0
	for _, v := range items {
		if err := t.Step(1); err != nil {
			return nil, err
		}
		eq, err := Equal(t, v, x)
		if err != nil {
			return nil, err
		}
		if eq {
			n++
		}
	}
	return Int(n), nil
}

func listSort(t *Thread, l *List, a Args) (Object, error) {
	var key, reverse Object
	if err := a.Bind("sort", "* key? reverse?", &key, &reverse); err != nil {
		return nil, err
	}
	items, err := Collect(t, l)
	if err != nil {
		return nil, err
	}
	if err := Sort(t, items, key, Truth(orNone(reverse))); err != nil {
		return nil, err
	}
	l.Set(items)
	return None(), nil
}

func listReverse(t *Thread, l *List, a Args) (Object, error) {
	items := l.Items()
	for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
		items[i], items[j] = items[j], items[i]
	}
	if err := t.Work(len(items)); err != nil {
		return nil, err
	}
	return None(), a.Bind("reverse", "")
}

func listCopy(t *Thread, l *List, a Args) (Object, error) {
	if err := a.Bind("copy", ""); err != nil {
		return nil, err
	}
	items, err := Collect(t, l)
	return &List{items: items, deque: l.deque, max: l.max}, err
}

func listClear(_ *Thread, l *List, a Args) (Object, error) {
	l.Set(nil)
	return None(), a.Bind("clear", "")
}

func tupleMethods() []Method {
	return []Method{
		on("index", func(t *Thread, u *Tuple, a Args) (Object, error) { return seqIndex(t, u, u.items, a) }),
		on("count", func(t *Thread, u *Tuple, a Args) (Object, error) { return seqCount(t, u.items, a) }),
		on("_asdict", tupleAsDict), on("_replace", tupleReplace),
	}
}

func tupleAsDict(t *Thread, u *Tuple, a Args) (Object, error) {
	if u.typ == nil {
		return nil, attributeError(t, u, "_asdict")
	}
	d := NewDict("dict")
	for i, f := range u.typ.Fields {
		if err := d.PutStr(t, f, u.items[i]); err != nil {
			return nil, err
		}
	}
	return d, a.Bind("_asdict", "")
}

func tupleReplace(t *Thread, u *Tuple, a Args) (Object, error) {
	if u.typ == nil {
		return nil, attributeError(t, u, "_replace")
	}
	items, err := Collect(t, u)
	if err != nil {
		return nil, err
	}
	for _, kw := range a.Kw {
		i := indexOf(u.typ.Fields, kw.Name)
		if i < 0 {
			return nil, ValueErrorf("Got unexpected field names: ['%s']", kw.Name)
		}
		items[i] = kw.Value
	}
	return &Tuple{items: items, typ: u.typ}, nil
}

func rangeMethods() []Method {
	return []Method{
		on("index", func(_ *Thread, r *Range, a Args) (Object, error) {
			var x Object
			if err := a.Bind("index", "value /", &x); err != nil {
				return nil, err
			}
			if i := r.index(x); i >= 0 {
				return Int(i), nil
			}
			return nil, ValueErrorf("%s is not in range", plainRepr(x))
		}),
		on("count", func(_ *Thread, r *Range, a Args) (Object, error) {
			var x Object
			if err := a.Bind("count", "value /", &x); err != nil {
				return nil, err
			}
			if r.index(x) >= 0 {
				return Int(1), nil
			}
			return Int(0), nil
		}),
	}
}
