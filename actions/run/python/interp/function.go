package interp

import (
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

// Function is a function of the program.
type Function struct {
	fn       *syntax.Func
	run      *Run
	defaults []object.Object // one for each parameter, nil where there is none
	free     []*cell
	id       uint64
	simple   bool // positional parameters without defaults only
}

// TypeName implements object.Object.
func (*Function) TypeName() string { return "function" }

// HashKey implements object.Hasher.
func (fn *Function) HashKey() object.Key { return object.IdentKey(fn.id) }

// Repr implements object.Reprer.
func (fn *Function) Repr(*object.Thread) (string, error) {
	return "<function " + fn.fn.Name + ">", nil
}

// Attr implements object.Attributer.
func (fn *Function) Attr(_ *object.Thread, name string) (object.Object, bool, error) {
	if name == "__name__" || name == "__qualname__" {
		return object.NewStr(fn.fn.Name), true, nil
	}
	return nil, false, nil
}

// Held implements object.Sized.
func (fn *Function) Held(visit func(object.Object)) {
	for _, d := range fn.defaults {
		visit(d)
	}
	for _, c := range fn.free {
		visit(c.v)
	}
}

// function makes a function of its code.
func (f *frame) function(code *syntax.Func) (object.Object, error) {
	if err := f.t.Alloc(128); err != nil {
		return nil, err
	}
	fn := &Function{fn: code, run: f.run, id: f.t.NextID(), simple: true}
	for i, p := range code.Params {
		fn.simple = fn.simple && p.Stars == 0 && !p.KwOnly && p.Default == nil
		if p.Default == nil {
			continue
		}
		if fn.defaults == nil {
			fn.defaults = make([]object.Object, len(code.Params))
		}
		v, err := f.eval(p.Default)
		if err != nil {
			return nil, err
		}
		fn.defaults[i] = v
	}
	fn.free = f.take(code.Code.Free)
	return fn, nil
}

// take collects the cells that an inner function uses.
func (f *frame) take(indexes []int) []*cell {
	if len(indexes) == 0 {
		return nil
	}
	cells := make([]*cell, len(indexes))
	for i, n := range indexes {
		cells[i] = f.cells[n]
	}
	return cells
}

// newFrame makes the frame of a call.
func newFrame(r *Run, name string, code *syntax.Code, free []*cell) *frame {
	f := &frame{run: r, t: r.t, name: name, slots: make([]object.Object, code.Slots)}
	if n := len(code.Own) + len(free); n > 0 {
		f.cells = make([]*cell, 0, n)
		for range code.Own {
			f.cells = append(f.cells, &cell{})
		}
		f.cells = append(f.cells, free...)
	}
	return f
}

// Call implements object.Callable.
func (fn *Function) Call(t *object.Thread, a object.Args) (object.Object, error) {
	code := &fn.fn.Code
	f := newFrame(fn.run, fn.fn.Name, code, fn.free)
	if fn.simple && len(a.Kw) == 0 && len(a.Pos) == len(fn.fn.Params) {
		copy(f.slots, a.Pos)
	} else if err := fn.bind(t, f.slots, a); err != nil {
		return nil, err
	}
	for i, slot := range code.Own {
		if slot >= 0 {
			f.cells[i].v = f.slots[slot]
			f.slots[slot] = nil
		}
	}
	t.PushFrame(f)
	err := f.body(fn.fn)
	t.PopFrame(f.result)
	if err != nil {
		return nil, f.traced(err)
	}
	if f.result == nil {
		return object.None(), nil
	}
	return f.result, nil
}

func (f *frame) body(fn *syntax.Func) (err error) {
	if fn.Expr != nil {
		f.pos = fn.Expr.Start()
		f.result, err = f.eval(fn.Expr)
		return err
	}
	_, err = f.exec(fn.Body)
	return err
}

// bind assigns arguments to parameters.
func (fn *Function) bind(t *object.Thread, slots []object.Object, a object.Args) error {
	b := argBinder{fn: fn, slots: slots, t: t}
	if err := b.positional(a.Pos); err != nil {
		return err
	}
	if err := b.keywords(a.Kw); err != nil {
		return err
	}
	return b.defaults()
}

type argBinder struct {
	fn    *Function
	t     *object.Thread
	slots []object.Object
}

func (b *argBinder) positional(pos []object.Object) error {
	given, capacity := len(pos), 0
	for i, p := range b.fn.fn.Params {
		switch {
		case p.Stars == 1:
			rest := append([]object.Object(nil), pos...)
			if err := b.t.AllocN(len(rest), 24); err != nil {
				return err
			}
			b.slots[i] = object.NewTuple(rest...)
			pos = nil
		case p.Stars == 2 || p.KwOnly:
		default:
			capacity++
			if len(pos) > 0 {
				b.slots[i] = pos[0]
				pos = pos[1:]
			}
		}
	}
	if len(pos) > 0 {
		verb := "were"
		if given == 1 {
			verb = "was"
		}
		s := "s"
		if capacity == 1 {
			s = ""
		}
		return object.TypeErrorf("%s() takes %d positional argument%s but %d %s given", b.fn.fn.Name, capacity, s, given, verb)
	}
	return nil
}

func (b *argBinder) keywords(kws []object.Kwarg) error {
	var rest *object.Dict
	params := b.fn.fn.Params
	if n := len(params); n > 0 && params[n-1].Stars == 2 {
		rest = object.NewDict("dict")
		b.slots[n-1] = rest
	}
	for _, kw := range kws {
		i := b.find(kw.Name)
		switch {
		case i >= 0 && b.slots[i] != nil:
			return object.TypeErrorf("%s() got multiple values for argument '%s'", b.fn.fn.Name, kw.Name)
		case i >= 0:
			b.slots[i] = kw.Value
		case rest != nil:
			if err := rest.PutStr(b.t, kw.Name, kw.Value); err != nil {
				return err
			}
		default:
			var known []string
			for _, p := range params {
				known = append(known, p.Name.Ident)
			}
			return object.Errorf("TypeError", "%s() got an unexpected keyword argument '%s'", b.fn.fn.Name, kw.Name).Suggest(kw.Name, known)
		}
	}
	return nil
}

func (b *argBinder) find(name string) int {
	for i, p := range b.fn.fn.Params {
		if p.Name.Ident == name && p.Stars == 0 && !p.PosOnly {
			return i
		}
	}
	return -1
}

func (b *argBinder) defaults() error {
	var missing, missingKw []string
	for i, p := range b.fn.fn.Params {
		if b.slots[i] != nil || p.Stars > 0 {
			continue
		}
		if b.fn.defaults != nil && b.fn.defaults[i] != nil {
			b.slots[i] = b.fn.defaults[i]
			continue
		}
		if p.KwOnly {
			missingKw = append(missingKw, "'"+p.Name.Ident+"'")
		} else {
			missing = append(missing, "'"+p.Name.Ident+"'")
		}
	}
	kind := "positional"
	if len(missing) == 0 {
		missing, kind = missingKw, "keyword-only"
	}
	if len(missing) == 0 {
		return nil
	}
	s := "s"
	if len(missing) == 1 {
		s = ""
	}
	return object.TypeErrorf("%s() missing %d required %s argument%s: %s", b.fn.fn.Name, len(missing), kind, s, enumerate(missing))
}

// enumerate joins names as "a, b, and c".
func enumerate(names []string) string {
	switch n := len(names); n {
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
}
