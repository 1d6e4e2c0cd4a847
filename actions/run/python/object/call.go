package object

import "strings"

// Args are the arguments of a call.
type Args struct {
	Pos []Object
	Kw  []Kwarg
}

// Kwarg is a keyword argument.
type Kwarg struct {
	Name  string
	Value Object
}

// Builtin is a function of ours.
type Builtin struct {
	Name string
	Fn   func(t *Thread, a Args) (Object, error)
}

// TypeName implements Object.
func (*Builtin) TypeName() string { return "builtin_function_or_method" }

// Call implements Callable.
func (b *Builtin) Call(t *Thread, a Args) (Object, error) { return b.Fn(t, a) }

// Bound is a method with its receiver.
type Bound struct {
	Self   Object
	Method Method
}

// TypeName implements Object.
func (*Bound) TypeName() string { return "builtin_function_or_method" }

// Call implements Callable.
func (b *Bound) Call(t *Thread, a Args) (Object, error) { return b.Method.Fn(t, b.Self, a) }

// Held implements Sized.
func (b *Bound) Held(visit func(Object)) { visit(b.Self) }

// Unbound is a method taken from its type, such as str.lower.
type Unbound struct {
	Type   string
	Method Method
}

// TypeName implements Object.
func (*Unbound) TypeName() string { return "method_descriptor" }

// Call implements Callable.
func (u *Unbound) Call(t *Thread, a Args) (Object, error) {
	if len(a.Pos) == 0 || !InstanceOf(a.Pos[0], u.Type) {
		return nil, TypeErrorf("descriptor '%s' for '%s' objects needs one as its first argument", u.Method.Name, u.Type)
	}
	return u.Method.Fn(t, a.Pos[0], Args{Pos: a.Pos[1:], Kw: a.Kw})
}

// Call calls a value.
func Call(t *Thread, fn Object, a Args) (Object, error) {
	if err := t.Step(1); err != nil {
		return nil, err
	}
	switch fn := fn.(type) {
	case Callable:
		if err := t.Enter(); err != nil {
			return nil, err
		}
		defer t.Leave()
		return fn.Call(t, a)
	case Type:
		ctor, ok := t.World.Builtin("type " + string(fn)).(*Builtin)
		if ok {
			return ctor.Fn(t, a)
		}
		if isExceptionName(string(fn)) || fn == "Exception" || fn == "BaseException" {
			return &Exception{Kind: string(fn), Args: append([]Object(nil), a.Pos...)}, nil
		}
	}
	return nil, TypeErrorf("'%s' object is not callable", fn.TypeName())
}

// Call0 calls a value with positional arguments only.
func Call0(t *Thread, fn Object, args ...Object) (Object, error) {
	return Call(t, fn, Args{Pos: args})
}

// Bind assigns arguments to parameters as Python does. spec lists the names,
// separated by spaces: "x" must be given, "x?" may be left out (its target
// stays nil), "*" begins keyword-only parameters, and "/" ends positional-only
// ones.
func (a Args) Bind(fn, spec string, targets ...*Object) error {
	b := binder{args: a, fn: fn, targets: targets}
	for spec != "" {
		var name string
		name, spec, _ = strings.Cut(spec, " ")
		if err := b.param(name, spec); err != nil {
			return err
		}
	}
	return b.finish()
}

type binder struct {
	args    Args
	fn      string
	targets []*Object
	i       int // parameter
	pos     int // positional arguments taken
	kw      int // keyword arguments taken
	kwOnly  bool
}

func (b *binder) param(name, rest string) error {
	switch name {
	case "*":
		b.kwOnly = true
		return nil
	case "/":
		return nil
	}
	name, optional := strings.CutSuffix(name, "?")
	target := b.targets[b.i]
	b.i++
	byName := b.args.named(name)
	positionalOnly := rest == "/" || strings.HasSuffix(rest, " /")
	switch {
	case !b.kwOnly && b.pos < len(b.args.Pos):
		*target = b.args.Pos[b.pos]
		b.pos++
		if byName != nil {
			return TypeErrorf("%s() got multiple values for argument '%s'", b.fn, name)
		}
	case byName != nil && !positionalOnly:
		*target = byName
		b.kw++
	case !optional:
		return TypeErrorf("%s() missing required argument '%s' (pos %d)", b.fn, name, b.i)
	}
	return nil
}

func (b *binder) finish() error {
	if b.pos < len(b.args.Pos) {
		if b.pos == 0 {
			return TypeErrorf("%s() takes no arguments (%d given)", b.fn, len(b.args.Pos))
		}
		return TypeErrorf("%s() takes at most %d argument%s (%d given)", b.fn, b.pos, plural(b.pos), len(b.args.Pos))
	}
	if b.kw < len(b.args.Kw) {
		return TypeErrorf("%s() got an unexpected keyword argument%s", b.fn, b.unknown())
	}
	return nil
}

func (b *binder) unknown() string {
	if len(b.args.Kw) == 1 {
		return " '" + b.args.Kw[0].Name + "'"
	}
	names := make([]string, len(b.args.Kw))
	for i, kw := range b.args.Kw {
		names[i] = kw.Name
	}
	return " among " + strings.Join(names, ", ")
}

func (a Args) named(name string) Object {
	for i := range a.Kw {
		if a.Kw[i].Name == name {
			return a.Kw[i].Value
		}
	}
	return nil
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
