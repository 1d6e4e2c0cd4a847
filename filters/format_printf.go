package filters

import (
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

// printf is Python's % on a string: %s, %d, %5.2f, %(name)s, %%.
func printf(format string, arg value.Value) (value.Value, error) {
	if arg.Kind() == value.KindSecret {
		return arg, errSecret()
	}
	p := printer{rest: format, args: []value.Value{arg}}
	switch arg.Kind() {
	case value.KindList:
		p.args, _ = elements(arg)
	case value.KindObject:
		p.byName = arg
	default:
	}
	return p.run()
}

// printer works through a format string.
type printer struct {
	rest   string
	args   []value.Value
	byName value.Value
	used   int
	named  bool
	out    strings.Builder
}

func (p *printer) run() (value.Value, error) {
	for {
		i := strings.IndexByte(p.rest, '%')
		if i < 0 {
			break
		}
		p.out.WriteString(p.rest[:i])
		p.rest = p.rest[i+1:]
		if err := p.field(); err != nil {
			return value.Null(), err
		}
		if p.out.Len() > MaxOutput {
			return value.Null(), errTooLarge()
		}
	}
	p.out.WriteString(p.rest)
	if p.used < len(p.args) && !p.named && p.byName.IsNull() {
		return value.Null(), failf("the format uses %d values, but %d are given", p.used, len(p.args))
	}
	return value.String(p.out.String()), nil
}

// field writes one value; the percent sign is behind.
func (p *printer) field() error {
	name, named := "", false
	if strings.HasPrefix(p.rest, "(") {
		end := strings.IndexByte(p.rest, ')')
		if end < 0 {
			return failf("the format has a %%( without )")
		}
		name, named, p.rest = p.rest[1:end], true, p.rest[end+1:]
	}
	sp := p.spec()
	if p.rest == "" {
		return failf("the format ends behind %%")
	}
	sp.verb, p.rest = p.rest[0], p.rest[1:]
	if sp.verb == '%' {
		p.out.WriteByte('%')
		return nil
	}
	if !strings.ContainsRune("sradiufFeEgGxXoc", rune(sp.verb)) {
		return failf("the format has no %%%c", sp.verb)
	}
	v, err := p.arg(name, named)
	if err != nil {
		return err
	}
	if sp.verb == 'r' || sp.verb == 'a' {
		sp.verb = 's'
		if v.Kind() == value.KindString {
			v = value.String(v.String())
		}
	}
	s, err := sp.write(v)
	p.out.WriteString(s)
	return err
}

func (p *printer) arg(name string, named bool) (value.Value, error) {
	if named {
		p.named = true
		v, ok := p.byName.Get(name)
		if !ok {
			return v, failf("the format uses %q, which is not given", name)
		}
		return v, nil
	}
	if p.used >= len(p.args) {
		return value.Null(), failf("the format uses more than the %d values that are given", len(p.args))
	}
	p.used++
	return p.args[p.used-1], nil
}

// spec reads flags, width and precision.
func (p *printer) spec() numberSpec {
	sp := numberSpec{prec: -1, align: '>'}
	for p.rest != "" {
		switch c := p.rest[0]; {
		case c == '-':
			sp.align, sp.fill = '<', ""
		case c == '0' && sp.align != '<':
			sp.align, sp.fill = '=', "0"
		case c == '+' || c == ' ' && sp.sign == 0:
			sp.sign = c
		case c == '#':
			sp.alt = true
		case c != '0' && c != ' ':
			sp.width, p.rest = leadingInt(p.rest)
			if rest, ok := strings.CutPrefix(p.rest, "."); ok {
				sp.prec, p.rest = leadingInt(rest)
			}
			return sp
		}
		p.rest = p.rest[1:]
	}
	return sp
}

// leadingInt reads the digits that s begins with; absurd numbers are cut.
func leadingInt(s string) (n int, rest string) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	n, err := strconv.Atoi(s[:i])
	if i > 0 && err != nil {
		n = MaxOutput + 1
	}
	return n, s[i:]
}
