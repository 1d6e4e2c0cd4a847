package object

import (
	"math"
	"math/big"
)

func intMethods() []Method {
	return []Method{
		{Name: "bit_length", Fn: intMethod("bit_length", func(v *big.Int) Object { return Int(v.BitLen()) })},
		{Name: "bit_count", Fn: intMethod("bit_count", func(v *big.Int) Object {
			n := 0
			for _, w := range new(big.Int).Abs(v).Bits() {
				for ; w != 0; w &= w - 1 {
					n++
				}
			}
			return Int(n)
		})},
		{Name: "conjugate", Fn: intMethod("conjugate", func(v *big.Int) Object { return NewInt(new(big.Int).Set(v)) })},
		{Name: "as_integer_ratio", Fn: intMethod("as_integer_ratio", func(v *big.Int) Object {
			return NewTuple(NewInt(new(big.Int).Set(v)), Int(1))
		})},
		{Name: "to_bytes", Fn: intToBytes},
	}
}

func intMethod(name string, fn func(*big.Int) Object) func(*Thread, Object, Args) (Object, error) {
	return func(_ *Thread, self Object, a Args) (Object, error) {
		v, ok := BigOf(self)
		if !ok {
			return nil, TypeErrorf("descriptor '%s' requires an 'int' object", name)
		}
		return fn(v), a.Bind(name, "")
	}
}

func intToBytes(t *Thread, self Object, a Args) (Object, error) {
	var length, order Object = Int(1), NewStr("big")
	if err := a.Bind("to_bytes", "length? byteorder?", &length, &order); err != nil {
		return nil, err
	}
	n, err := IntArg(length)
	if err != nil {
		return nil, err
	}
	v, _ := BigOf(self)
	if v == nil || v.Sign() < 0 {
		return nil, Errorf("OverflowError", "can't convert negative int to unsigned")
	}
	if n < 0 || (v.BitLen()+7)/8 > n {
		return nil, Errorf("OverflowError", "int too big to convert")
	}
	if err := t.Alloc(int64(n)); err != nil {
		return nil, err
	}
	b := v.FillBytes(make([]byte, n))
	if plainStr(order) == "little" {
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
	return Bytes(b), nil
}

func floatMethods() []Method {
	return []Method{
		on("is_integer", func(_ *Thread, f Float, a Args) (Object, error) {
			x := float64(f)
			return Bool(x == math.Trunc(x) && !math.IsInf(x, 0)), a.Bind("is_integer", "")
		}),
		on("conjugate", func(_ *Thread, f Float, a Args) (Object, error) { return f, a.Bind("conjugate", "") }),
		on("as_integer_ratio", func(_ *Thread, f Float, a Args) (Object, error) {
			r := new(big.Rat).SetFloat64(float64(f))
			if r == nil {
				return nil, ValueErrorf("cannot convert %s to integer ratio", FloatRepr(float64(f)))
			}
			return NewTuple(NewInt(r.Num()), NewInt(r.Denom())), a.Bind("as_integer_ratio", "")
		}),
	}
}
