package interp

import (
	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

// control tells how a statement ended.
type control uint8

const (
	next control = iota
	brk
	cont
	ret
)

func (f *frame) exec(body []syntax.Stmt) (control, error) {
	for _, s := range body {
		f.pos = s.Start()
		if err := f.t.Statement(); err != nil {
			return next, f.at(f.pos, err)
		}
		c, err := f.statement(s)
		if err != nil {
			return next, f.at(s.Start(), err)
		}
		if c != next {
			return c, nil
		}
	}
	return next, nil
}

func (f *frame) statement(s syntax.Stmt) (control, error) { //nolint:cyclop // one case for each kind of statement
	switch s := s.(type) {
	case *syntax.ExprStmt:
		_, err := f.eval(s.X)
		return next, err
	case *syntax.Assign:
		return next, f.assignAll(s)
	case *syntax.AugAssign:
		return next, f.augment(s)
	case *syntax.If:
		return f.ifStmt(s)
	case *syntax.For:
		return f.forStmt(s)
	case *syntax.While:
		return f.whileStmt(s)
	case *syntax.Return:
		return f.returnStmt(s)
	case *syntax.Jump:
		switch s.Kind {
		case "break":
			return brk, nil
		case "continue":
			return cont, nil
		}
		return next, nil
	case *syntax.Def:
		fn, err := f.function(s.Func)
		if err != nil {
			return next, err
		}
		return next, f.store(s.Name, fn)
	case *syntax.Import:
		return next, f.importStmt(s)
	case *syntax.Del:
		return next, f.del(s)
	case *syntax.Raise:
		return next, f.raise(s)
	case *syntax.Assert:
		return next, f.assert(s)
	}
	return next, nil
}

func (f *frame) ifStmt(s *syntax.If) (control, error) {
	for {
		ok, err := f.truth(s.Cond)
		if err != nil {
			return next, err
		}
		if ok {
			return f.exec(s.Then)
		}
		if len(s.Else) == 1 {
			if elif, ok := s.Else[0].(*syntax.If); ok {
				s = elif
				f.pos = s.Pos
				continue
			}
		}
		return f.exec(s.Else)
	}
}

func (f *frame) truth(x syntax.Expr) (bool, error) {
	v, err := f.eval(x)
	if err != nil {
		return false, err
	}
	return object.Truth(v), nil
}

func (f *frame) forStmt(s *syntax.For) (control, error) {
	iterable, err := f.eval(s.Iter)
	if err != nil {
		return next, err
	}
	it, err := object.Iterate(f.t, iterable)
	if err != nil {
		return next, f.at(s.Iter.Start(), err)
	}
	for {
		v, ok, err := it.Next(f.t)
		if err != nil {
			return next, err
		}
		if !ok {
			return f.exec(s.Else)
		}
		f.pos = s.Pos
		if err := f.assign(s.Target, v); err != nil {
			return next, err
		}
		if c, done, err := f.iteration(s.Body); done || err != nil {
			return c, err
		}
	}
}

// iteration runs the body of a loop; done tells that the loop is over.
func (f *frame) iteration(body []syntax.Stmt) (c control, done bool, err error) {
	if err := f.t.Step(1); err != nil {
		return next, true, err
	}
	c, err = f.exec(body)
	switch {
	case err != nil || c == ret:
		return c, true, err
	case c == brk:
		return next, true, nil
	}
	return next, false, nil
}

func (f *frame) whileStmt(s *syntax.While) (control, error) {
	for {
		f.pos = s.Pos
		ok, err := f.truth(s.Cond)
		if err != nil {
			return next, err
		}
		if !ok {
			return f.exec(s.Else)
		}
		if c, done, err := f.iteration(s.Body); done || err != nil {
			return c, err
		}
	}
}

func (f *frame) returnStmt(s *syntax.Return) (control, error) {
	f.result = object.None()
	if s.X == nil {
		return ret, nil
	}
	v, err := f.eval(s.X)
	f.result = v
	return ret, err
}

func (f *frame) importStmt(s *syntax.Import) error {
	m := f.t.World.Module(s.Module)
	if m == nil {
		return object.Errorf("ModuleNotFoundError", "No module named '%s'", s.Module)
	}
	if s.Member == "" {
		return f.store(s.Name, m)
	}
	v, err := object.GetAttr(f.t, m, s.Member)
	if err != nil {
		return err
	}
	return f.store(s.Name, v)
}

func (f *frame) raise(s *syntax.Raise) error {
	if s.X == nil {
		return object.Errorf("RuntimeError", "No active exception to reraise")
	}
	v, err := f.eval(s.X)
	if err != nil {
		return err
	}
	if t, ok := v.(object.Type); ok {
		if v, err = object.Call0(f.t, t); err != nil {
			return err
		}
	}
	e, ok := v.(*object.Exception)
	if !ok {
		return object.TypeErrorf("exceptions must derive from BaseException")
	}
	raised := *e
	raised.Pos, raised.Trace = s.Pos, nil
	return &raised
}

func (f *frame) assert(s *syntax.Assert) error {
	ok, err := f.truth(s.Cond)
	if err != nil || ok {
		return err
	}
	e := &object.Exception{Kind: "AssertionError"}
	if s.Msg != nil {
		msg, err := f.eval(s.Msg)
		if err != nil {
			return err
		}
		e.Args = []object.Object{msg}
	}
	return e
}
