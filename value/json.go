package value

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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
		return append(dst, FormatFloat(f)...)
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
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	if err := v.Check(); err != nil {
		return nil, err
	}
	return v.AppendJSON(nil), nil
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

// FormatFloat writes a finite float in the shortest form that reads back as
// the same float, always with a point or an exponent, as Python's repr does.
func FormatFloat(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if exp < -4 || exp >= 16 {
		return s
	}
	s = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

const hexDigits = "0123456789abcdef"

// appendString quotes s as RFC 8785 §3.2.2.2 does: only what must be escaped is.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(append(dst, s[start:i]...), escape(c)...)
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func escape(c byte) string {
	switch c {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	default:
		return `\u00` + string(hexDigits[c>>4]) + string(hexDigits[c&15])
	}
}
