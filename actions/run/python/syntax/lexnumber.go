package syntax

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func (l *lexer) number() token {
	start := l.i
	k := tInt
	if l.src[l.i] == '0' && strings.IndexByte("xXoObB", l.peekByte(1)) >= 0 && l.peekByte(1) != 0 {
		l.i += 2
		l.digits(func(c byte) bool { return isDigitByte(c) || 'a' <= c|0x20 && c|0x20 <= 'f' })
	} else {
		l.digits(isDigitByte)
		if l.peekByte(0) == '.' {
			k = tFloat
			l.i++
			l.digits(isDigitByte)
		}
		if l.exponent() {
			k = tFloat
		}
	}
	t := l.mark(k, start)
	t.text = l.src[start:l.i]
	switch c := l.peekByte(0); {
	case c|0x20 == 'j':
		l.i++
		l.errs.add(t.pos, python3, "complex numbers are not supported here")
	case c == '_' || isNameRune(rune(c)) && c < 0x80 && !isKeywordAhead(l.src[l.i:]):
		l.errs.add(t.pos, "", "invalid decimal literal")
		l.name()
	}
	return t
}

// isKeywordAhead allows "1if x else y", as Python does.
func isKeywordAhead(s string) bool {
	for _, k := range []string{"if", "in", "is", "else", "and", "or", "not", "for"} {
		if strings.HasPrefix(s, k) {
			return true
		}
	}
	return false
}

func (l *lexer) digits(ok func(byte) bool) {
	for ok(l.peekByte(0)) || l.peekByte(0) == '_' && ok(l.peekByte(1)) {
		l.i++
	}
}

// exponent reads e+10 if it stands here.
func (l *lexer) exponent() bool {
	n := 1
	if c := l.peekByte(1); c == '+' || c == '-' {
		n = 2
	}
	if l.peekByte(0)|0x20 != 'e' || !isDigitByte(l.peekByte(n)) {
		return false
	}
	l.i += n
	l.digits(isDigitByte)
	return true
}

// numberValue gives the value of a number, or a message that says what is wrong.
func numberValue(t token) (object.Object, string) {
	text := strings.ReplaceAll(t.text, "_", "")
	if t.kind == tFloat {
		f, _ := strconv.ParseFloat(text, 64) // out of range gives the infinity that Python gives
		return object.Float(f), ""
	}
	if len(text) > object.MaxIntDigits {
		return object.Int(0), "Exceeds the limit (4300 digits) for integer string conversion"
	}
	base := 10
	digits := text
	if len(text) > 2 && text[0] == '0' {
		switch text[1] | 0x20 {
		case 'x':
			base, digits = 16, text[2:]
		case 'o':
			base, digits = 8, text[2:]
		case 'b':
			base, digits = 2, text[2:]
		}
	}
	v, ok := new(big.Int).SetString(digits, base)
	switch {
	case !ok:
		return object.Int(0), "invalid integer literal"
	case base == 10 && len(text) > 1 && text[0] == '0' && v.Sign() != 0:
		return object.Int(0), "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers"
	}
	return object.NewInt(v), ""
}
