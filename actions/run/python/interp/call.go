package interp

import (
	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/actions/run/python/syntax"
)

func (f *frame) call(x *syntax.Call) (object.Object, error) {
	if a, ok := x.Func.(*syntax.Attribute); ok {
		return f.callMethod(x, a)
	}
	fn, err := f.eval(x.Func)
	if err != nil {
		return nil, err
	}
	args, err := f.args(x)
	if err != nil {
		return nil, err
	}
	return object.Call(f.t, fn, args)
}

// callMethod calls x.name(...) without making a bound method.
func (f *frame) callMethod(x *syntax.Call, a *syntax.Attribute) (object.Object, error) {
	self, err := f.eval(a.X)
	if err != nil {
		return nil, err
	}
	m, ok := object.FindMethod(f.t, self, a.Name)
	if !ok {
		fn, err := object.GetAttr(f.t, self, a.Name)
		if err != nil {
			return nil, f.at(a.NamePos, err)
		}
		args, err := f.args(x)
		if err != nil {
			return nil, err
		}
		v, err := object.Call(f.t, fn, args)
		if err != nil {
			return nil, f.at(a.NamePos, err)
		}
		return v, nil
	}
	args, err := f.args(x)
	if err != nil {
		return nil, err
	}
	if err := f.t.Step(1); err != nil {
		return nil, err
	}
	if err := f.t.Enter(); err != nil {
		return nil, err
	}
	v, err := m.Fn(f.t, self, args)
	f.t.Leave()
	if err != nil {
		return nil, f.at(a.NamePos, err)
	}
	return v, nil
}

func (f *frame) args(x *syntax.Call) (object.Args, error) {
	if len(x.Args) == 0 {
		return object.Args{}, nil
	}
	pos := make([]object.Object, 0, len(x.Args))
	if x.Plain {
		for _, a := range x.Args {
			v, err := f.eval(a.X)
			if err != nil {
				return object.Args{}, err
			}
			pos = append(pos, v)
		}
		return object.Args{Pos: pos}, nil
	}
	args := object.Args{Pos: pos}
	for _, a := range x.Args {
		v, err := f.eval(a.X)
		if err != nil {
			return object.Args{}, err
		}
		if err := f.addArg(&args, a, v); err != nil {
			return object.Args{}, f.at(a.X.Start(), err)
		}
	}
	return args, nil
}

func (f *frame) addArg(args *object.Args, a syntax.Arg, v object.Object) error {
	switch {
	case a.Stars == 1:
		more, err := object.Collect(f.t, v)
		if err != nil {
			return object.TypeErrorf("argument after * must be an iterable, not %s", v.TypeName())
		}
		args.Pos = append(args.Pos, more...)
	case a.Stars == 2:
		d, ok := v.(*object.Dict)
		if !ok {
			return object.TypeErrorf("argument after ** must be a mapping, not %s", v.TypeName())
		}
		if err := f.t.AllocN(d.Len(), 48); err != nil {
			return err
		}
		for k, v := range d.All() {
			name, ok := object.AsStr(k)
			if !ok {
				return object.TypeErrorf("keywords must be strings")
			}
			args.Kw = append(args.Kw, object.Kwarg{Name: name, Value: v})
		}
	case a.Name != "":
		args.Kw = append(args.Kw, object.Kwarg{Name: a.Name, Value: v})
	default:
		args.Pos = append(args.Pos, v)
	}
	return nil
}
