package filters

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

// numberSpec says how one value is written: what %08.3f and {:>8,.3f} have in
// common.
type numberSpec struct {
	fill  string // one character; "" is a blank
	align byte   // '<', '>', '^', '=' (behind the sign), or 0 for the usual side
	sign  byte   // '+' or ' ' before what is not negative, or 0
	alt   bool   // 0x before hexadecimal and so on
	width int
	group string // between thousands
	prec  int    // -1: none
	verb  byte   // 's', 'd', 'f', 'e', 'g', 'x', 'X', 'o', 'b', 'c', '%', or 0
}

// write returns v as the spec says.
func (sp numberSpec) write(v value.Value) (string, error) {
	if sp.width > MaxOutput || sp.prec > 1000 {
		return "", errTooLarge()
	}
	number := isNumber(v) && sp.verb != 's' && (sp.verb != 0 || v.Kind() != value.KindBool)
	var sign, body string
	var err error
	switch {
	case sp.verb == 's' || sp.verb == 0 && !number:
		body, err = Text(v)
		if runes := []rune(body); sp.prec >= 0 && len(runes) > sp.prec {
			body = string(runes[:sp.prec])
		}
	case !number:
		err = failf("the format %q needs a number, not %s", string(sp.verb), aKind(v))
	default:
		sign, body, err = sp.digits(asInteger(v))
	}
	if err != nil {
		return "", err
	}
	return sp.justify(sign, body, number)
}

func (sp numberSpec) justify(sign, body string, number bool) (string, error) {
	fill := sp.fill
	if fill == "" {
		fill = " "
	}
	align := sp.align
	if align == 0 {
		if align = '<'; number {
			align = '>'
		}
	}
	switch align {
	case '=':
		s, err := pad(body, fill, sp.width-len(sign), 1)
		return sign + s, err
	case '>':
		return pad(sign+body, fill, sp.width, 1)
	case '^':
		missing := sp.width - len([]rune(sign+body))
		s, err := pad(sign+body, fill, sp.width-max(missing, 0)+max(missing, 0)/2, 1)
		if err != nil {
			return "", err
		}
		return pad(s, fill, sp.width, 0)
	}
	return pad(sign+body, fill, sp.width, 0)
}

// digits returns the sign and the digits of a number.
func (sp numberSpec) digits(v value.Value) (sign, body string, err error) {
	switch sp.verb {
	case 'f', 'F', 'e', 'E', 'g', 'G', '%':
		body, err = sp.float(v)
	case 'd', 'i', 'u', 'x', 'X', 'o', 'b', 'c', 'n':
		body, err = sp.integer(v)
	default:
		if v.Kind() == value.KindFloat && sp.prec >= 0 {
			f, _ := v.AsFloat()
			body = strconv.FormatFloat(f, 'g', max(sp.prec, 1), 64)
		} else {
			body, err = Text(v)
		}
	}
	if err != nil {
		return "", "", err
	}
	if rest, negative := strings.CutPrefix(body, "-"); negative {
		sign, body = "-", rest
	} else if sp.sign != 0 {
		sign = string(sp.sign)
	}
	return sign, groupThousands(body, sp.group), nil
}

func (sp numberSpec) float(v value.Value) (string, error) {
	f, _ := v.AsFloat()
	prec, verb, tail := sp.prec, sp.verb, ""
	if prec < 0 {
		prec = 6
	}
	switch verb {
	case '%':
		f, verb, tail = f*100, 'f', "%"
	case 'F':
		verb = 'f'
	case 'g', 'G':
		return pythonG(f, max(prec, 1), verb, sp.alt), nil
	}
	if _, err := finite(f); err != nil {
		return "", err
	}
	return strconv.FormatFloat(f, verb, prec, 64) + tail, nil
}

// pythonG is %g: the exponent form only for what is very large or small.
func pythonG(f float64, prec int, verb byte, keepZeros bool) string {
	s := strconv.FormatFloat(f, 'e', prec-1, 64)
	exp, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	mantissa, tail := s[:strings.IndexByte(s, 'e')], s[strings.IndexByte(s, 'e'):]
	if exp >= -4 && exp < prec {
		mantissa, tail = strconv.FormatFloat(f, 'f', prec-1-exp, 64), ""
	}
	if !keepZeros && strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	if verb == 'G' {
		tail = strings.ToUpper(tail)
	}
	return mantissa + tail
}

func (sp numberSpec) integer(v value.Value) (string, error) {
	i, ok := v.AsBigInt()
	if !ok {
		f, _ := v.AsFloat()
		if sp.verb != 'd' && sp.verb != 'i' || sp.group != "" {
			return "", failf("the format %q needs an integer", string(sp.verb))
		}
		i, _ = big.NewFloat(f).Int(nil)
	}
	base, prefix := 10, ""
	switch sp.verb {
	case 'c':
		return string(rune(i.Int64())), nil
	case 'x', 'X':
		base, prefix = 16, "0x"
	case 'o':
		base, prefix = 8, "0o"
	case 'b':
		base, prefix = 2, "0b"
	}
	s := i.Text(base)
	if sp.alt {
		if rest, negative := strings.CutPrefix(s, "-"); negative {
			s = "-" + prefix + rest
		} else {
			s = prefix + s
		}
	}
	if sp.verb == 'X' {
		s = strings.ToUpper(s)
	}
	return s, nil
}

// groupThousands puts sep between groups of three digits before the point.
func groupThousands(s, sep string) string {
	if sep == "" {
		return s
	}
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	var out strings.Builder
	for i := range n {
		if i > 0 && (n-i)%3 == 0 {
			out.WriteString(sep)
		}
		out.WriteByte(s[i])
	}
	return out.String() + s[n:]
}
