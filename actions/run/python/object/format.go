package object

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formatSpec is a parsed format specification:
// [[fill]align][sign][z][#][0][width][grouping][.precision][type].
type formatSpec struct {
	fill      rune
	align     byte // 0, or one of < > ^ =
	sign      byte // 0, or one of + - space
	alternate bool
	width     int
	group     byte // 0, ',' or '_'
	precision int  // -1: none
	kind      byte // 0: none
}

// maxWidth bounds width and precision.
const maxWidth = 1 << 20

func parseSpec(spec string) (formatSpec, error) {
	s := formatSpec{fill: ' ', precision: -1}
	spec = s.parseFlags(spec)
	var err error
	if s.width, spec, err = leadingInt(spec, 0); err != nil {
		return s, err
	}
	if spec != "" && (spec[0] == ',' || spec[0] == '_') {
		s.group, spec = spec[0], spec[1:]
	}
	if spec != "" && spec[0] == '.' {
		if s.precision, spec, err = leadingInt(spec[1:], -1); err != nil {
			return s, err
		}
		if s.precision < 0 {
			return s, ValueErrorf("Format specifier missing precision")
		}
	}
	switch len(spec) {
	case 0:
	case 1:
		s.kind = spec[0]
	default:
		return s, ValueErrorf("Invalid format specifier")
	}
	return s, nil
}

// parseFlags reads what stands before the width and returns the rest.
func (s *formatSpec) parseFlags(spec string) string {
	r, n := utf8.DecodeRuneInString(spec)
	switch {
	case n > 0 && len(spec) > n && isAlign(spec[n]):
		s.fill, s.align, spec = r, spec[n], spec[n+1:]
	case spec != "" && isAlign(spec[0]):
		s.align, spec = spec[0], spec[1:]
	}
	if spec != "" && strings.IndexByte("+- ", spec[0]) >= 0 {
		s.sign, spec = spec[0], spec[1:]
	}
	if spec != "" && spec[0] == '#' {
		s.alternate, spec = true, spec[1:]
	}
	if spec != "" && spec[0] == '0' {
		if s.align == 0 {
			s.fill, s.align = '0', '='
		}
		spec = spec[1:]
	}
	return spec
}

func isAlign(c byte) bool { return c == '<' || c == '>' || c == '^' || c == '=' }

func leadingInt(s string, missing int) (n int, rest string, err error) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == 0 {
		return missing, s, nil
	}
	n, err = strconv.Atoi(s[:i])
	if err != nil || n > maxWidth {
		return 0, "", ValueErrorf("a width or precision of %s in a format is too large (limit %d)", s[:i], maxWidth)
	}
	return n, s[i:], nil
}

// Format is format(o, spec), charged.
func Format(t *Thread, o Object, spec string) (string, error) {
	if spec == "" {
		return ToStr(t, o)
	}
	if f, ok := o.(Formatter); ok {
		return f.Format(spec)
	}
	s, err := parseSpec(spec)
	if err != nil {
		return "", err
	}
	if err := t.Alloc(int64(s.width) + int64(max(s.precision, 0))); err != nil {
		return "", err
	}
	switch x := o.(type) {
	case *Str:
		return s.str(x.s)
	case Bool:
		if s.kind == 0 {
			return s.str(plainRepr(x))
		}
		i, _ := integer(x)
		return s.number(i)
	case Int, *Big, Float:
		return s.number(o)
	}
	return "", TypeErrorf("unsupported format string passed to %s.__format__", o.TypeName())
}

func (s formatSpec) unknown(typ string) error {
	return ValueErrorf("Unknown format code '%c' for object of type '%s'", s.kind, typ)
}

func (s formatSpec) str(text string) (string, error) {
	if s.kind != 0 && s.kind != 's' {
		return "", s.unknown("str")
	}
	if s.sign != 0 {
		return "", ValueErrorf("Sign not allowed in string format specifier")
	}
	if s.align == '=' && s.fill != '0' {
		return "", ValueErrorf("'=' alignment not allowed in string format specifier")
	}
	if s.group != 0 {
		return "", ValueErrorf("Cannot specify '%c' with 's'.", s.group)
	}
	if s.precision >= 0 {
		n := 0
		for i := range text {
			if n == s.precision {
				text = text[:i]
				break
			}
			n++
		}
	}
	align := s.align
	if align == 0 || align == '=' {
		align = '<'
	}
	return pad(text, s.width, s.fill, align), nil
}

func pad(text string, width int, fill rune, align byte) string {
	missing := width - utf8.RuneCountInString(text)
	if missing <= 0 {
		return text
	}
	left := 0
	switch align {
	case '>':
		left = missing
	case '^':
		left = missing / 2
	}
	f := string(fill)
	return strings.Repeat(f, left) + text + strings.Repeat(f, missing-left)
}

// number formats an Int, *Big or Float.
func (s formatSpec) number(o Object) (string, error) {
	var neg bool
	var prefix, digits, tail string
	var err error
	switch s.kind {
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		neg, digits, tail, err = s.floatDigits(o)
	case 0, 'n':
		if _, ok := o.(Float); ok {
			neg, digits, tail, err = s.floatDigits(o)
			break
		}
		fallthrough
	default:
		neg, prefix, digits, err = s.intDigits(o)
	}
	if err != nil {
		return "", err
	}
	return s.assemble(neg, prefix, digits, tail), nil
}

func (s formatSpec) assemble(neg bool, prefix, digits, tail string) string {
	sign := ""
	switch {
	case neg:
		sign = "-"
	case s.sign == '+' || s.sign == ' ':
		sign = string(s.sign)
	}
	every := 3
	if strings.IndexByte("bBoxX", s.kind) >= 0 && s.kind != 0 {
		every = 4
	}
	zeroPad := s.fill == '0' && s.align == '='
	if s.group != 0 && isDigits(digits) {
		room := 0
		if zeroPad {
			room = s.width - len(sign) - len(prefix) - len(tail)
		}
		digits = groupDigits(digits, s.group, every, room)
	}
	head, body := sign+prefix, digits+tail
	if s.align == '=' {
		missing := s.width - len(head) - len(body)
		return head + strings.Repeat(string(s.fill), max(missing, 0)) + body
	}
	align := s.align
	if align == 0 {
		align = '>'
	}
	return pad(head+body, s.width, s.fill, align)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return s != "inf" && s != "nan"
}

// groupDigits puts separators between digits, and zeros before them to fill
// room.
func groupDigits(digits string, sep byte, every, room int) string {
	var rev []byte
	n := 0
	for i := len(digits) - 1; i >= 0 || len(rev) < room; i-- {
		if n > 0 && n%every == 0 {
			rev = append(rev, sep)
		}
		if i >= 0 {
			rev = append(rev, digits[i])
		} else {
			rev = append(rev, '0')
		}
		n++
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return string(rev)
}

func (s formatSpec) intDigits(o Object) (neg bool, prefix, digits string, err error) {
	v, ok := BigOf(o)
	if !ok {
		return false, "", "", s.unknown(o.TypeName())
	}
	if s.precision >= 0 {
		return false, "", "", ValueErrorf("Precision not allowed in integer format specifier")
	}
	var base int
	var kind string
	switch s.kind {
	case 0, 'd', 'n':
		digits, err = IntText(NewInt(new(big.Int).Abs(v)))
		return v.Sign() < 0, "", digits, err
	case 'b':
		base, kind = 2, "0b"
	case 'o':
		base, kind = 8, "0o"
	case 'x', 'X':
		base, kind = 16, "0"+string(s.kind)
	case 'c':
		if !v.IsInt64() || v.Sign() < 0 || v.Int64() > utf8.MaxRune {
			return false, "", "", Errorf("OverflowError", "%%c arg not in range(0x110000)")
		}
		return false, "", string(rune(v.Int64())), nil
	default:
		return false, "", "", s.unknown("int")
	}
	digits = new(big.Int).Abs(v).Text(base)
	if s.kind == 'X' {
		digits = strings.ToUpper(digits)
	}
	if s.alternate {
		prefix = kind
	}
	return v.Sign() < 0, prefix, digits, nil
}

// floatDigits gives the digits before the point, which may be grouped, and the
// rest.
func (s formatSpec) floatDigits(o Object) (neg bool, digits, tail string, err error) {
	f, err := FloatArg(o)
	if err != nil {
		return false, "", "", err
	}
	neg = math.Signbit(f) && !math.IsNaN(f)
	f = math.Abs(f)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := FloatRepr(f)
		if s.kind == 'F' || s.kind == 'E' || s.kind == 'G' {
			text = strings.ToUpper(text)
		}
		if s.kind == '%' {
			text += "%"
		}
		return neg, text, "", nil
	}
	text := s.floatText(f)
	cut := strings.IndexAny(text, ".eE%")
	if cut < 0 {
		return neg, text, "", nil
	}
	return neg, text[:cut], text[cut:], nil
}

func (s formatSpec) floatText(f float64) string {
	precision := s.precision
	if precision < 0 && s.kind != 0 && s.kind != 'n' {
		precision = 6
	}
	switch s.kind {
	case 'f', 'F':
		return s.point(strconv.FormatFloat(f, 'f', precision, 64))
	case '%':
		return s.point(strconv.FormatFloat(f*100, 'f', precision, 64)) + "%"
	case 'e', 'E':
		return strconv.FormatFloat(f, s.kind, precision, 64)
	case 'g', 'n':
		return general(f, precision, 'e', s.alternate, false)
	case 'G':
		return general(f, precision, 'E', s.alternate, false)
	}
	if precision < 0 {
		return FloatRepr(f)
	}
	return general(f, precision, 'e', s.alternate, true)
}

func (s formatSpec) point(text string) string {
	if s.alternate && !strings.Contains(text, ".") {
		return text + "."
	}
	return text
}

// general writes f as %g does. keepPoint keeps at least one digit after the
// point, as format() without a type does.
func general(f float64, precision int, e byte, alternate, keepPoint bool) string {
	if precision < 0 {
		precision = 6
	}
	precision = max(precision, 1)
	sci := strconv.FormatFloat(f, e, precision-1, 64)
	exp, _ := strconv.Atoi(sci[strings.LastIndexByte(sci, e)+1:])
	limit := precision
	if keepPoint {
		limit--
	}
	if exp < -4 || exp >= limit {
		mantissa, tail, _ := strings.Cut(sci, string(e))
		if !alternate {
			mantissa = trimZeros(mantissa)
		}
		return mantissa + string(e) + tail
	}
	text := strconv.FormatFloat(f, 'f', max(precision-1-exp, 0), 64)
	if !alternate {
		text = trimZeros(text)
	}
	if keepPoint && !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
