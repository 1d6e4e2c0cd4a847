package interp

import (
	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

// generator runs the clauses of a comprehension and stops at every element.
// It is a generator expression's iterator, and drives the other
// comprehensions.
type generator struct {
	f     *frame
	comp  *syntax.Comp
	iters []object.Iterator // of the clauses entered so far
	busy  bool
	done  bool
}

func (f *frame) comprehension(c *syntax.Comp) (object.Object, error) {
	first, err := f.eval(c.First)
	if err != nil {
		return nil, err
	}
	it, err := object.Iterate(f.t, first)
	if err != nil {
		return nil, f.at(c.First.Start(), err)
	}
	if err := f.t.Alloc(192); err != nil {
		return nil, err
	}
	names := map[syntax.DisplayKind]string{syntax.ListKind: "<listcomp>", syntax.SetKind: "<setcomp>", syntax.DictKind: "<dictcomp>"}
	inner := newFrame(f.run, names[c.Kind], &c.Code, f.take(c.Code.Free))
	inner.pos = c.Pos
	g := &generator{f: inner, comp: c, iters: []object.Iterator{it}}
	if c.Kind == syntax.GeneratorKind {
		inner.name = "<genexpr>"
		return &object.Iter{Name: "generator", It: g, Refs: []object.Object{first, &held{inner}}}, nil
	}
	if err := f.t.Enter(); err != nil {
		return nil, err
	}
	defer f.t.Leave()
	return f.collect(c, g)
}

// held lets a generator's variables count as held memory.
type held struct{ f *frame }

// TypeName implements object.Object.
func (*held) TypeName() string { return "frame" }

// Held implements object.Sized.
func (h *held) Held(visit func(object.Object)) { h.f.Roots(visit) }

func (f *frame) collect(c *syntax.Comp, g *generator) (object.Object, error) {
	switch c.Kind {
	case syntax.DictKind:
		d := object.NewDict("dict")
		return d, g.each(func(k object.Object) error {
			v, err := g.f.eval(c.Value)
			if err != nil {
				return err
			}
			return d.Put(f.t, k, v)
		})
	case syntax.SetKind:
		s := object.NewSet(false)
		return s, g.each(func(v object.Object) error { return s.Add(f.t, v) })
	}
	l := object.NewList(nil)
	return l, g.each(func(v object.Object) error { return l.Append(f.t, v) })
}

func (g *generator) each(fn func(object.Object) error) error {
	for {
		v, ok, err := g.advance()
		if err != nil {
			return g.f.at(g.comp.Pos, err)
		}
		if !ok {
			return nil
		}
		if err := fn(v); err != nil {
			return g.f.at(g.comp.Elt.Start(), err)
		}
	}
}

// Next implements object.Iterator.
func (g *generator) Next(*object.Thread) (object.Object, bool, error) {
	if g.busy {
		return nil, false, object.ValueErrorf("generator already executing")
	}
	g.busy = true
	defer func() { g.busy = false }()
	v, ok, err := g.advance()
	if err != nil {
		err = g.f.at(g.comp.Pos, err)
	}
	return v, ok, err
}

// advance runs to the next element.
func (g *generator) advance() (object.Object, bool, error) {
	for !g.done {
		if err := g.f.t.Step(1); err != nil {
			return nil, false, err
		}
		depth := len(g.iters) - 1
		v, ok, err := g.iters[depth].Next(g.f.t)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			g.iters = g.iters[:depth]
			g.done = depth == 0
			continue
		}
		pass, err := g.enter(depth, v)
		if err != nil || !pass {
			if err != nil {
				return nil, false, err
			}
			continue
		}
		if len(g.iters) == len(g.comp.Clauses) {
			elt, err := g.f.eval(g.comp.Elt)
			return elt, err == nil, err
		}
		if err := g.descend(depth + 1); err != nil {
			return nil, false, err
		}
	}
	return nil, false, nil
}

// enter binds the target of a clause and checks its conditions.
func (g *generator) enter(depth int, v object.Object) (pass bool, err error) {
	cl := &g.comp.Clauses[depth]
	if err := g.f.assign(cl.Target, v); err != nil {
		return false, g.f.at(cl.Target.Start(), err)
	}
	for _, c := range cl.Conds {
		if ok, err := g.f.truth(c); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// descend starts the loop of an inner clause.
func (g *generator) descend(depth int) error {
	x := g.comp.Clauses[depth].Iter
	v, err := g.f.eval(x)
	if err != nil {
		return err
	}
	it, err := object.Iterate(g.f.t, v)
	if err != nil {
		return g.f.at(x.Start(), err)
	}
	g.iters = append(g.iters, it)
	return nil
}
