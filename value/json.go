package value

import (
	"math"
	"math/bits"
	"strconv"
)

// AppendJSON appends v as compact JSON to dst: keys sorted, integers exact,
// floats in their shortest form with a point or an exponent, no HTML escapes.
// A secret becomes its masked text. What is not JSON is written as the
// nearest thing that is (NaN and infinities as null, broken UTF-8 as U+FFFD);
// use [Value.Check] first where that matters.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.kind {
	case KindNull:
		return append(dst, "null"...)
	case KindBool:
		return strconv.AppendBool(dst, v.num != 0)
	case KindInt:
		if v.ref != nil {
			return v.ref.big.Append(dst, 10)
		}
		return strconv.AppendInt(dst, v.num, 10)
	case KindFloat:
		f := math.Float64frombits(uint64(v.num))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
		return appendFloat(dst, f)
	case KindString:
		return appendString(dst, v.str)
	case KindSecret:
		return appendString(dst, v.masked())
	case KindList:
		return v.appendList(dst)
	default:
		return v.appendObject(dst)
	}
}

func (v Value) appendList(dst []byte) []byte {
	dst = append(dst, '[')
	for i, m := range v.ref.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.AppendJSON(dst)
	}
	return append(dst, ']')
}

func (v Value) appendObject(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range v.ref.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, v.ref.keys[i]), ':')
		dst = m.AppendJSON(dst)
	}
	return append(dst, '}')
}

// String returns v as compact JSON.
func (v Value) String() string { return string(v.json()) }

// json returns v as JSON in a slice that is seldom too small at first.
func (v Value) json() []byte { return v.AppendJSON(make([]byte, 0, v.size())) }

// size estimates the length of v as JSON: the most it can be, but for escapes.
func (v Value) size() int {
	const bitsPerDigit = 3 // at least
	switch v.kind {
	case KindNull, KindBool:
		return len("false")
	case KindInt:
		if v.ref != nil {
			return len("-1") + v.ref.big.BitLen()/bitsPerDigit
		}
		return len("-1") + bits.Len64(uint64(max(v.num, -v.num)))/bitsPerDigit
	case KindFloat:
		return len("-1.2345678901234567e-308")
	case KindString:
		return len(`""`) + len(v.str)
	case KindSecret:
		return len(`""`) + len(v.masked())
	}
	n := len("[]")
	for _, m := range v.ref.items {
		n += len(",") + m.size()
	}
	for _, k := range v.ref.keys {
		n += len(`"":`) + len(k)
	}
	return n
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	return v.json(), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(data []byte) error {
	p, err := Parse(data)
	if err != nil {
		return err
	}
	*v = p
	return nil
}

// Indent returns v as JSON over several lines, indented by two spaces, with
// no newline at the end.
func (v Value) Indent() string { return string(v.appendIndent(nil, "\n")) }

func (v Value) appendIndent(dst []byte, newline string) []byte {
	if v.Len() == 0 {
		return v.AppendJSON(dst)
	}
	open, end := byte('['), byte(']')
	if v.kind == KindObject {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	inner := newline + "  "
	for i, m := range v.ref.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, inner...)
		if v.kind == KindObject {
			dst = append(appendString(dst, v.ref.keys[i]), ": "...)
		}
		dst = m.appendIndent(dst, inner)
	}
	return append(append(dst, newline...), end)
}
