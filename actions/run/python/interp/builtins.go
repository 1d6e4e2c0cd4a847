package interp

import (
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

type (
	obj    = object.Object
	thread = object.Thread
	args   = object.Args
)

// AddBuiltins puts Python's builtin functions and types into a world.
func AddBuiltins(w *object.World) {
	for name, fn := range functions() {
		w.AddBuiltin(name, &object.Builtin{Name: name, Fn: fn})
	}
	for name, fn := range constructors() {
		w.AddBuiltin(name, object.Type(name))
		w.AddBuiltin("type "+name, &object.Builtin{Name: name, Fn: fn})
	}
	for name, fn := range map[string]func(*thread, args) (obj, error){
		"dict.fromkeys": dictFromKeys, "bytes.fromhex": bytesFromHex, "str.maketrans": strMakeTrans,
		"int.from_bytes": intFromBytes,
	} {
		w.AddBuiltin("type "+name, &object.Builtin{Name: name[strings.IndexByte(name, '.')+1:], Fn: fn})
	}
	for _, name := range object.ExceptionKinds() {
		w.AddBuiltin(name, object.Type(name))
	}
	w.AddBuiltin("object", object.Type("object"))
	w.AddBuiltin("NotImplemented", object.NotImplementedType{})
	w.AddBuiltin("Ellipsis", object.EllipsisType{})
	w.AddBuiltin("__name__", object.NewStr("__main__"))
}

func functions() map[string]func(*thread, args) (obj, error) {
	return map[string]func(*thread, args) (obj, error){
		"len": bLen, "abs": bAbs, "print": bPrint, "repr": bRepr, "ascii": bASCII, "isinstance": bIsInstance,
		"issubclass": bIsSubclass, "hasattr": bHasAttr, "getattr": bGetAttr, "callable": bCallable, "hash": bHash, "id": bID,
		"divmod": bDivmod, "pow": bPow, "round": bRound, "sum": bSum, "min": bMin, "max": bMax,
		"ord": bOrd, "chr": bChr, "hex": base("hex", 16), "bin": base("bin", 2), "oct": base("oct", 8),
		"format": bFormat, "sorted": bSorted, "iter": bIter, "next": bNext,
		"any": bAny, "all": bAll,
	}
}

func bLen(_ *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("len", "obj /", &x); err != nil {
		return nil, err
	}
	n, err := object.Len(x)
	return object.Int(n), err
}

func bAbs(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("abs", "x /", &x); err != nil {
		return nil, err
	}
	if _, ok := x.(object.Negater); !ok {
		if _, ok := object.AsFloat(x); !ok {
			return nil, object.TypeErrorf("bad operand type for abs(): '%s'", x.TypeName())
		}
	}
	if f, ok := x.(object.Float); ok && f == 0 {
		return object.Float(0), nil
	}
	if n, ok := x.(object.Negater); ok {
		neg := n.Negate()
		if less, err := object.Compare(t, object.Lt, x, neg); err == nil && less {
			return neg, nil
		}
		return x, nil
	}
	if neg, err := object.Compare(t, object.Lt, x, object.Int(0)); err != nil || neg {
		if err != nil {
			return nil, err
		}
		return object.Negate(x)
	}
	return object.Plus(x)
}

// printOptions reads the keyword arguments of print.
func printOptions(kws []object.Kwarg) (sep, end string, err error) {
	sep, end = " ", "\n"
	for _, kw := range kws {
		to := map[string]*string{"sep": &sep, "end": &end}[kw.Name]
		s, isStr := object.AsStr(kw.Value)
		switch {
		case kw.Name == "flush":
		case to == nil:
			return "", "", object.TypeErrorf("print() got an unexpected keyword argument '%s'", kw.Name)
		case isStr:
			*to = s
		case !object.IsNone(kw.Value):
			return "", "", object.TypeErrorf("%s must be None or a string, not %s", kw.Name, kw.Value.TypeName())
		}
	}
	return sep, end, nil
}

func bPrint(t *thread, a args) (obj, error) {
	sep, end, err := printOptions(a.Kw)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i, x := range a.Pos {
		if i > 0 {
			b.WriteString(sep)
		}
		s, err := object.ToStr(t, x)
		if err != nil {
			return nil, err
		}
		if err := t.Alloc(int64(len(s) + len(sep))); err != nil {
			return nil, err
		}
		b.WriteString(s)
	}
	b.WriteString(end)
	t.Write(b.String())
	return object.None(), nil
}

func bRepr(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("repr", "obj /", &x); err != nil {
		return nil, err
	}
	s, err := object.Repr(t, x)
	return object.NewStr(s), err
}

func bASCII(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("ascii", "obj /", &x); err != nil {
		return nil, err
	}
	s, err := object.Repr(t, x)
	return object.NewStr(object.ASCII(s)), err
}

func bIsInstance(_ *thread, a args) (obj, error) {
	var x, typ obj
	if err := a.Bind("isinstance", "obj class /", &x, &typ); err != nil {
		return nil, err
	}
	ok, err := instance(x, typ)
	return object.Bool(ok), err
}

func instance(x, typ obj) (bool, error) {
	switch typ := typ.(type) {
	case object.Type:
		return object.InstanceOf(x, string(typ)), nil
	case *object.NamedTuple:
		return object.TypeOf(x) == obj(typ), nil
	case *object.Tuple:
		for _, one := range typ.Items() {
			if ok, err := instance(x, one); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	return false, object.TypeErrorf("isinstance() arg 2 must be a type, a tuple of types, or a union")
}

func bIsSubclass(_ *thread, a args) (obj, error) {
	var x, typ obj
	if err := a.Bind("issubclass", "class bases /", &x, &typ); err != nil {
		return nil, err
	}
	sub, ok1 := x.(object.Type)
	base, ok2 := typ.(object.Type)
	if !ok1 || !ok2 {
		return nil, object.TypeErrorf("issubclass() needs two types")
	}
	return object.Bool(object.Derives(string(sub), string(base))), nil
}

func attrArgs(name string, a args, spec string, dst ...*obj) (string, error) {
	if err := a.Bind(name, spec, dst...); err != nil {
		return "", err
	}
	s, ok := object.AsStr(*dst[1])
	if !ok {
		return "", object.TypeErrorf("%s(): attribute name must be string", name)
	}
	return s, nil
}

func bHasAttr(t *thread, a args) (obj, error) {
	var x, n obj
	name, err := attrArgs("hasattr", a, "obj name /", &x, &n)
	if err != nil {
		return nil, err
	}
	ok, err := object.HasAttr(t, x, name)
	return object.Bool(ok), err
}

func bGetAttr(t *thread, a args) (obj, error) {
	var x, n, missing obj
	name, err := attrArgs("getattr", a, "obj name default? /", &x, &n, &missing)
	if err != nil {
		return nil, err
	}
	if missing != nil {
		if ok, err := object.HasAttr(t, x, name); err != nil || !ok {
			return missing, err
		}
	}
	return object.GetAttr(t, x, name)
}

func bCallable(_ *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("callable", "obj /", &x); err != nil {
		return nil, err
	}
	switch x.(type) {
	case object.Callable, object.Type:
		return object.True, nil
	}
	return object.False, nil
}

func bHash(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("hash", "obj /", &x); err != nil {
		return nil, err
	}
	k, err := t.Key(x)
	if err != nil {
		return nil, err
	}
	if i, ok := x.(object.Int); ok {
		return i, nil
	}
	return object.Int(k.Hash()), nil
}

func bID(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("id", "obj /", &x); err != nil {
		return nil, err
	}
	return object.Int(t.NextID()), nil
}

func bOrd(_ *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("ord", "c /", &x); err != nil {
		return nil, err
	}
	s, ok := x.(*object.Str)
	if !ok {
		if b, ok := x.(object.Bytes); ok && len(b) == 1 {
			return object.Int(b[0]), nil
		}
		return nil, object.TypeErrorf("ord() expected string of length 1, but %s found", x.TypeName())
	}
	if s.Len() != 1 {
		return nil, object.TypeErrorf("ord() expected a character, but string of length %d found", s.Len())
	}
	return object.Int([]rune(s.Text())[0]), nil
}

func bChr(_ *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("chr", "i /", &x); err != nil {
		return nil, err
	}
	n, err := object.IntArg(x)
	if err != nil {
		return nil, err
	}
	switch {
	case n < 0 || n > 0x10ffff:
		return nil, object.ValueErrorf("chr() arg not in range(0x110000)")
	case n >= 0xd800 && n < 0xe000:
		return nil, object.ValueErrorf("chr(%d) is half of a surrogate pair, not a character", n)
	}
	return object.NewStr(string(rune(n))), nil
}

func base(name string, b int) func(*thread, args) (obj, error) {
	return func(t *thread, a args) (obj, error) {
		var x obj
		if err := a.Bind(name, "number /", &x); err != nil {
			return nil, err
		}
		if _, err := object.IntArg(x); err != nil {
			return nil, err
		}
		s, err := object.Format(t, x, "#"+map[int]string{16: "x", 2: "b", 8: "o"}[b])
		if err != nil {
			return nil, err
		}
		return t.Str(s)
	}
}

func bFormat(t *thread, a args) (obj, error) {
	var x obj
	var spec obj = object.NewStr("")
	if err := a.Bind("format", "value format_spec? /", &x, &spec); err != nil {
		return nil, err
	}
	s, ok := object.AsStr(spec)
	if !ok {
		return nil, object.TypeErrorf("format() argument 2 must be str, not %s", spec.TypeName())
	}
	out, err := object.Format(t, x, s)
	if err != nil {
		return nil, err
	}
	return t.Str(out)
}

func bSorted(t *thread, a args) (obj, error) {
	var x, key, reverse obj
	if err := a.Bind("sorted", "iterable * key? reverse?", &x, &key, &reverse); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	if err != nil {
		return nil, err
	}
	if err := object.Sort(t, items, key, reverse != nil && object.Truth(reverse)); err != nil {
		return nil, err
	}
	return object.NewList(items), nil
}

func bIter(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("iter", "iterable /", &x); err != nil {
		return nil, err
	}
	if it, ok := x.(*object.Iter); ok {
		return it, nil
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	return &object.Iter{Name: x.TypeName() + "_iterator", It: it, Refs: []obj{x}}, nil
}

func bNext(t *thread, a args) (obj, error) {
	var x, missing obj
	if err := a.Bind("next", "iterator default? /", &x, &missing); err != nil {
		return nil, err
	}
	it, ok := x.(*object.Iter)
	if !ok {
		return nil, object.TypeErrorf("'%s' object is not an iterator", x.TypeName())
	}
	v, ok, err := it.Next(t)
	switch {
	case err != nil || ok:
		return v, err
	case missing != nil:
		return missing, nil
	}
	return nil, &object.Exception{Kind: "StopIteration"}
}

func bAny(t *thread, a args) (obj, error) { return search(t, a, "any", true) }
func bAll(t *thread, a args) (obj, error) { return search(t, a, "all", false) }

// search looks for an element of the given truth.
func search(t *thread, a args, name string, want bool) (obj, error) {
	var x obj
	if err := a.Bind(name, "iterable /", &x); err != nil {
		return nil, err
	}
	it, err := object.Iterate(t, x)
	if err != nil {
		return nil, err
	}
	for {
		v, ok, err := it.Next(t)
		if err != nil {
			return nil, err
		}
		if !ok {
			return object.Bool(!want), nil
		}
		if object.Truth(v) == want {
			return object.Bool(want), nil
		}
		if err := t.Step(1); err != nil {
			return nil, err
		}
	}
}
