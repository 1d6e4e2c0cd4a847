package object

import "strings"

// Op is an operator with two operands.
type Op uint8

// The binary operators.
const (
	Add Op = iota
	Sub
	Mul
	Div
	FloorDiv
	Mod
	Pow
	LShift
	RShift
	And
	Or
	Xor
	MatMul
)

// String is the operator as it is written.
func (op Op) String() string {
	return [...]string{"+", "-", "*", "/", "//", "%", "** or pow()", "<<", ">>", "&", "|", "^", "@"}[op]
}

// Binary is a op b.
func Binary(t *Thread, op Op, a, b Object) (Object, error) { //nolint:cyclop // the protocols in their order of precedence
	if x, ok := a.(Int); ok {
		if y, ok := b.(Int); ok {
			if v, ok := smallInt(op, x, y); ok {
				return v, nil
			}
		}
	}
	if v, ok, err := numeric(t, op, a, b); ok || err != nil {
		return v, err
	}
	if v, ok, err := sequenceOp(t, op, a, b); ok || err != nil {
		return v, err
	}
	if v, ok, err := collectionOp(t, op, a, b); ok || err != nil {
		return v, err
	}
	if x, ok := a.(Operand); ok {
		if v, ok, err := x.Binary(t, op, b, false); ok || err != nil {
			return v, err
		}
	}
	if y, ok := b.(Operand); ok {
		if v, ok, err := y.Binary(t, op, a, true); ok || err != nil {
			return v, err
		}
	}
	return nil, operandError(op, a, b)
}

func operandError(op Op, a, b Object) error {
	sym := op.String()
	_, intLeft := integer(a)
	_, intRight := integer(b)
	switch a := a.(type) {
	case *Str:
		if op == Add {
			e := Errorf("TypeError", `can only concatenate str (not "%s") to str`, b.TypeName())
			return e.WithHint(`convert it first: str(x), or write an f-string: f"...{x}"`)
		}
		if op == Mul {
			return TypeErrorf("can't multiply sequence by non-int of type '%s'", b.TypeName())
		}
	case *List, *Tuple:
		if op == Add {
			return TypeErrorf(`can only concatenate %s (not "%s") to %s`, a.TypeName(), b.TypeName(), a.TypeName())
		}
		if op == Mul && !intRight {
			return TypeErrorf("can't multiply sequence by non-int of type '%s'", b.TypeName())
		}
	case Bytes:
		if op == Add {
			return TypeErrorf("can't concat %s to bytes", b.TypeName())
		}
	}
	if op == Mul && isSequence(b) && !intLeft {
		return TypeErrorf("can't multiply sequence by non-int of type '%s'", a.TypeName())
	}
	return TypeErrorf("unsupported operand type(s) for %s: '%s' and '%s'", sym, a.TypeName(), b.TypeName())
}

func isSequence(o Object) bool {
	switch o.(type) {
	case *Str, *List, *Tuple, Bytes:
		return true
	}
	return false
}

// InPlace is a op= b: lists, sets and dictionaries are changed in place.
func InPlace(t *Thread, op Op, a, b Object) (Object, error) {
	switch x := a.(type) {
	case *List:
		switch op {
		case Add:
			return x, x.extend(t, b)
		case Mul:
			r, err := Binary(t, op, a, b)
			if err == nil {
				x.Set(r.(*List).items) //nolint:forcetypeassert // a list times anything is a list
			}
			return x, err
		}
	case *Set:
		if y, ok := b.(*Set); ok && !x.frozen {
			r, ok, err := setOp(t, op, x, y)
			if ok && err == nil {
				x.d = r.(*Set).d //nolint:forcetypeassert // of sets
				return x, nil
			}
			if err != nil {
				return nil, err
			}
		}
	case *Dict:
		if op == Or && x.kind != "Counter" {
			return x, x.updateFrom(t, b)
		}
	}
	return Binary(t, op, a, b)
}

// sequenceOp concatenates and repeats, and formats with %.
func sequenceOp(t *Thread, op Op, a, b Object) (Object, bool, error) {
	switch op {
	case Add:
		return concat(t, a, b)
	case Mul:
		if isSequence(a) {
			return repeat(t, a, b)
		}
		return repeat(t, b, a)
	case Mod:
		if s, ok := a.(*Str); ok {
			v, err := percent(t, s.s, b)
			return v, true, err
		}
	}
	return nil, false, nil
}

func concat(t *Thread, a, b Object) (Object, bool, error) {
	switch x := a.(type) {
	case *Str:
		if y, ok := b.(*Str); ok {
			if err := t.Alloc(int64(len(x.s)+len(y.s)) + headSize); err != nil {
				return nil, true, err
			}
			if err := t.Work((len(x.s) + len(y.s)) / 16); err != nil {
				return nil, true, err
			}
			return &Str{s: x.s + y.s, ascii: x.ascii && y.ascii}, true, nil
		}
	case Bytes:
		if y, ok := b.(Bytes); ok {
			return x + y, true, t.Alloc(int64(len(x) + len(y)))
		}
	case *List:
		if y, ok := b.(*List); ok && x.deque == y.deque {
			items, err := join(t, x.Items(), y.Items())
			return &List{items: items, deque: x.deque, max: x.max}, true, err
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			items, err := join(t, x.items, y.items)
			return &Tuple{items: items}, true, err
		}
	}
	return nil, false, nil
}

func join(t *Thread, a, b []Object) ([]Object, error) {
	if err := t.AllocN(len(a)+len(b)+2, slotSize); err != nil {
		return nil, err
	}
	if err := t.Work(len(a) + len(b)); err != nil {
		return nil, err
	}
	out := make([]Object, 0, len(a)+len(b))
	return append(append(out, a...), b...), nil
}

func repeat(t *Thread, seq, count Object) (Object, bool, error) {
	n, ok := AsInt(count)
	if !ok || !isSequence(seq) {
		return nil, false, nil
	}
	n = max(n, 0)
	switch x := seq.(type) {
	case *Str:
		if err := t.AllocN(n, max(len(x.s), 1)); err != nil {
			return nil, true, err
		}
		return &Str{s: strings.Repeat(x.s, n), ascii: x.ascii}, true, t.Work(n * len(x.s) / 16)
	case Bytes:
		if err := t.AllocN(n, max(len(x), 1)); err != nil {
			return nil, true, err
		}
		return Bytes(strings.Repeat(string(x), n)), true, nil
	case *List:
		items, err := repeatItems(t, x.Items(), n)
		return &List{items: items, deque: x.deque, max: x.max}, true, err
	case *Tuple:
		items, err := repeatItems(t, x.items, n)
		return &Tuple{items: items}, true, err
	}
	return nil, false, nil
}

func repeatItems(t *Thread, items []Object, n int) ([]Object, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if err := t.AllocN(n, len(items)*slotSize); err != nil {
		return nil, err
	}
	if err := t.Work(n * len(items)); err != nil {
		return nil, err
	}
	out := make([]Object, 0, n*len(items))
	for range n {
		out = append(out, items...)
	}
	return out, nil
}
