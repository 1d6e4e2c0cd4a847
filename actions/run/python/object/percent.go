package object

import (
	"strings"
	"unicode/utf8"
)

// percent is format % args.
func percent(t *Thread, format string, args Object) (Object, error) {
	p := percenter{t: t, args: args}
	if u, ok := args.(*Tuple); ok {
		p.items = u.items
	} else {
		p.items = []Object{args}
	}
	for {
		lit, rest, found := strings.Cut(format, "%")
		p.b.WriteString(lit)
		if !found {
			break
		}
		var err error
		if format, err = p.directive(rest); err != nil {
			return nil, err
		}
		if err := t.Alloc(int64(p.b.Len()) / 4); err != nil {
			return nil, err
		}
	}
	_, isDict := args.(*Dict)
	if p.used < len(p.items) && !isDict && !p.named {
		return nil, TypeErrorf("not all arguments converted during string formatting")
	}
	return t.Str(p.b.String())
}

type percenter struct {
	t     *Thread
	args  Object
	items []Object
	used  int
	named bool
	b     strings.Builder
}

func (p *percenter) next() (Object, error) {
	if p.used >= len(p.items) {
		return nil, TypeErrorf("not enough arguments for format string")
	}
	p.used++
	return p.items[p.used-1], nil
}

// directive handles what follows a percent sign and returns the rest.
func (p *percenter) directive(s string) (rest string, err error) {
	if strings.HasPrefix(s, "%") {
		p.b.WriteByte('%')
		return s[1:], nil
	}
	var key Object
	if strings.HasPrefix(s, "(") {
		end := strings.IndexByte(s, ')')
		if end < 0 {
			return "", ValueErrorf("incomplete format key")
		}
		if key, err = p.lookup(s[1:end]); err != nil {
			return "", err
		}
		s = s[end+1:]
	}
	spec := formatSpec{fill: ' ', precision: -1, align: '>'}
	s = spec.flags(s)
	if spec.width, s, err = p.count(s, 0); err != nil {
		return "", err
	}
	if spec.width < 0 {
		spec.align, spec.width = '<', -spec.width
	}
	if strings.HasPrefix(s, ".") {
		if spec.precision, s, err = p.count(s[1:], 0); err != nil {
			return "", err
		}
	}
	s = strings.TrimLeft(s, "hlL")
	if s == "" {
		return "", ValueErrorf("incomplete format")
	}
	kind, n := utf8.DecodeRuneInString(s)
	if kind == '%' {
		p.b.WriteByte('%')
		return s[n:], nil
	}
	if key == nil {
		if key, err = p.next(); err != nil {
			return "", err
		}
	}
	text, err := p.convert(spec, kind, key)
	p.b.WriteString(text)
	return s[n:], err
}

func (p *percenter) lookup(name string) (Object, error) {
	d, ok := p.args.(*Dict)
	if !ok {
		return nil, TypeErrorf("format requires a mapping")
	}
	p.named = true
	return d.getItem(p.t, NewStr(name))
}

func (s *formatSpec) flags(text string) string {
	for ; text != ""; text = text[1:] {
		switch text[0] {
		case '-':
			s.align, s.fill = '<', ' '
		case '0':
			if s.align != '<' {
				s.align, s.fill = '=', '0'
			}
		case '+':
			s.sign = '+'
		case ' ':
			if s.sign == 0 {
				s.sign = ' '
			}
		case '#':
			s.alternate = true
		default:
			return text
		}
	}
	return text
}

// count reads a number or a star.
func (p *percenter) count(s string, missing int) (int, string, error) {
	if !strings.HasPrefix(s, "*") {
		return leadingInt(s, missing)
	}
	o, err := p.next()
	if err != nil {
		return 0, "", err
	}
	n, ok := AsInt(o)
	if !ok {
		return 0, "", TypeErrorf("* wants int")
	}
	if n > maxWidth || n < -maxWidth {
		return 0, "", ValueErrorf("a width or precision in a format is too large (limit %d)", maxWidth)
	}
	return n, s[1:], nil
}

func (p *percenter) convert(spec formatSpec, kind rune, o Object) (string, error) {
	if err := p.t.Alloc(int64(spec.width) + int64(max(spec.precision, 0))); err != nil {
		return "", err
	}
	switch kind {
	case 's', 'r', 'a':
		return p.text(spec, kind, o)
	case 'c':
		if s, ok := o.(*Str); ok && s.Len() == 1 {
			return pad(s.s, spec.width, ' ', spec.align), nil
		}
		spec.kind = 'c'
		if _, ok := integer(o); !ok {
			return "", TypeErrorf("%%c requires int or char")
		}
		return spec.number(o)
	case 'd', 'i', 'u', 'o', 'x', 'X':
		return percentInt(spec, kind, o)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if _, ok := AsFloat(o); !ok {
			return "", TypeErrorf("must be real number, not %s", o.TypeName())
		}
		spec.kind = byte(kind)
		return spec.number(o)
	}
	return "", ValueErrorf("unsupported format character '%c' (0x%x)", kind, kind)
}

func (p *percenter) text(spec formatSpec, kind rune, o Object) (text string, err error) {
	if kind == 's' {
		text, err = ToStr(p.t, o)
	} else {
		text, err = Repr(p.t, o)
	}
	if err != nil {
		return "", err
	}
	if kind == 'a' {
		text = ASCII(text)
	}
	spec.sign, spec.fill, spec.kind = 0, ' ', 0
	if spec.align == '=' {
		spec.align = '>'
	}
	return spec.str(text)
}

func percentInt(spec formatSpec, kind rune, o Object) (string, error) {
	if f, ok := o.(Float); ok && (kind == 'd' || kind == 'i' || kind == 'u') {
		i, err := FloatToInt(float64(f))
		if err != nil {
			return "", err
		}
		o = i
	}
	i, ok := integer(o)
	if !ok {
		if kind == 'd' || kind == 'i' || kind == 'u' {
			return "", TypeErrorf("%%%c format: a real number is required, not %s", kind, o.TypeName())
		}
		return "", TypeErrorf("%%%c format: an integer is required, not %s", kind, o.TypeName())
	}
	if kind == 'i' || kind == 'u' {
		kind = 'd'
	}
	spec.kind = byte(kind)
	digits := spec.precision
	spec.precision = -1
	if digits > 0 {
		neg, prefix, text, err := spec.intDigits(i)
		if err != nil {
			return "", err
		}
		text = strings.Repeat("0", max(digits-len(text), 0)) + text
		return spec.assemble(neg, prefix, text, ""), nil
	}
	return spec.number(i)
}
