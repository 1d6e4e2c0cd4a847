package object

import (
	"math"
	"math/big"
	"math/bits"
)

// smallInt computes on 64-bit integers; ok is false when the result may not
// fit, or is an error.
func smallInt(op Op, x, y Int) (Object, bool) { //nolint:cyclop // one case for each operator
	switch op {
	case Add:
		s := x + y
		return s, (s > x) == (y > 0)
	case Sub:
		d := x - y
		return d, (d < x) == (y > 0)
	case Mul:
		hi, lo := bits.Mul64(uint64(abs(x)), uint64(abs(y)))
		return x * y, hi == 0 && lo < 1<<63 && x != math.MinInt64 && y != math.MinInt64
	case FloorDiv:
		if y == 0 || y == -1 {
			return nil, false
		}
		return floorDiv(x, y), true
	case Mod:
		if y == 0 || y == -1 {
			return nil, false
		}
		return x - floorDiv(x, y)*y, true
	case And:
		return x & y, true
	case Or:
		return x | y, true
	case Xor:
		return x ^ y, true
	}
	return nil, false
}

func abs(x Int) Int {
	if x < 0 {
		return -x
	}
	return x
}

func floorDiv(x, y Int) Int {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// numeric computes on numbers of any size and kind; ok is false when a and b
// are not both numbers.
func numeric(t *Thread, op Op, a, b Object) (Object, bool, error) {
	x, xInt := integer(a)
	y, yInt := integer(b)
	if xInt && yInt {
		if _, isBool := a.(Bool); isBool && (op == And || op == Or || op == Xor) {
			if _, isBool := b.(Bool); isBool {
				v, _ := smallInt(op, x.(Int), y.(Int)) //nolint:forcetypeassert // integer made them of bools
				return Bool(v.(Int) != 0), true, nil   //nolint:forcetypeassert // so smallInt gives an Int
			}
		}
		v, err := integers(t, op, x, y)
		return v, op != MatMul, err
	}
	_, xFloat := a.(Float)
	_, yFloat := b.(Float)
	if !xInt && !xFloat || !yInt && !yFloat {
		return nil, false, nil
	}
	f, err := FloatArg(a)
	if err != nil {
		return nil, true, err
	}
	g, err := FloatArg(b)
	if err != nil {
		return nil, true, err
	}
	return floats(op, f, g)
}

func integers(t *Thread, op Op, x, y Object) (Object, error) { //nolint:cyclop // one case for each operator
	if i, ok := x.(Int); ok {
		if j, ok := y.(Int); ok {
			if v, ok := smallInt(op, i, j); ok {
				return v, nil
			}
		}
	}
	p, _ := BigOf(x)
	q, _ := BigOf(y)
	if err := t.Alloc(int64(p.BitLen()+q.BitLen()) / 8); err != nil {
		return nil, err
	}
	if err := t.Step(uint64(p.BitLen()) * uint64(q.BitLen()) / (1 << 16)); err != nil {
		return nil, err
	}
	z := new(big.Int)
	switch op {
	case Add:
		z.Add(p, q)
	case Sub:
		z.Sub(p, q)
	case Mul:
		if p.BitLen()+q.BitLen() > maxBits {
			return nil, tooBig()
		}
		z.Mul(p, q)
	case And:
		z.And(p, q)
	case Or:
		z.Or(p, q)
	case Xor:
		z.Xor(p, q)
	case LShift, RShift:
		return shift(t, op, p, q)
	case Pow:
		return intPow(t, p, q)
	default:
		return divide(op, p, q)
	}
	return NewInt(z), nil
}

func tooBig() error {
	return Errorf("OverflowError", "the integer has more than %d bits", maxBits)
}

func divide(op Op, p, q *big.Int) (Object, error) {
	if op == MatMul {
		return nil, nil //nolint:nilnil // not for numbers: the caller says so
	}
	if q.Sign() == 0 {
		return nil, zeroDivision(op, false)
	}
	if op == Div {
		return trueDivide(p, q)
	}
	quo, rem := new(big.Int), new(big.Int)
	quo.QuoRem(p, q, rem)
	if rem.Sign() != 0 && rem.Sign() != q.Sign() {
		quo.Sub(quo, big.NewInt(1))
		rem.Add(rem, q)
	}
	if op == Mod {
		return NewInt(rem), nil
	}
	return NewInt(quo), nil
}

// trueDivide rounds the exact quotient once.
func trueDivide(p, q *big.Int) (Object, error) {
	const exact = 1 << 53
	if p.IsInt64() && q.IsInt64() {
		a, b := p.Int64(), q.Int64()
		if -exact < a && a < exact && -exact < b && b < exact {
			return Float(float64(a) / float64(b)), nil
		}
	}
	f, _ := new(big.Rat).SetFrac(p, q).Float64()
	if math.IsInf(f, 0) {
		return nil, Errorf("OverflowError", "integer division result too large for a float")
	}
	return Float(f), nil
}

func zeroDivision(op Op, float bool) error {
	switch {
	case op == Div && float:
		return Errorf("ZeroDivisionError", "float division by zero")
	case op == Div:
		return Errorf("ZeroDivisionError", "division by zero")
	case op == FloorDiv && float:
		return Errorf("ZeroDivisionError", "float floor division by zero")
	case op == Mod && float:
		return Errorf("ZeroDivisionError", "float modulo")
	}
	if op == Mod {
		return Errorf("ZeroDivisionError", "integer modulo by zero")
	}
	return Errorf("ZeroDivisionError", "integer division or modulo by zero")
}

func shift(t *Thread, op Op, p, q *big.Int) (Object, error) {
	if q.Sign() < 0 {
		return nil, ValueErrorf("negative shift count")
	}
	if op == RShift {
		if !q.IsInt64() || q.Int64() > maxBits {
			if p.Sign() < 0 {
				return Int(-1), nil
			}
			return Int(0), nil
		}
		return NewInt(new(big.Int).Rsh(p, uint(q.Uint64()))), nil
	}
	if p.Sign() == 0 {
		return Int(0), nil
	}
	if !q.IsInt64() || q.Int64()+int64(p.BitLen()) > maxBits {
		return nil, tooBig()
	}
	if err := t.Alloc(q.Int64() / 8); err != nil {
		return nil, err
	}
	return NewInt(new(big.Int).Lsh(p, uint(q.Uint64()))), nil
}

func intPow(t *Thread, p, q *big.Int) (Object, error) {
	if q.Sign() < 0 {
		f, _ := new(big.Float).SetInt(p).Float64()
		g, _ := new(big.Float).SetInt(q).Float64()
		v, _, err := floats(Pow, f, g)
		return v, err
	}
	if p.BitLen() > 1 {
		if !q.IsInt64() || q.Int64() > maxBits || int64(p.BitLen()-1)*q.Int64() > maxBits {
			return nil, tooBig()
		}
		n := uint64(p.BitLen()) * q.Uint64()
		if err := t.Step(n * n >> 24); err != nil {
			return nil, err
		}
		if err := t.Alloc(int64(n / 8)); err != nil {
			return nil, err
		}
	} else if q.BitLen() > 1 { // 0, 1 and -1: only the parity of the exponent counts
		q = big.NewInt(2 + int64(q.Bit(0)))
	}
	return NewInt(new(big.Int).Exp(p, q, nil)), nil
}

func floats(op Op, x, y float64) (Object, bool, error) {
	switch op {
	case Add:
		return Float(x + y), true, nil
	case Sub:
		return Float(x - y), true, nil
	case Mul:
		return Float(x * y), true, nil
	case Pow:
		v, err := floatPow(x, y)
		return v, true, err
	case Div, FloorDiv, Mod:
		if y == 0 {
			return nil, true, zeroDivision(op, true)
		}
		if op == Div {
			return Float(x / y), true, nil
		}
		quo, rem := floatDivMod(x, y)
		if op == Mod {
			return Float(rem), true, nil
		}
		return Float(quo), true, nil
	}
	return nil, false, nil
}

func floatDivMod(x, y float64) (quo, rem float64) {
	rem = math.Mod(x, y)
	quo = (x - rem) / y
	if rem != 0 {
		if (y < 0) != (rem < 0) {
			rem += y
			quo--
		}
	} else {
		rem = math.Copysign(0, y)
	}
	if quo == 0 {
		return math.Copysign(0, x/y), rem
	}
	floor := math.Floor(quo)
	if quo-floor > 0.5 {
		floor++
	}
	return floor, rem
}

func floatPow(x, y float64) (Object, error) {
	if x == 0 && y < 0 {
		return nil, Errorf("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	}
	if x < 0 && y != math.Trunc(y) && !math.IsInf(x, 0) {
		return nil, ValueErrorf("a negative number to a fractional power is complex, which is not supported here")
	}
	r := math.Pow(x, y)
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return nil, Errorf("OverflowError", "(34, 'Numerical result out of range')")
	}
	return Float(r), nil
}

// Negate is -x.
func Negate(x Object) (Object, error) {
	switch x := x.(type) {
	case Float:
		return -x, nil
	case Int:
		if x != math.MinInt64 {
			return -x, nil
		}
	}
	if v, ok := BigOf(x); ok {
		return NewInt(new(big.Int).Neg(v)), nil
	}
	if n, ok := x.(Negater); ok {
		return n.Negate(), nil
	}
	return nil, TypeErrorf("bad operand type for unary -: '%s'", x.TypeName())
}

// Plus is +x.
func Plus(x Object) (Object, error) {
	if f, ok := x.(Float); ok {
		return f, nil
	}
	if i, ok := integer(x); ok {
		return i, nil
	}
	if _, ok := x.(Negater); ok {
		return x, nil
	}
	return nil, TypeErrorf("bad operand type for unary +: '%s'", x.TypeName())
}

// Invert is ~x.
func Invert(x Object) (Object, error) {
	if v, ok := BigOf(x); ok {
		return NewInt(new(big.Int).Not(v)), nil
	}
	return nil, TypeErrorf("bad operand type for unary ~: '%s'", x.TypeName())
}
