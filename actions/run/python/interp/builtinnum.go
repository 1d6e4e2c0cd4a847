package interp

import (
	"math"
	"math/big"
	"strconv"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func bDivmod(t *thread, a args) (obj, error) {
	var x, y obj
	if err := a.Bind("divmod", "x y /", &x, &y); err != nil {
		return nil, err
	}
	q, err := object.Binary(t, object.FloorDiv, x, y)
	if err != nil {
		return nil, err
	}
	r, err := object.Binary(t, object.Mod, x, y)
	if err != nil {
		return nil, err
	}
	return object.NewTuple(q, r), nil
}

func bPow(t *thread, a args) (obj, error) {
	var x, y, m obj
	if err := a.Bind("pow", "base exp mod?", &x, &y, &m); err != nil {
		return nil, err
	}
	if object.IsNone(m) {
		return object.Binary(t, object.Pow, x, y)
	}
	base, ok1 := object.BigOf(x)
	exp, ok2 := object.BigOf(y)
	mod, ok3 := object.BigOf(m)
	if !ok1 || !ok2 || !ok3 {
		return nil, object.TypeErrorf("pow() 3rd argument not allowed unless all arguments are integers")
	}
	if mod.Sign() == 0 {
		return nil, object.ValueErrorf("pow() 3rd argument cannot be 0")
	}
	n := uint64(mod.BitLen())
	if err := t.Step(n * n / 4096 * uint64(exp.BitLen()) / 16); err != nil {
		return nil, err
	}
	z := new(big.Int).Exp(base, exp, new(big.Int).Abs(mod))
	if z == nil {
		return nil, object.ValueErrorf("base is not invertible for the given modulus")
	}
	if z.Sign() != 0 && mod.Sign() < 0 {
		z.Add(z, mod)
	}
	return object.NewInt(z), nil
}

func bRound(_ *thread, a args) (obj, error) {
	var x, n obj
	if err := a.Bind("round", "number ndigits?", &x, &n); err != nil {
		return nil, err
	}
	digits := 0
	if !object.IsNone(n) {
		var err error
		if digits, err = object.IntArg(n); err != nil {
			return nil, err
		}
	}
	if f, ok := x.(object.Float); ok {
		if object.IsNone(n) {
			return object.FloatToInt(math.RoundToEven(float64(f)))
		}
		return roundFloat(float64(f), digits)
	}
	i, ok := object.BigOf(x)
	if !ok {
		return nil, object.TypeErrorf("type %s doesn't define __round__ method", x.TypeName())
	}
	return roundInt(i, digits), nil
}

// roundFloat rounds correctly, ties (in the exact binary value) to even.
func roundFloat(f float64, digits int) (obj, error) {
	const most = 330
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f) || digits > most:
		return object.Float(f), nil
	case digits < -most:
		return object.Float(math.Copysign(0, f)), nil
	case digits >= 0:
		r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
		if err != nil {
			return nil, object.Errorf("OverflowError", "rounded value too large to represent")
		}
		return object.Float(r), nil
	}
	v, _ := big.NewFloat(f).Int(nil)
	r, ok := object.AsFloat(roundInt(v, digits))
	if !ok || math.IsInf(r, 0) {
		return nil, object.Errorf("OverflowError", "rounded value too large to represent")
	}
	return object.Float(r), nil
}

func roundInt(v *big.Int, digits int) obj {
	if digits >= 0 {
		return object.NewInt(new(big.Int).Set(v))
	}
	if -digits > v.BitLen() {
		return object.Int(0)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-digits)), nil)
	q, r := new(big.Int).DivMod(v, unit, new(big.Int))
	twice := r.Lsh(r, 1).Cmp(unit)
	if twice > 0 || twice == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return object.NewInt(q.Mul(q, unit))
}

func bSum(t *thread, a args) (obj, error) {
	var x obj
	var sum obj = object.Int(0)
	if err := a.Bind("sum", "iterable start?", &x, &sum); err != nil {
		return nil, err
	}
	if _, ok := object.AsStr(sum); ok {
		return nil, object.TypeErrorf("sum() can't sum strings [use ''.join(seq) instead]")
	}
	err := object.Each(t, x, func(v obj) (err error) {
		sum, err = object.Binary(t, object.Add, sum, v)
		return err
	})
	return sum, err
}

func bMin(t *thread, a args) (obj, error) { return extreme(t, a, "min", object.Lt) }
func bMax(t *thread, a args) (obj, error) { return extreme(t, a, "max", object.Gt) }

func extreme(t *thread, a args, name string, better object.CmpOp) (obj, error) {
	pos := a.Pos
	var key, missing obj
	if err := (args{Kw: a.Kw}).Bind(name, "* key? default?", &key, &missing); err != nil {
		return nil, err
	}
	if len(pos) == 0 {
		return nil, object.TypeErrorf("%s expected at least 1 argument, got 0", name)
	}
	var source obj = object.NewTuple(pos...)
	if len(pos) == 1 {
		source = pos[0]
	}
	var best, bestKey obj
	err := object.Each(t, source, func(v obj) (err error) {
		k := v
		if !object.IsNone(key) {
			if k, err = object.Call0(t, key, v); err != nil {
				return err
			}
		}
		if best != nil {
			if ok, err := object.Compare(t, better, k, bestKey); err != nil || !ok {
				return err
			}
		}
		best, bestKey = v, k
		return nil
	})
	switch {
	case err != nil || best != nil:
		return best, err
	case missing != nil:
		return missing, nil
	}
	return nil, object.ValueErrorf("%s() arg is an empty sequence", name)
}
