package value

import (
	"bytes"
	"strconv"
)

// number reads a number: a float if it has a point or an exponent, else an
// integer.
func (p *parser) number() (Value, error) {
	start := p.pos
	whole, err := p.numeral()
	if err != nil {
		return Value{}, err
	}
	text := p.data[start:p.pos]
	if whole {
		return integer(text), nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return Value{}, p.fail(start, "%s is beyond the range of a number", shorten(string(text)))
	}
	return Float(f), nil
}

// numeral steps over a number and tells whether it is a whole one.
func (p *parser) numeral() (whole bool, err error) {
	if p.here() == '-' {
		p.pos++
	}
	if p.here() == '0' {
		if p.pos++; isDigit(p.here()) {
			return false, p.unexpected("after leading zero in numeric literal")
		}
	} else if err := p.digits("in numeric literal"); err != nil {
		return false, err
	}
	whole = true
	if p.here() == '.' {
		whole = false
		p.pos++
		if err := p.digits("after decimal point in numeric literal"); err != nil {
			return false, err
		}
	}
	if c := p.here(); c != 'e' && c != 'E' {
		return whole, nil
	}
	p.pos++
	if c := p.here(); c == '+' || c == '-' {
		p.pos++
	}
	return false, p.digits("in exponent of numeric literal")
}

// digits steps over at least one digit.
func (p *parser) digits(where string) error {
	if !isDigit(p.here()) {
		return p.unexpected(where)
	}
	for isDigit(p.here()) {
		p.pos++
	}
	return nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// integer returns the integer that text spells.
func integer(text []byte) Value {
	const safe = 18 // digits that any int64 can hold
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	if len(digits) > safe {
		v, _ := Number(string(text)) // which is a numeral, as the parser saw
		return v
	}
	var n int64
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return Int(n)
}
