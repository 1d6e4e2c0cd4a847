package object

import (
	"math"
	"math/big"
	"strconv"
)

// MaxIntDigits is how many decimal digits an integer may have when it is
// turned into text or read from it, as in CPython.
const MaxIntDigits = 4300

// maxBits bounds the size of integers.
const maxBits = 1 << 24

// NewInt makes an integer of any size. It takes ownership of v.
func NewInt(v *big.Int) Object {
	if v.IsInt64() {
		return Int(v.Int64())
	}
	return &Big{v: v}
}

// BigOf returns the integer that o holds (booleans count); the caller must not
// change it.
func BigOf(o Object) (*big.Int, bool) {
	switch o := o.(type) {
	case Int:
		return big.NewInt(int64(o)), true
	case *Big:
		return o.v, true
	case Bool:
		if o {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	}
	return nil, false
}

func (i Int) text() string { return strconv.FormatInt(int64(i), 10) }

// IntText is str() of an integer.
func IntText(o Object) (string, error) {
	switch o := o.(type) {
	case Int:
		return o.text(), nil
	case *Big:
		if o.v.BitLen() > MaxIntDigits*3322/1000+8 {
			return "", ValueErrorf("Exceeds the limit (%d digits) for integer string conversion", MaxIntDigits)
		}
		s := o.v.String()
		if len(s) > MaxIntDigits+1 {
			return "", ValueErrorf("Exceeds the limit (%d digits) for integer string conversion", MaxIntDigits)
		}
		return s, nil
	}
	return "", TypeErrorf("an integer is required (got type %s)", o.TypeName())
}

// AsInt returns o as a Go int; ok is false when o is no integer. Integers
// beyond the range of an int become the nearest.
func AsInt(o Object) (n int, ok bool) {
	switch o := o.(type) {
	case Int:
		return int(o), true
	case Bool:
		if o {
			return 1, true
		}
		return 0, true
	case *Big:
		if o.v.Sign() < 0 {
			return math.MinInt, true
		}
		return math.MaxInt, true
	}
	return 0, false
}

// IntArg is AsInt with Python's error for what is not an integer.
func IntArg(o Object) (int, error) {
	n, ok := AsInt(o)
	if !ok {
		return 0, TypeErrorf("'%s' object cannot be interpreted as an integer", o.TypeName())
	}
	return n, nil
}

// AsFloat returns o as a float; ok is false when o is no number.
func AsFloat(o Object) (f float64, ok bool) {
	switch o := o.(type) {
	case Float:
		return float64(o), true
	case Int:
		return float64(o), true
	case Bool:
		if o {
			return 1, true
		}
		return 0, true
	case *Big:
		f, _ := new(big.Float).SetInt(o.v).Float64()
		return f, true
	}
	return 0, false
}

// FloatArg is AsFloat with Python's errors.
func FloatArg(o Object) (float64, error) {
	f, ok := AsFloat(o)
	if !ok {
		return 0, TypeErrorf("must be real number, not %s", o.TypeName())
	}
	if _, isFloat := o.(Float); !isFloat && math.IsInf(f, 0) {
		return 0, Errorf("OverflowError", "int too large to convert to float")
	}
	return f, nil
}

// FloatToInt is int(f).
func FloatToInt(f float64) (Object, error) {
	switch {
	case math.IsNaN(f):
		return nil, ValueErrorf("cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		return nil, Errorf("OverflowError", "cannot convert float infinity to integer")
	}
	f = math.Trunc(f)
	if f >= -1<<63 && f < 1<<63 {
		return Int(f), nil
	}
	v, _ := big.NewFloat(f).Int(nil)
	return NewInt(v), nil
}

// integer tells whether o is an int (or bool) and returns it as an Object of
// kind Int or *Big.
func integer(o Object) (Object, bool) {
	switch o := o.(type) {
	case Int, *Big:
		return o, true
	case Bool:
		if o {
			return Int(1), true
		}
		return Int(0), true
	}
	return nil, false
}
