package object

func dictMethods() []Method {
	return []Method{
		on("get", dictGet), on("setdefault", dictSetDefault), on("pop", dictPop), on("popitem", dictPopItem),
		on("update", dictUpdate), on("copy", dictCopy), on("clear", dictClear),
		on("keys", viewMethod("keys")), on("values", viewMethod("values")), on("items", viewMethod("items")),
	}
}

func viewMethod(kind string) func(*Thread, *Dict, Args) (Object, error) {
	return func(_ *Thread, d *Dict, a Args) (Object, error) {
		return &View{d: d, kind: kind}, a.Bind(kind, "")
	}
}

func dictGet(t *Thread, d *Dict, a Args) (Object, error) {
	var key Object
	missing := None()
	if err := a.Bind("get", "key default? /", &key, &missing); err != nil {
		return nil, err
	}
	v, ok, err := d.Get(t, key)
	if err != nil || ok {
		return v, err
	}
	return missing, nil
}

func dictSetDefault(t *Thread, d *Dict, a Args) (Object, error) {
	var key Object
	missing := None()
	if err := a.Bind("setdefault", "key default? /", &key, &missing); err != nil {
		return nil, err
	}
	v, ok, err := d.Get(t, key)
	if err != nil || ok {
		return v, err
	}
	return missing, d.Put(t, key, missing)
}

func dictPop(t *Thread, d *Dict, a Args) (Object, error) {
	var key, missing Object
	if err := a.Bind("pop", "key default? /", &key, &missing); err != nil {
		return nil, err
	}
	v, ok, err := d.Delete(t, key)
	switch {
	case err != nil || ok:
		return v, err
	case missing != nil:
		return missing, nil
	}
	return nil, keyError(key, d)
}

func dictPopItem(t *Thread, d *Dict, a Args) (Object, error) {
	var last Object = True
	if err := a.Bind("popitem", "last?", &last); err != nil {
		return nil, err
	}
	if d.Len() == 0 {
		return nil, Errorf("KeyError", "popitem(): dictionary is empty")
	}
	i := d.next(0)
	if Truth(last) {
		for i = len(d.entries) - 1; d.entries[i].k == nil; {
			i--
		}
	}
	e := d.entries[i]
	d.remove(i)
	return NewTuple(e.k, e.v), t.Alloc(headSize)
}

func dictUpdate(t *Thread, d *Dict, a Args) (Object, error) {
	if len(a.Pos) > 1 {
		return nil, TypeErrorf("update expected at most 1 argument, got %d", len(a.Pos))
	}
	if d.kind == "Counter" {
		return None(), d.count(t, a, Add)
	}
	return None(), d.Fill(t, a)
}

// Fill is what dict(...) and update(...) do with their arguments.
func (d *Dict) Fill(t *Thread, a Args) error {
	for _, o := range a.Pos {
		if err := d.updateFrom(t, o); err != nil {
			return err
		}
	}
	for _, kw := range a.Kw {
		if err := d.PutStr(t, kw.Name, kw.Value); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dict) updateFrom(t *Thread, o Object) error {
	if src, ok := o.(*Dict); ok {
		return d.Update(t, src)
	}
	if _, err := Iterate(t, o); err != nil {
		return err
	}
	i := 0
	return Each(t, o, func(v Object) error {
		pair, err := Collect(t, v)
		if err != nil {
			return TypeErrorf("cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		if len(pair) != 2 {
			return ValueErrorf("dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
		}
		i++
		return d.Put(t, pair[0], pair[1])
	})
}

// count adds or subtracts counts, as Counter.update and subtract do.
func (d *Dict) count(t *Thread, a Args, op Op) error {
	add := func(k, n Object) error {
		old, err := d.getItem(t, k)
		if err != nil {
			return err
		}
		sum, err := Binary(t, op, old, n)
		if err != nil {
			return err
		}
		return d.Put(t, k, sum)
	}
	for _, o := range a.Pos {
		if IsNone(o) {
			continue
		}
		if src, ok := o.(*Dict); ok {
			for i := src.next(0); i >= 0; i = src.next(i + 1) {
				if err := add(src.entries[i].k, src.entries[i].v); err != nil {
					return err
				}
			}
			continue
		}
		if err := Each(t, o, func(v Object) error { return add(v, Int(1)) }); err != nil {
			return err
		}
	}
	for _, kw := range a.Kw {
		if err := add(NewStr(kw.Name), kw.Value); err != nil {
			return err
		}
	}
	return nil
}

// Count is Counter.update, or Counter.subtract.
func (d *Dict) Count(t *Thread, a Args, subtract bool) error {
	if subtract {
		return d.count(t, a, Sub)
	}
	return d.count(t, a, Add)
}

func dictCopy(t *Thread, d *Dict, a Args) (Object, error) {
	if err := a.Bind("copy", ""); err != nil {
		return nil, err
	}
	return d.Copy(t)
}

func dictClear(_ *Thread, d *Dict, a Args) (Object, error) {
	d.Clear()
	return None(), a.Bind("clear", "")
}
