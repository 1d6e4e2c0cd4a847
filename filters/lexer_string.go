package filters

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// str reads a quoted string with Python's escapes.
func (l *lexer) str(quote byte) error {
	start := l.pos
	l.pos++
	from := l.pos
	for l.pos < len(l.src) && l.src[l.pos] != quote {
		if l.src[l.pos] == '\\' {
			l.pos++
		}
		l.pos++
	}
	if l.pos >= len(l.src) {
		l.pos = start + 1
		return failAt(start, "the string is not closed: %c is missing", quote)
	}
	text, err := unescape(l.src[from:l.pos], from)
	if err != nil {
		return err
	}
	l.pos++
	l.emit(token{kind: tokenLiteral, off: start, end: l.pos, lit: value.String(text)})
	return nil
}

// unescape resolves backslashes as Python does; one before any other character
// stays. off is where s begins in the source.
func unescape(s string, off int) (string, error) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, nil
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out.WriteByte(s[i])
			i++
			continue
		}
		n, err := escape(&out, s[i+1:])
		if err != nil {
			return "", failAt(off+i, "%s", err.Error())
		}
		i += 1 + n
	}
	return out.String(), nil
}

// escape writes what the escape at the start of s (behind its backslash)
// stands for and returns how many bytes of s it took.
func escape(out *strings.Builder, s string) (int, error) {
	const single, means = "\\'\"abfnrtv\n", "\\'\"\a\b\f\n\r\t\v"
	if i := strings.IndexByte(single, s[0]); i >= 0 {
		if i < len(means) { // a backslash before a newline joins the lines
			out.WriteByte(means[i])
		}
		return 1, nil
	}
	switch s[0] {
	case 'x':
		return hexEscape(out, s, 2)
	case 'u':
		if n, ok := surrogatePair(out, s); ok {
			return n, nil
		}
		return hexEscape(out, s, 4)
	case 'U':
		return hexEscape(out, s, 8)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := 1
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		code, _ := strconv.ParseUint(s[:n], 8, 32)
		out.WriteRune(rune(code))
		return n, nil
	}
	out.WriteByte('\\')
	return 0, nil
}

func hexEscape(out *strings.Builder, s string, digits int) (int, error) {
	if len(s) < 1+digits {
		return 0, failf("the escape \\%c takes %d hex digits", s[0], digits)
	}
	code, err := strconv.ParseUint(s[1:1+digits], 16, 32)
	if err != nil {
		return 0, failf("the escape \\%c takes %d hex digits", s[0], digits)
	}
	if code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return 0, failf("\\%s is not a character", s[:1+digits])
	}
	out.WriteRune(rune(code))
	return 1 + digits, nil
}

// surrogatePair reads two escapes of UTF-16, which JSON writes for one character.
func surrogatePair(out *strings.Builder, s string) (int, bool) {
	if len(s) < 11 || s[5] != '\\' || s[6] != 'u' {
		return 0, false
	}
	hi, err1 := strconv.ParseUint(s[1:5], 16, 32)
	lo, err2 := strconv.ParseUint(s[7:11], 16, 32)
	if err1 != nil || err2 != nil || hi>>10 != 0xD800>>10 || lo>>10 != 0xDC00>>10 {
		return 0, false
	}
	out.WriteRune(rune((hi-0xD800)<<10 + (lo - 0xDC00) + 0x10000))
	return 11, true
}
