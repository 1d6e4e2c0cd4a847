package hostmod

import (
	"math"
	"math/big"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func mathModule() *object.Module {
	fns := map[string]fn{
		"floor": rounding("floor", math.Floor), "ceil": rounding("ceil", math.Ceil), "trunc": rounding("trunc", math.Trunc),
		"isqrt": mathIsqrt, "factorial": mathFactorial, "gcd": mathGCD, "lcm": mathLCM,
		"comb": mathComb, "perm": mathPerm, "log": mathLog, "isclose": mathIsClose,
		"fsum": mathFsum, "prod": mathProd, "hypot": mathHypot, "dist": mathDist, "modf": mathModf, "frexp": mathFrexp,
		"pow": float2("pow", math.Pow), "atan2": float2("atan2", math.Atan2), "fmod": float2("fmod", math.Mod),
		"copysign": float2("copysign", math.Copysign), "remainder": float2("remainder", math.Remainder),
		"isnan": test("isnan", math.IsNaN), "isinf": test("isinf", func(f float64) bool { return math.IsInf(f, 0) }),
		"isfinite": test("isfinite", func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }),
	}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": math.Exp, "expm1": math.Expm1, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "fabs": math.Abs, "cbrt": math.Cbrt,
		"gamma": math.Gamma, "erf": math.Erf, "erfc": math.Erfc,
		"degrees": func(x float64) float64 { return x * 180 / math.Pi },
		"radians": func(x float64) float64 { return x * math.Pi / 180 },
	} {
		fns[name] = float1(name, f)
	}
	return module("math", fns, map[string]obj{
		"pi": object.Float(math.Pi), "e": object.Float(math.E), "tau": object.Float(2 * math.Pi),
		"inf": object.Float(math.Inf(1)), "nan": object.Float(math.NaN()),
	})
}

func oneFloat(name string, a args) (float64, error) {
	var x obj
	if err := a.Bind(name, "x /", &x); err != nil {
		return 0, err
	}
	return object.FloatArg(x)
}

// checked raises Python's errors for results that are not numbers.
func checked(r float64, in ...float64) (obj, error) {
	for _, x := range in {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return object.Float(r), nil
		}
	}
	switch {
	case math.IsNaN(r):
		return nil, object.ValueErrorf("math domain error")
	case math.IsInf(r, -1), math.IsInf(r, 1) && len(in) > 0 && in[0] == 0:
		return nil, object.ValueErrorf("math domain error")
	case math.IsInf(r, 1):
		return nil, object.Errorf("OverflowError", "math range error")
	}
	return object.Float(r), nil
}

func float1(name string, f func(float64) float64) fn {
	return func(_ *thread, a args) (obj, error) {
		x, err := oneFloat(name, a)
		if err != nil {
			return nil, err
		}
		return checked(f(x), x)
	}
}

func float2(name string, f func(x, y float64) float64) fn {
	return func(_ *thread, a args) (obj, error) {
		var x, y obj
		if err := a.Bind(name, "x y /", &x, &y); err != nil {
			return nil, err
		}
		p, err := object.FloatArg(x)
		if err != nil {
			return nil, err
		}
		q, err := object.FloatArg(y)
		if err != nil {
			return nil, err
		}
		return checked(f(p, q), p, q)
	}
}

func test(name string, f func(float64) bool) fn {
	return func(_ *thread, a args) (obj, error) {
		x, err := oneFloat(name, a)
		return object.Bool(err == nil && f(x)), err
	}
}

func rounding(name string, f func(float64) float64) fn {
	return func(_ *thread, a args) (obj, error) {
		var x obj
		if err := a.Bind(name, "x /", &x); err != nil {
			return nil, err
		}
		if _, isFloat := x.(object.Float); !isFloat {
			if v, ok := object.BigOf(x); ok {
				return object.NewInt(v), nil
			}
		}
		v, err := object.FloatArg(x)
		if err != nil {
			return nil, err
		}
		return object.FloatToInt(f(v))
	}
}

func bigArg(x obj) (*big.Int, error) {
	v, ok := object.BigOf(x)
	if !ok {
		return nil, object.TypeErrorf("'%s' object cannot be interpreted as an integer", x.TypeName())
	}
	return v, nil
}

func mathIsqrt(_ *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("isqrt", "n /", &x); err != nil {
		return nil, err
	}
	v, err := bigArg(x)
	if err != nil {
		return nil, err
	}
	if v.Sign() < 0 {
		return nil, object.ValueErrorf("isqrt() argument must be nonnegative")
	}
	return object.NewInt(new(big.Int).Sqrt(v)), nil
}

// product multiplies lo*(lo+1)*...*hi.
func product(t *thread, lo, hi int) (obj, error) {
	var r obj = object.Int(1)
	var err error
	for i := lo; i <= hi; i++ {
		if err := t.Step(1); err != nil {
			return nil, err
		}
		if r, err = object.Binary(t, object.Mul, r, object.Int(i)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func mathFactorial(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("factorial", "n /", &x); err != nil {
		return nil, err
	}
	n, err := object.IntArg(x)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, object.ValueErrorf("factorial() not defined for negative values")
	}
	return product(t, 2, n)
}

func mathComb(t *thread, a args) (obj, error) {
	n, k, err := choose("comb", a)
	if err != nil || k > n {
		return object.Int(0), err
	}
	k = min(k, n-k)
	num, err := product(t, n-k+1, n)
	if err != nil {
		return nil, err
	}
	den, err := product(t, 2, k)
	if err != nil {
		return nil, err
	}
	return object.Binary(t, object.FloorDiv, num, den)
}

func mathPerm(t *thread, a args) (obj, error) {
	if len(a.Pos) == 1 {
		return mathFactorial(t, a)
	}
	n, k, err := choose("perm", a)
	if err != nil || k > n {
		return object.Int(0), err
	}
	return product(t, n-k+1, n)
}

func choose(name string, a args) (n, k int, err error) {
	var x, y obj
	if err := a.Bind(name, "n k /", &x, &y); err != nil {
		return 0, 0, err
	}
	if n, err = object.IntArg(x); err != nil {
		return 0, 0, err
	}
	if k, err = object.IntArg(y); err != nil {
		return 0, 0, err
	}
	if n < 0 || k < 0 {
		return 0, 0, object.ValueErrorf("n and k must be non-negative integers")
	}
	return n, k, nil
}

func fold(a args, start *big.Int, f func(x, y *big.Int) *big.Int) (obj, error) {
	r := start
	for _, o := range a.Pos {
		v, err := bigArg(o)
		if err != nil {
			return nil, err
		}
		r = f(r, new(big.Int).Abs(v))
	}
	return object.NewInt(r), nil
}

func mathGCD(_ *thread, a args) (obj, error) {
	return fold(a, new(big.Int), func(x, y *big.Int) *big.Int { return new(big.Int).GCD(nil, nil, x, y) })
}

func mathLCM(_ *thread, a args) (obj, error) {
	return fold(a, big.NewInt(1), func(x, y *big.Int) *big.Int {
		if x.Sign() == 0 || y.Sign() == 0 || x.BitLen()+y.BitLen() > 1<<20 {
			return new(big.Int)
		}
		g := new(big.Int).GCD(nil, nil, x, y)
		return new(big.Int).Mul(new(big.Int).Div(x, g), y)
	})
}

func mathLog(_ *thread, a args) (obj, error) {
	var x, b obj
	if err := a.Bind("log", "x base? /", &x, &b); err != nil {
		return nil, err
	}
	ln := func(o obj) (float64, error) {
		if v, ok := object.BigOf(o); ok && v.BitLen() > 1000 && v.Sign() > 0 {
			shift := v.BitLen() - 64
			f, _ := new(big.Float).SetInt(new(big.Int).Rsh(v, uint(shift))).Float64()
			return math.Log(f) + float64(shift)*math.Ln2, nil
		}
		f, err := object.FloatArg(o)
		if err != nil {
			return 0, err
		}
		if f <= 0 {
			return 0, object.ValueErrorf("math domain error")
		}
		return math.Log(f), nil
	}
	r, err := ln(x)
	if err != nil || b == nil {
		return object.Float(r), err
	}
	d, err := ln(b)
	if err != nil {
		return nil, err
	}
	if d == 0 {
		return nil, object.Errorf("ZeroDivisionError", "float division by zero")
	}
	return object.Float(r / d), nil
}

func mathIsClose(_ *thread, a args) (obj, error) {
	var x, y obj
	var rel, abs obj = object.Float(1e-9), object.Float(0)
	if err := a.Bind("isclose", "a b * rel_tol? abs_tol?", &x, &y, &rel, &abs); err != nil {
		return nil, err
	}
	var f [4]float64
	for i, o := range []obj{x, y, rel, abs} {
		v, err := object.FloatArg(o)
		if err != nil {
			return nil, err
		}
		f[i] = v
	}
	if f[0] == f[1] {
		return object.True, nil
	}
	d := math.Abs(f[0] - f[1])
	ok := !math.IsInf(d, 0) && (d <= f[2]*math.Abs(f[0]) || d <= f[2]*math.Abs(f[1]) || d <= f[3])
	return object.Bool(ok), nil
}

// floatsOf collects numbers as floats.
func floatsOf(t *thread, x obj) ([]float64, error) {
	var out []float64
	err := object.Each(t, x, func(v obj) error {
		f, err := object.FloatArg(v)
		out = append(out, f)
		if err == nil {
			err = t.Alloc(8)
		}
		return err
	})
	return out, err
}

func mathFsum(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("fsum", "seq /", &x); err != nil {
		return nil, err
	}
	fs, err := floatsOf(t, x)
	if err != nil {
		return nil, err
	}
	return object.Float(exactSum(fs)), nil
}

// exactSum adds without rounding on the way.
func exactSum(fs []float64) float64 {
	sum := new(big.Rat)
	plain := 0.0
	for _, f := range fs {
		plain += f
		r := new(big.Rat).SetFloat64(f)
		if r == nil {
			return plain
		}
		sum.Add(sum, r)
	}
	f, _ := sum.Float64()
	return f
}

func mathProd(t *thread, a args) (obj, error) {
	var x obj
	var r obj = object.Int(1)
	if err := a.Bind("prod", "iterable * start?", &x, &r); err != nil {
		return nil, err
	}
	err := object.Each(t, x, func(v obj) (err error) {
		r, err = object.Binary(t, object.Mul, r, v)
		return err
	})
	return r, err
}

func mathHypot(t *thread, a args) (obj, error) {
	fs, err := floatsOf(t, object.NewTuple(a.Pos...))
	if err != nil {
		return nil, err
	}
	r := 0.0
	for _, f := range fs {
		r = math.Hypot(r, f)
	}
	return object.Float(r), nil
}

func mathDist(t *thread, a args) (obj, error) {
	var x, y obj
	if err := a.Bind("dist", "p q /", &x, &y); err != nil {
		return nil, err
	}
	p, err := floatsOf(t, x)
	if err != nil {
		return nil, err
	}
	q, err := floatsOf(t, y)
	if err != nil {
		return nil, err
	}
	if len(p) != len(q) {
		return nil, object.ValueErrorf("both points must have the same number of dimensions")
	}
	r := 0.0
	for i := range p {
		r = math.Hypot(r, p[i]-q[i])
	}
	return object.Float(r), nil
}

func mathModf(_ *thread, a args) (obj, error) {
	x, err := oneFloat("modf", a)
	whole, part := math.Modf(x)
	return object.NewTuple(object.Float(part), object.Float(whole)), err
}

func mathFrexp(_ *thread, a args) (obj, error) {
	x, err := oneFloat("frexp", a)
	m, e := math.Frexp(x)
	return object.NewTuple(object.Float(m), object.Int(e)), err
}
