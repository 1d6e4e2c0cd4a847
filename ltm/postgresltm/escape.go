package postgresltm

import (
	"math"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

// PostgreSQL keeps no NUL in text, nor in the strings of JSONB.

// escape returns s without NUL: 00 becomes 01 01, and 01 becomes 01 02. No two
// texts become the same, and all order by their bytes as they did.
func escape(s string) string {
	if !strings.ContainsAny(s, "\x00\x01") {
		return s
	}
	return strings.NewReplacer("\x00", "\x01\x01", "\x01", "\x01\x02").Replace(s)
}

// maxDigits is the length of the longest integers that are compared in SQL as
// what they are. The others count as ±10^maxDigits.
const maxDigits = 1000

// facets returns the JSON that stands for metadata in filters, "" when it is not
// JSON: strings are escaped, and floats are written to their last digit, with
// at least one after the point. So two numbers are equal to PostgreSQL when they
// are of equal size, and written alike when they are equal to us.
func facets(metadata []byte) string {
	v, err := value.Parse(metadata)
	if err != nil {
		return ""
	}
	return string(appendFacets(make([]byte, 0, len(metadata)+16), v))
}

func appendFacets(dst []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.KindString:
		return appendText(dst, v.Text())
	case value.KindInt, value.KindFloat:
		text, _ := number(v)
		return append(dst, text...)
	case value.KindList:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendFacets(dst, item)
		}
		return append(dst, ']')
	case value.KindObject:
		dst = append(dst, '{')
		first := true
		for key, member := range v.Members() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = appendFacets(append(appendText(dst, key), ':'), member)
		}
		return append(dst, '}')
	default:
		return v.AppendJSON(dst)
	}
}

func appendText(dst []byte, s string) []byte { return value.String(escape(s)).AppendJSON(dst) }

// number writes a number as it is in facets, and tells whether no other number
// is written so.
func number(v value.Value) (text string, exact bool) {
	if i, ok := v.AsInt(); ok {
		return strconv.FormatInt(i, 10), true
	}
	if i, ok := v.AsBigInt(); ok {
		// A digit has more than 3 bits: what is not that long is cheap to write.
		if i.BitLen() < 3*maxDigits {
			return i.String(), true
		}
		limit := "1" + strings.Repeat("0", maxDigits)
		switch text := i.String(); {
		case len(strings.TrimPrefix(text, "-")) <= maxDigits:
			return text, true
		case i.Sign() < 0:
			return "-" + limit, false
		default:
			return limit, false
		}
	}
	f, ok := v.AsFloat()
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return "null", false
	}
	return decimal(f), f != 0 // there are two zeros
}

// decimal writes all digits of a float, and at least one after the point.
func decimal(f float64) string {
	const (
		integers = 1 << 53 // up to here the shortest form is all there is
		smallest = 1074    // digits after the point
	)
	if f == math.Trunc(f) && math.Abs(f) < integers {
		return strconv.FormatFloat(math.Abs(f)*float64(sign(f)), 'f', 1, 64)
	}
	text := strings.TrimRight(strconv.FormatFloat(f, 'f', smallest, 64), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text
}

// sign returns 1 for both zeros.
func sign(f float64) int {
	if f < 0 {
		return -1
	}
	return 1
}
