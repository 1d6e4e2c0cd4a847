package object

func frozensetMethods() []Method {
	return []Method{
		on("union", combine(Or)), on("intersection", combine(And)), on("difference", combine(Sub)),
		on("symmetric_difference", combine(Xor)),
		on("issubset", relation("issubset", Le)), on("issuperset", relation("issuperset", Ge)),
		on("isdisjoint", setIsDisjoint), on("copy", setCopy),
	}
}

func setMethods() []Method {
	return append(frozensetMethods(),
		on("add", setAdd), on("discard", setDiscard), on("remove", setRemove), on("pop", setPop),
		on("clear", setClear), on("update", update(Or)), on("intersection_update", update(And)),
		on("difference_update", update(Sub)), on("symmetric_difference_update", update(Xor)),
	)
}

func combineAll(t *Thread, op Op, s *Set, others []Object) (*Set, error) {
	out := &Set{frozen: s.frozen}
	if err := out.addWhere(t, s, nil, false); err != nil {
		return nil, err
	}
	for _, o := range others {
		x, err := setOf(t, o)
		if err != nil {
			return nil, err
		}
		r, _, err := setOp(t, op, out, x)
		if err != nil {
			return nil, err
		}
		out = r.(*Set) //nolint:forcetypeassert // setOp of sets gives a set
	}
	return out, nil
}

func combine(op Op) func(*Thread, *Set, Args) (Object, error) {
	return func(t *Thread, s *Set, a Args) (Object, error) {
		if len(a.Kw) > 0 {
			return nil, TypeErrorf("set methods take no keyword arguments")
		}
		out, err := combineAll(t, op, s, a.Pos)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
}

func update(op Op) func(*Thread, *Set, Args) (Object, error) {
	return func(t *Thread, s *Set, a Args) (Object, error) {
		out, err := combineAll(t, op, s, a.Pos)
		if err != nil {
			return nil, err
		}
		s.d = out.d
		return None(), nil
	}
}

func relation(name string, op CmpOp) func(*Thread, *Set, Args) (Object, error) {
	return func(t *Thread, s *Set, a Args) (Object, error) {
		var o Object
		if err := a.Bind(name, "other /", &o); err != nil {
			return nil, err
		}
		x, err := setOf(t, o)
		if err != nil {
			return nil, err
		}
		ok, err := compareSets(t, op, s, x)
		return Bool(ok), err
	}
}

func setIsDisjoint(t *Thread, s *Set, a Args) (Object, error) {
	out, err := combine(And)(t, s, a)
	if err != nil {
		return nil, err
	}
	return Bool(!Truth(out)), nil
}

func setCopy(t *Thread, s *Set, a Args) (Object, error) {
	if err := a.Bind("copy", ""); err != nil {
		return nil, err
	}
	return combine(Or)(t, s, Args{})
}

func setAdd(t *Thread, s *Set, a Args) (Object, error) {
	var x Object
	if err := a.Bind("add", "elem /", &x); err != nil {
		return nil, err
	}
	return None(), s.Add(t, x)
}

func setDiscard(t *Thread, s *Set, a Args) (Object, error) {
	var x Object
	if err := a.Bind("discard", "elem /", &x); err != nil {
		return nil, err
	}
	_, _, err := s.d.Delete(t, x)
	return None(), err
}

func setRemove(t *Thread, s *Set, a Args) (Object, error) {
	var x Object
	if err := a.Bind("remove", "elem /", &x); err != nil {
		return nil, err
	}
	_, ok, err := s.d.Delete(t, x)
	if err == nil && !ok {
		err = keyError(x, nil)
	}
	return None(), err
}

func setPop(_ *Thread, s *Set, a Args) (Object, error) {
	if err := a.Bind("pop", ""); err != nil {
		return nil, err
	}
	i := s.d.next(0)
	if i < 0 {
		return nil, Errorf("KeyError", "pop from an empty set")
	}
	k := s.d.entries[i].k
	s.d.remove(i)
	return k, nil
}

func setClear(_ *Thread, s *Set, a Args) (Object, error) {
	s.d.Clear()
	return None(), a.Bind("clear", "")
}
