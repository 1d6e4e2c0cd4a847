package interp

import (
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

// eval evaluates an expression. An error gets the position of the innermost
// expression that raised it.
func (f *frame) eval(x syntax.Expr) (object.Object, error) {
	switch x := x.(type) {
	case *syntax.Const:
		return x.Value, nil
	case *syntax.Name:
		return f.load(x)
	}
	v, err := f.compound(x)
	if err != nil {
		return nil, f.at(place(x), err)
	}
	return v, nil
}

// place is where an error of an expression is shown.
func place(x syntax.Expr) syntax.Pos {
	if a, ok := x.(*syntax.Attribute); ok {
		return a.NamePos
	}
	return x.Start()
}

func (f *frame) compound(x syntax.Expr) (object.Object, error) { //nolint:cyclop // one case for each kind of expression
	switch x := x.(type) {
	case *syntax.Binary:
		l, err := f.eval(x.L)
		if err != nil {
			return nil, err
		}
		r, err := f.eval(x.R)
		if err != nil {
			return nil, err
		}
		return object.Binary(f.t, x.Op, l, r)
	case *syntax.Call:
		return f.call(x)
	case *syntax.Attribute:
		v, err := f.eval(x.X)
		if err != nil {
			return nil, err
		}
		return object.GetAttr(f.t, v, x.Name)
	case *syntax.Subscript:
		v, err := f.eval(x.X)
		if err != nil {
			return nil, err
		}
		i, err := f.eval(x.Index)
		if err != nil {
			return nil, err
		}
		return object.GetItem(f.t, v, i)
	case *syntax.Compare:
		return f.compare(x)
	case *syntax.Logic:
		return f.logic(x)
	case *syntax.Unary:
		return f.unary(x)
	case *syntax.IfExpr:
		ok, err := f.truth(x.Cond)
		if err != nil {
			return nil, err
		}
		if ok {
			return f.eval(x.Then)
		}
		return f.eval(x.Else)
	case *syntax.FString:
		return f.fstring(x.Parts)
	}
	return f.maker(x)
}

// maker evaluates expressions that make something new.
func (f *frame) maker(x syntax.Expr) (object.Object, error) {
	switch x := x.(type) {
	case *syntax.Display:
		return f.display(x)
	case *syntax.DictExpr:
		return f.dict(x)
	case *syntax.Comp:
		return f.comprehension(x)
	case *syntax.Lambda:
		return f.function(x.Func)
	case *syntax.SliceExpr:
		return f.slice(x)
	case *syntax.Walrus:
		v, err := f.eval(x.Value)
		if err != nil {
			return nil, err
		}
		return v, f.store(x.Target, v)
	}
	return nil, object.Errorf("SystemError", "cannot evaluate this")
}

func (f *frame) load(n *syntax.Name) (object.Object, error) {
	var v object.Object
	switch n.Ref.Kind {
	case syntax.Local:
		v = f.slots[n.Ref.Index]
	case syntax.Cell:
		v = f.cells[n.Ref.Index].v
	case syntax.Global:
		if v = f.run.globals[n.Ref.Index]; v == nil {
			v = f.predeclared(n.Ident)
		}
	case syntax.Universal:
		v = f.predeclared(n.Ident)
	}
	if v == nil {
		return nil, f.at(n.Pos, f.unbound(n))
	}
	return v, nil
}

func (f *frame) predeclared(name string) object.Object {
	if v, ok := f.run.pre[name]; ok {
		return v
	}
	return f.t.World.Builtin(name)
}

func (f *frame) unbound(n *syntax.Name) error {
	switch n.Ref.Kind {
	case syntax.Local:
		return object.Errorf("UnboundLocalError", "cannot access local variable '%s' where it is not associated with a value", n.Ident)
	case syntax.Cell:
		return object.Errorf("NameError", "cannot access free variable '%s' where it is not associated with a value in enclosing scope", n.Ident)
	}
	known := append(f.t.World.BuiltinNames(), f.run.file.Globals...)
	for name := range f.run.pre {
		known = append(known, name)
	}
	e := object.Errorf("NameError", "name '%s' is not defined", n.Ident)
	for _, m := range f.t.World.ModuleNames() {
		if m == n.Ident {
			return e.WithHint("add: import %s", m)
		}
	}
	return e.Suggest(n.Ident, known)
}

func (f *frame) compare(x *syntax.Compare) (object.Object, error) {
	l, err := f.eval(x.First)
	if err != nil {
		return nil, err
	}
	for i, op := range x.Ops {
		r, err := f.eval(x.Rest[i])
		if err != nil {
			return nil, err
		}
		ok, err := object.Compare(f.t, op, l, r)
		if err != nil || !ok {
			return object.False, err
		}
		l = r
	}
	return object.True, nil
}

func (f *frame) logic(x *syntax.Logic) (v object.Object, err error) {
	for _, part := range x.Xs {
		if v, err = f.eval(part); err != nil || object.Truth(v) != x.And {
			return v, err
		}
	}
	return v, nil
}

func (f *frame) unary(x *syntax.Unary) (object.Object, error) {
	v, err := f.eval(x.X)
	if err != nil {
		return nil, err
	}
	switch x.Op {
	case 'n':
		return object.Bool(!object.Truth(v)), nil
	case '-':
		return object.Negate(v)
	case '+':
		return object.Plus(v)
	}
	return object.Invert(v)
}

func (f *frame) fstring(parts []syntax.FPart) (object.Object, error) {
	s, err := f.text(parts)
	if err != nil {
		return nil, err
	}
	return f.t.Str(s)
}

func (f *frame) text(parts []syntax.FPart) (string, error) {
	var b strings.Builder
	for _, p := range parts {
		if p.X == nil {
			b.WriteString(p.Text)
			continue
		}
		s, err := f.field(p)
		if err != nil {
			return "", f.at(p.X.Start(), err)
		}
		b.WriteString(s)
		if err := f.t.Alloc(int64(len(s))); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (f *frame) field(p syntax.FPart) (string, error) {
	v, err := f.eval(p.X)
	if err != nil {
		return "", err
	}
	if p.Conv != "" {
		if v, err = object.Convert(f.t, v, p.Conv); err != nil {
			return "", err
		}
	}
	spec, err := f.text(p.Spec)
	if err != nil {
		return "", err
	}
	return object.Format(f.t, v, spec)
}

func (f *frame) slice(x *syntax.SliceExpr) (object.Object, error) {
	parts := [3]object.Object{object.None(), object.None(), object.None()}
	for i, p := range [3]syntax.Expr{x.Lo, x.Hi, x.Step} {
		if p == nil {
			continue
		}
		v, err := f.eval(p)
		if err != nil {
			return nil, err
		}
		parts[i] = v
	}
	return &object.Slice{Lo: parts[0], Hi: parts[1], Step: parts[2]}, nil
}

// elements evaluates the elements of a display, stars unpacked.
func (f *frame) elements(d *syntax.Display) ([]object.Object, error) {
	if err := f.t.AllocN(len(d.Elts)+2, 24); err != nil {
		return nil, err
	}
	items := make([]object.Object, 0, len(d.Elts))
	for _, e := range d.Elts {
		if s, ok := e.(*syntax.Starred); ok {
			v, err := f.eval(s.X)
			if err != nil {
				return nil, err
			}
			more, err := object.Collect(f.t, v)
			if err != nil {
				return nil, f.at(s.Pos, err)
			}
			items = append(items, more...)
			continue
		}
		v, err := f.eval(e)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	return items, nil
}

func (f *frame) display(d *syntax.Display) (object.Object, error) {
	items, err := f.elements(d)
	if err != nil {
		return nil, err
	}
	switch d.Kind {
	case syntax.TupleKind:
		return object.NewTuple(items...), nil
	case syntax.SetKind:
		s := object.NewSet(false)
		for _, item := range items {
			if err := s.Add(f.t, item); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	return object.NewList(items), nil
}

func (f *frame) dict(x *syntax.DictExpr) (object.Object, error) {
	d := object.NewDict("dict")
	for i, k := range x.Keys {
		if k == nil {
			v, err := f.eval(x.Values[i])
			if err != nil {
				return nil, err
			}
			m, ok := v.(*object.Dict)
			if !ok {
				return nil, object.TypeErrorf("'%s' object is not a mapping", v.TypeName())
			}
			if err := d.Update(f.t, m); err != nil {
				return nil, err
			}
			continue
		}
		key, err := f.eval(k)
		if err != nil {
			return nil, err
		}
		v, err := f.eval(x.Values[i])
		if err != nil {
			return nil, err
		}
		if err := d.Put(f.t, key, v); err != nil {
			return nil, f.at(k.Start(), err)
		}
	}
	return d, nil
}
