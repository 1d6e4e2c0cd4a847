package filters

import (
	"math"

	"github.com/tea-agents/tea/value"
)

func floats(op string, l, r value.Value) (value.Value, error) {
	x, _ := l.AsFloat()
	y, _ := r.AsFloat()
	if y == 0 && (op == "/" || op == "//" || op == "%") {
		return l, failf("division by zero")
	}
	switch op {
	case "+":
		return finite(x + y)
	case "-":
		return finite(x - y)
	case "*":
		return finite(x * y)
	case "/":
		return finite(x / y)
	case "//":
		q, _ := floatDivMod(x, y)
		return finite(q)
	case "%":
		_, m := floatDivMod(x, y)
		return finite(m)
	}
	return floatPower(x, y)
}

// floatDivMod divides as Python does: the remainder has the sign of y.
func floatDivMod(x, y float64) (q, m float64) {
	m = math.Mod(x, y)
	q = (x - m) / y
	if m == 0 {
		m = math.Copysign(0, y)
	} else if (y < 0) != (m < 0) {
		m += y
		q--
	}
	if q == 0 {
		return math.Copysign(0, x/y), m
	}
	floor := math.Floor(q)
	if q-floor > 0.5 {
		floor++
	}
	return floor, m
}

func floatPower(x, y float64) (value.Value, error) {
	if x == 0 && y < 0 {
		return value.Null(), failf("division by zero")
	}
	if x < 0 && y != math.Trunc(y) {
		return value.Null(), failf("a negative number has no power of a fraction")
	}
	return finite(math.Pow(x, y))
}

// finite keeps NaN and infinities, which are not JSON, from becoming values.
func finite(f float64) (value.Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return value.Null(), failf("the result is not a finite number")
	}
	return value.Float(f), nil
}
