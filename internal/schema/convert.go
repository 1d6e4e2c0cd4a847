package schema

import (
	"math"
	"math/big"
	"regexp"
	"time"

	"github.com/tea-agents/tea/value"
)

// toString converts a scalar to a string.
func toString(v value.Value) (string, bool) {
	switch v.Kind() {
	case value.KindString:
		return v.AsString()
	case value.KindBool, value.KindInt:
		return v.String(), true
	case value.KindFloat:
		f, _ := v.AsFloat()
		return value.FormatFloat(f), !math.IsNaN(f) && !math.IsInf(f, 0)
	default:
		return "", false
	}
}

// toBool converts a boolean or the text of one.
func toBool(v value.Value) (b, ok bool) {
	switch v.Text() {
	case "true", "True":
		return true, true
	case "false", "False":
		return false, true
	default:
		return v.AsBool()
	}
}

var numberText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// number reads the text of a number as JSON spells it: "007" is none.
func number(s string) (value.Value, bool) {
	if !numberText.MatchString(s) {
		return value.Null(), false
	}
	n, err := value.Number(s)
	return n, err == nil
}

// toNumber reads the number in a number or a string.
func toNumber(v value.Value) value.Value {
	if s, ok := v.AsString(); ok {
		if n, ok := number(s); ok {
			return n
		}
	}
	return v
}

// toInt converts a whole number, or the text of one, that fits in 64 bits.
func toInt(v value.Value) (int64, bool) {
	n := toNumber(v)
	if n.Kind() != value.KindFloat {
		return n.AsInt()
	}
	f, _ := n.AsFloat()
	if f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}

// toFloat converts a finite number, or the text of one, that a float64 holds
// exactly.
func toFloat(v value.Value) (float64, bool) {
	n := toNumber(v)
	f, ok := n.AsFloat()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	if i, isInt := n.AsBigInt(); isInt {
		back, _ := new(big.Float).SetFloat64(f).Int(nil)
		return f, back.Cmp(i) == 0
	}
	return f, true
}

// toDuration converts seconds or the text of a duration.
func toDuration(v value.Value) (time.Duration, bool) {
	var d time.Duration
	var err error
	switch v.Kind() {
	case value.KindString:
		d, err = ParseDuration(v.Text())
	case value.KindInt, value.KindFloat:
		d, err = seconds(v)
	default:
		return 0, false
	}
	return d, err == nil
}
