package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// stringLiteral reads a string with its prefix. Of an f-string it reads only
// the opening quote; the parser reads the rest.
func (l *lexer) stringLiteral(prefix string) token {
	start := l.i
	l.i += len(prefix)
	quote := l.src[l.i : l.i+1]
	if strings.HasPrefix(l.src[l.i:], quote+quote+quote) {
		quote = quote + quote + quote
	}
	l.i += len(quote)
	raw := strings.Contains(prefix, "r")
	if strings.Contains(prefix, "f") {
		t := l.mark(tFString, start)
		t.fstr = fstringStart{quote: quote, raw: raw}
		return t
	}
	body, ok := l.untilQuote(quote)
	t := l.mark(tString, start)
	t.bytes = strings.Contains(prefix, "b")
	if !ok {
		what := "unterminated string literal"
		if len(quote) == 3 {
			what = "unterminated triple-quoted string literal"
		}
		l.errs.add(t.pos, "", "%s", what)
		return t
	}
	t.text = body
	if !raw {
		t.text = l.unescape(body, t, t.bytes)
	}
	return t
}

// untilQuote reads up to and over the closing quote.
func (l *lexer) untilQuote(quote string) (body string, ok bool) {
	start := l.i
	for l.i < len(l.src) {
		switch c := l.src[l.i]; {
		case strings.HasPrefix(l.src[l.i:], quote):
			body = l.src[start:l.i]
			l.i += len(quote)
			return body, true
		case c == '\\' && l.i+1 < len(l.src):
			l.i += 2
		case c == '\n' && len(quote) == 1:
			return l.src[start:l.i], false
		default:
			l.i++
		}
	}
	l.i = min(l.i, len(l.src))
	return l.src[start:l.i], false
}

// unescape resolves backslashes.
func (l *lexer) unescape(s string, t token, isBytes bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		text, n, problem := escape(s[i+1:], isBytes)
		if problem != "" {
			l.errs.add(t.pos, "", "%s", problem)
		}
		b.WriteString(text)
		s = s[i+1+n:]
	}
	return b.String()
}

// escape resolves what follows a backslash: its text and length.
func escape(s string, isBytes bool) (text string, n int, problem string) { //nolint:cyclop // one case for each escape
	const simple = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v"
	for i := 0; i < len(simple); i += 2 {
		if s[0] == simple[i] {
			return simple[i+1 : i+2], 1, ""
		}
	}
	switch c := s[0]; {
	case c == '\n':
		return "", 1, ""
	case c == '\r' && strings.HasPrefix(s, "\r\n"):
		return "", 2, ""
	case c >= '0' && c <= '7':
		n = 1
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		v, _ := strconv.ParseUint(s[:n], 8, 32)
		return encodeEscape(v, isBytes), n, ""
	case c == 'x':
		return hexEscape(s, 2, isBytes)
	case c == 'u' && !isBytes:
		return hexEscape(s, 4, false)
	case c == 'U' && !isBytes:
		return hexEscape(s, 8, false)
	case c == 'N' && !isBytes:
		return "", 1, `\N{...} names of characters are not supported here: write the character itself`
	}
	_, n = utf8.DecodeRuneInString(s)
	return "\\" + s[:n], n, ""
}

func hexEscape(s string, digits int, isBytes bool) (string, int, string) {
	if len(s) < 1+digits {
		return "", len(s), `truncated \` + s[:1] + ` escape`
	}
	v, err := strconv.ParseUint(s[1:1+digits], 16, 32)
	if err != nil {
		return "", 1, `truncated \` + s[:1] + ` escape`
	}
	if !isBytes && (v > utf8.MaxRune || v >= 0xd800 && v < 0xe000) {
		return "\uFFFD", 1 + digits, `\` + s[:1+digits] + ` is not a character`
	}
	return encodeEscape(v, isBytes), 1 + digits, ""
}

func encodeEscape(v uint64, isBytes bool) string {
	if isBytes {
		return string([]byte{byte(v)})
	}
	return string(rune(v))
}

// fstringText reads the literal text of an f-string up to a field, the end of
// the field that contains it (inSpec) or the closing quote.
func (l *lexer) fstringText(f fstringStart, inSpec bool) (text string, stop byte) { //nolint:cyclop // a scanner: one case for each construct
	start := token{pos: l.posAt(l.i)}
	var b strings.Builder
	for l.i < len(l.src) {
		rest := l.src[l.i:]
		c := rest[0]
		switch {
		case strings.HasPrefix(rest, f.quote):
			return l.fstringPiece(b.String(), f, start), 'q'
		case (c == '{' || c == '}') && !inSpec && len(rest) > 1 && rest[1] == c:
			b.WriteByte(c)
			l.i += 2
		case c == '{' || c == '}':
			l.i++
			return l.fstringPiece(b.String(), f, start), c
		case c == '\n' && len(f.quote) == 1:
			return l.fstringPiece(b.String(), f, start), 0
		case c == '\\' && !f.raw && len(rest) > 1 && rest[1] != '{' && rest[1] != '}':
			b.WriteString(rest[:2])
			l.i += 2
		default:
			b.WriteByte(c)
			l.i++
		}
	}
	return l.fstringPiece(b.String(), f, start), 0
}

func (l *lexer) fstringPiece(s string, f fstringStart, at token) string {
	if f.raw {
		return s
	}
	return l.unescape(s, at, false)
}
