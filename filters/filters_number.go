package filters

import (
	"context"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

func numberFilters() []Filter {
	return []Filter{
		{Name: "abs", Doc: "The number without its sign.", Example: `{{ -3 | abs }} => 3`,
			Apply: func(_ context.Context, in value.Value, _ Args) (value.Value, error) {
				if !isNumber(in) {
					return in, needNumber("abs", in)
				}
				if compareNumbers(in, value.Int(0)) < 0 {
					return negate(in)
				}
				return asInteger(in), nil
			}},
		{Name: "int", Params: "(default=0, base=10)", Doc: "The input as an integer, fractions cut; default where it is none.",
			Example: `{{ "42" | int + 1 }} => 43`, Apply: toInt},
		{Name: "float", Params: "(default=0.0)", Doc: "The input as a float; default where it is none.",
			Example: `{{ "1.5" | float * 2 }} => 3.0`, Apply: toFloat},
		{Name: "round", Params: "(precision=0, method='common')",
			Doc:     "The number rounded to so many decimals: common (halves to even), ceil or floor.",
			Example: `{{ 42.55 | round(1, "floor") }} => 42.5`, Apply: round},
	}
}

func toInt(_ context.Context, in value.Value, a Args) (value.Value, error) {
	base, err := a.Int("base")
	if err != nil {
		return in, err
	}
	switch in.Kind() {
	case value.KindInt, value.KindBool:
		return asInteger(in), nil
	case value.KindFloat:
		f, _ := in.AsFloat()
		return truncated(f, a)
	case value.KindString:
		text := strings.TrimSpace(in.Text())
		if base != 0 && (base < 2 || base > 36) {
			return in, failf("the argument base must be 2 to 36, or 0")
		}
		if i, ok := textToInt(text, base); ok {
			return value.BigInt(i), nil
		}
		if f, ok := textToFloat(text); ok && base == 10 {
			return truncated(f, a)
		}
	default:
	}
	return a.Value("default"), nil
}

func textToInt(text string, base int) (*big.Int, bool) {
	if len(text) > maxBits/4 {
		return nil, false
	}
	sign := ""
	if text != "" && (text[0] == '-' || text[0] == '+') {
		sign, text = text[:1], text[1:]
	}
	if prefix, ok := map[int]string{2: "0b", 8: "0o", 16: "0x"}[base]; ok && len(text) > 2 && strings.EqualFold(text[:2], prefix) {
		text = text[2:]
	}
	if base != 0 {
		if strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
			return nil, false
		}
		text = strings.ReplaceAll(text, "_", "")
	}
	if text == "" || text[0] == '-' || text[0] == '+' {
		return nil, false
	}
	return new(big.Int).SetString(sign+text, base)
}

// textToFloat reads a finite decimal float, as Python's float does.
func textToFloat(text string) (float64, bool) {
	if strings.ContainsAny(text, "xXpP") || strings.HasPrefix(text, "_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

func truncated(f float64, a Args) (value.Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return a.Value("default"), nil
	}
	i, _ := big.NewFloat(f).Int(nil)
	return value.BigInt(i), nil
}

func toFloat(_ context.Context, in value.Value, a Args) (value.Value, error) {
	if isNumber(in) {
		f, _ := asInteger(in).AsFloat()
		return finite(f)
	}
	if f, ok := textToFloat(strings.TrimSpace(in.Text())); ok && in.Kind() == value.KindString {
		return value.Float(f), nil
	}
	return a.Value("default"), nil
}

func round(_ context.Context, in value.Value, a Args) (value.Value, error) {
	if !isNumber(in) {
		return in, needNumber("round", in)
	}
	precision, err := a.Int("precision")
	if err != nil {
		return in, err
	}
	if precision < -400 || precision > 400 {
		return in, failf("the argument precision must be between -400 and 400")
	}
	method, err := a.Text("method")
	if err != nil {
		return in, err
	}
	in = asInteger(in)
	f, _ := in.AsFloat()
	switch method {
	case "common":
		if in.Kind() == value.KindInt {
			return roundInt(in, precision), nil
		}
		return roundHalfEven(f, precision)
	case "ceil":
		return scaled(f, precision, math.Ceil)
	case "floor":
		return scaled(f, precision, math.Floor)
	}
	return in, failf("the argument method must be common, ceil or floor, not %q", method)
}

func scaled(f float64, precision int, to func(float64) float64) (value.Value, error) {
	scale := math.Pow(10, float64(precision))
	return finite(to(f*scale) / scale)
}

// roundHalfEven rounds the exact value of f, as Python's round does.
func roundHalfEven(f float64, precision int) (value.Value, error) {
	if precision < 0 {
		scale := math.Pow(10, float64(-precision))
		return finite(math.RoundToEven(f/scale) * scale)
	}
	if _, err := finite(f); err != nil {
		return value.Null(), err
	}
	g, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', precision, 64), 64)
	return value.Float(g), err
}

// roundInt leaves an integer as it is, but for a negative precision.
func roundInt(v value.Value, precision int) value.Value {
	if precision >= 0 {
		return v
	}
	i, _ := v.AsBigInt()
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-precision)), nil)
	q, m := new(big.Int).DivMod(i, scale, new(big.Int))
	switch c := m.Lsh(m, 1).Cmp(scale); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	return value.BigInt(q.Mul(q, scale))
}
