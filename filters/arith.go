package filters

import (
	"math"
	"math/big"
	"strings"

	"github.com/tea-agents/tea/value"
)

// isNumber tells whether v counts as a number: Python's booleans do.
func isNumber(v value.Value) bool {
	k := v.Kind()
	return k == value.KindInt || k == value.KindFloat || k == value.KindBool
}

// asInteger makes 0 and 1 of booleans and leaves all else.
func asInteger(v value.Value) value.Value {
	if b, ok := v.AsBool(); ok {
		if b {
			return value.Int(1)
		}
		return value.Int(0)
	}
	return v
}

func compareNumbers(a, b value.Value) int {
	a, b = asInteger(a), asInteger(b)
	x, xok := a.AsInt()
	y, yok := b.AsInt()
	switch {
	case xok && yok:
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	case a.Kind() == value.KindFloat && b.Kind() == value.KindFloat:
		f, _ := a.AsFloat()
		g, _ := b.AsFloat()
		switch {
		case f < g:
			return -1
		case f > g:
			return 1
		}
		return 0
	}
	f, fok := exact(a)
	g, gok := exact(b)
	if !fok || !gok {
		return 1 // NaN equals nothing
	}
	return f.Cmp(g)
}

// exact is a number without loss, and false for NaN.
func exact(v value.Value) (*big.Float, bool) {
	if i, ok := v.AsBigInt(); ok {
		return new(big.Float).SetInt(i), true
	}
	f, _ := v.AsFloat()
	if math.IsNaN(f) {
		return nil, false
	}
	return new(big.Float).SetFloat64(f), true
}

func negate(v value.Value) (value.Value, error) {
	if !isNumber(v) {
		return v, needNumber("-", v)
	}
	v = asInteger(v)
	if i, ok := v.AsBigInt(); ok {
		return value.BigInt(i.Neg(i)), nil
	}
	f, _ := v.AsFloat()
	return value.Float(-f), nil
}

func needNumber(op string, v value.Value) error {
	if v.Kind() == value.KindSecret {
		return errSecret()
	}
	f := failf("%s needs a number, not %s", op, aKind(v))
	if v.Kind() == value.KindString {
		f.hint = "convert text with | int or | float"
	}
	return f
}

// arithmetic is l op r with Python's meaning.
func arithmetic(op string, l, r value.Value) (value.Value, error) {
	if isNumber(l) && isNumber(r) {
		l, r = asInteger(l), asInteger(r)
		if l.Kind() == value.KindInt && r.Kind() == value.KindInt {
			return integers(op, l, r)
		}
		return floats(op, l, r)
	}
	switch op {
	case "+":
		return add(l, r)
	case "*":
		if l.Kind() == value.KindInt || l.Kind() == value.KindBool {
			l, r = r, l
		}
		return repeat(l, asInteger(r))
	case "%":
		if l.Kind() == value.KindString {
			return printf(l.Text(), r)
		}
	}
	if !isNumber(l) {
		return l, needNumber(op, l)
	}
	return r, needNumber(op, r)
}

// add joins strings, secrets and lists.
func add(l, r value.Value) (value.Value, error) {
	if l.Kind() == value.KindList && r.Kind() == value.KindList {
		if l.Len()+r.Len() > MaxItems {
			return l, errTooMany()
		}
		items := make([]value.Value, 0, l.Len()+r.Len())
		for _, part := range []value.Value{l, r} {
			for _, item := range part.Items() {
				items = append(items, item)
			}
		}
		return value.List(items...), nil
	}
	if isText(l) && isText(r) {
		return concat(l, r)
	}
	f := failf("%s and %s cannot be added", aKind(l), aKind(r))
	if isText(l) || isText(r) {
		f.hint = "to join text, use ~"
	}
	return l, f
}

func isText(v value.Value) bool {
	return v.Kind() == value.KindString || v.Kind() == value.KindSecret
}

// repeat is "ab" * 3 and [0] * 3.
func repeat(l, r value.Value) (value.Value, error) {
	if l.Kind() == value.KindSecret || r.Kind() == value.KindSecret {
		return l, errSecret()
	}
	if r.Kind() != value.KindInt || l.Kind() != value.KindString && l.Kind() != value.KindList {
		return l, failf("%s and %s cannot be multiplied", aKind(l), aKind(r))
	}
	n, fits := r.AsInt()
	if big, _ := r.AsBigInt(); !fits && big.Sign() > 0 {
		n = MaxOutput + 1
	}
	n = max(n, 0)
	if l.Kind() == value.KindString {
		if len(l.Text()) > 0 && n > int64(MaxOutput/len(l.Text())) {
			return l, errTooLarge()
		}
		return value.String(strings.Repeat(l.Text(), int(min(n, MaxOutput)))), nil
	}
	if l.Len() > 0 && n > int64(MaxItems/l.Len()) {
		return l, errTooMany()
	}
	items := make([]value.Value, 0, l.Len()*int(min(n, MaxItems)))
	for range n * int64(min(l.Len(), 1)) {
		for _, item := range l.Items() {
			items = append(items, item)
		}
	}
	return value.List(items...), nil
}

func integers(op string, l, r value.Value) (value.Value, error) {
	if v, ok := smallIntegers(op, l, r); ok {
		return v, nil
	}
	x, _ := l.AsBigInt()
	y, _ := r.AsBigInt()
	if y.Sign() == 0 && (op == "/" || op == "//" || op == "%") {
		return l, failf("division by zero")
	}
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		if x.BitLen()+y.BitLen() > maxBits {
			return l, failf("the integer is too large")
		}
		x.Mul(x, y)
	case "/":
		f, _ := new(big.Rat).SetFrac(x, y).Float64()
		return finite(f)
	case "//":
		x, _ = floorDiv(x, y)
	case "%":
		_, x = floorDiv(x, y)
	case "**":
		return power(x, y)
	}
	return value.BigInt(x), nil
}

// floorDiv divides towards the smaller number; the remainder has y's sign.
func floorDiv(x, y *big.Int) (q, m *big.Int) {
	q, m = new(big.Int).QuoRem(x, y, new(big.Int))
	if m.Sign() != 0 && m.Sign() != y.Sign() {
		q.Sub(q, big.NewInt(1))
		m.Add(m, y)
	}
	return q, m
}

// smallIntegers is the usual case: 32 bits each, so that nothing overflows.
func smallIntegers(op string, l, r value.Value) (value.Value, bool) {
	x, ok1 := l.AsInt()
	y, ok2 := r.AsInt()
	if !ok1 || !ok2 || x != int64(int32(x)) || y != int64(int32(y)) {
		return value.Null(), false
	}
	switch op {
	case "+":
		return value.Int(x + y), true
	case "-":
		return value.Int(x - y), true
	case "*":
		return value.Int(x * y), true
	}
	return value.Null(), false
}

func power(x, y *big.Int) (value.Value, error) {
	if y.Sign() < 0 {
		f, _ := new(big.Float).SetInt(x).Float64()
		g, _ := new(big.Float).SetInt(y).Float64()
		return floatPower(f, g)
	}
	bits := max(x.BitLen(), 1)
	if x.BitLen() > 1 && (!y.IsInt64() || y.Int64() > int64(maxBits/bits)) {
		return value.Null(), failf("the integer is too large")
	}
	if x.BitLen() <= 1 { // -1, 0, 1: only whether y is 0 or odd counts
		y = new(big.Int).SetUint64(uint64(y.Bit(0)) + 2*uint64(min(y.BitLen(), 1)))
	}
	return value.BigInt(new(big.Int).Exp(x, y, nil)), nil
}
