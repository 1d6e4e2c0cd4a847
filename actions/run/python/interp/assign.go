package interp

import (
	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

func (f *frame) assignAll(s *syntax.Assign) error {
	v, err := f.eval(s.Value)
	if err != nil {
		return err
	}
	for _, t := range s.Targets {
		if err := f.assign(t, v); err != nil {
			return f.at(t.Start(), err)
		}
	}
	return nil
}

func (f *frame) assign(target syntax.Expr, v object.Object) error {
	switch x := target.(type) {
	case *syntax.Name:
		return f.store(x, v)
	case *syntax.Subscript:
		container, err := f.eval(x.X)
		if err != nil {
			return err
		}
		i, err := f.eval(x.Index)
		if err != nil {
			return err
		}
		return object.SetItem(f.t, container, i, v)
	case *syntax.Attribute:
		container, err := f.eval(x.X)
		if err != nil {
			return err
		}
		return object.SetAttr(f.t, container, x.Name, v)
	case *syntax.Display:
		return f.unpack(x, v)
	}
	return object.Errorf("SystemError", "cannot assign to this")
}

func (f *frame) store(n *syntax.Name, v object.Object) error {
	switch n.Ref.Kind {
	case syntax.Local:
		f.slots[n.Ref.Index] = v
	case syntax.Cell:
		f.cells[n.Ref.Index].v = v
	case syntax.Global:
		f.run.globals[n.Ref.Index] = v
	case syntax.Universal:
		return object.Errorf("NameError", "name '%s' cannot be assigned", n.Ident)
	}
	return nil
}

func (f *frame) unpack(d *syntax.Display, v object.Object) error {
	items, err := f.unpackItems(d, v)
	if err != nil {
		return err
	}
	if !d.Stars {
		for i, e := range d.Elts {
			if err := f.assign(e, items[i]); err != nil {
				return err
			}
		}
		return nil
	}
	rest := len(items) - (len(d.Elts) - 1)
	for _, e := range d.Elts {
		s, ok := e.(*syntax.Starred)
		if !ok {
			if err := f.assign(e, items[0]); err != nil {
				return err
			}
			items = items[1:]
			continue
		}
		if err := f.assign(s.X, object.NewList(append([]object.Object(nil), items[:rest]...))); err != nil {
			return err
		}
		items = items[rest:]
	}
	return nil
}

// unpackItems collects the values for the targets of d and checks their number.
func (f *frame) unpackItems(d *syntax.Display, v object.Object) ([]object.Object, error) {
	var items []object.Object
	if u, ok := v.(*object.Tuple); ok {
		items = u.Items()
	} else {
		if _, err := object.Iterate(f.t, v); err != nil {
			return nil, object.TypeErrorf("cannot unpack non-iterable %s object", v.TypeName())
		}
		var err error
		if items, err = object.Collect(f.t, v); err != nil {
			return nil, err
		}
	}
	want := len(d.Elts)
	switch {
	case d.Stars && len(items) < want-1:
		return nil, object.ValueErrorf("not enough values to unpack (expected at least %d, got %d)", want-1, len(items))
	case d.Stars:
	case len(items) > want:
		return nil, object.ValueErrorf("too many values to unpack (expected %d)", want)
	case len(items) < want:
		return nil, object.ValueErrorf("not enough values to unpack (expected %d, got %d)", want, len(items))
	}
	return items, nil
}

func (f *frame) augment(s *syntax.AugAssign) error {
	var get func() (object.Object, error)
	var set func(object.Object) error
	switch x := s.Target.(type) {
	case *syntax.Subscript:
		container, err := f.eval(x.X)
		if err != nil {
			return err
		}
		i, err := f.eval(x.Index)
		if err != nil {
			return err
		}
		get = func() (object.Object, error) { return object.GetItem(f.t, container, i) }
		set = func(v object.Object) error { return object.SetItem(f.t, container, i, v) }
	default:
		get = func() (object.Object, error) { return f.eval(s.Target) }
		set = func(v object.Object) error { return f.assign(s.Target, v) }
	}
	old, err := get()
	if err != nil {
		return err
	}
	v, err := f.eval(s.Value)
	if err != nil {
		return err
	}
	v, err = object.InPlace(f.t, s.Op, old, v)
	if err != nil {
		return err
	}
	return set(v)
}

func (f *frame) del(s *syntax.Del) error {
	for _, t := range s.Targets {
		switch x := t.(type) {
		case *syntax.Name:
			if _, err := f.load(x); err != nil {
				return err
			}
			if err := f.store(x, nil); err != nil {
				return err
			}
		case *syntax.Subscript:
			container, err := f.eval(x.X)
			if err != nil {
				return err
			}
			i, err := f.eval(x.Index)
			if err != nil {
				return err
			}
			if err := object.DelItem(f.t, container, i); err != nil {
				return f.at(x.Pos, err)
			}
		}
	}
	return nil
}
