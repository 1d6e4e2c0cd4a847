package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer turns source into tokens, one at a time. Inside brackets the ends of
// lines don't count.
type lexer struct {
	src      string
	i        int
	brackets []bracket // the open ones
	indents  []int
	atStart  bool // of a logical line
	pending  int  // dedents still to be given
	at       cursor
	errs     *errorList
}

// bracket is an open bracket.
type bracket struct {
	c     byte
	start int
}

// cursor remembers the position of one offset, to find later ones fast.
type cursor struct {
	offset int
	pos    Pos
}

func newLexer(src string, errs *errorList) *lexer {
	return &lexer{src: src, indents: []int{0}, atStart: true, errs: errs, at: cursor{pos: Pos{Line: 1, Col: 1}}}
}

// posAt gives the position of an offset.
func (l *lexer) posAt(offset int) Pos {
	c := l.at
	if offset < c.offset {
		c = cursor{pos: Pos{Line: 1, Col: 1}}
	}
	for c.offset < offset {
		r, n := utf8.DecodeRuneInString(l.src[c.offset:])
		c.offset += n
		c.pos.Col++
		if r == '\n' {
			c.pos = Pos{Line: c.pos.Line + 1, Col: 1}
		}
	}
	if offset >= l.at.offset {
		l.at = c
	}
	return c.pos
}

func (l *lexer) peekByte(ahead int) byte {
	if l.i+ahead < len(l.src) {
		return l.src[l.i+ahead]
	}
	return 0
}

// next gives the next token.
func (l *lexer) next() token {
	if l.pending > 0 {
		l.pending--
		return l.mark(tDedent, l.i)
	}
	if l.atStart && len(l.brackets) == 0 {
		l.atStart = false
		if t, ok := l.indentation(); ok {
			return t
		}
	}
	l.skipBlanks()
	start := l.i
	if l.i >= len(l.src) {
		return l.endOfFile()
	}
	c := l.src[l.i]
	switch {
	case c == '\n':
		l.i++
		l.atStart = true
		return l.mark(tNewline, start)
	case c >= '0' && c <= '9', c == '.' && isDigitByte(l.peekByte(1)):
		return l.number()
	case c == '"' || c == '\'':
		return l.stringLiteral("")
	}
	if r, _ := utf8.DecodeRuneInString(l.src[l.i:]); r == '_' || unicode.IsLetter(r) {
		return l.name()
	}
	return l.operator()
}

func (l *lexer) mark(k kind, start int) token {
	return token{kind: k, pos: l.posAt(start), start: start, end: l.i}
}

func (l *lexer) endOfFile() token {
	if n := len(l.brackets); n > 0 {
		open := l.brackets[n-1]
		l.errs.add(l.posAt(open.start), "", "'%c' was never closed", open.c)
		return l.mark(tEOF, l.i)
	}
	if l.i > 0 && !l.atStart {
		l.atStart = true
		return l.mark(tNewline, l.i)
	}
	if n := len(l.indents); n > 1 {
		l.indents = l.indents[:n-1]
		return l.mark(tDedent, l.i)
	}
	return l.mark(tEOF, l.i)
}

// indentation looks at the start of a line and gives an indent or dedent if
// there is one.
func (l *lexer) indentation() (token, bool) {
	width := l.lineWidth()
	top := l.indents[len(l.indents)-1]
	if l.i >= len(l.src) || width == top {
		l.atStart = l.i >= len(l.src)
		return token{}, false
	}
	if width > top {
		l.indents = append(l.indents, width)
		return l.mark(tIndent, l.i), true
	}
	n := 0
	for len(l.indents) > 1 && l.indents[len(l.indents)-1] > width {
		l.indents = l.indents[:len(l.indents)-1]
		n++
	}
	if l.indents[len(l.indents)-1] != width {
		l.errs.add(l.posAt(l.i), "", "unindent does not match any outer indentation level")
	}
	l.pending = n - 1
	return l.mark(tDedent, l.i), true
}

// lineWidth skips blank lines and comments and returns the indentation of the
// first line with something on it.
func (l *lexer) lineWidth() int {
	width := 0
	for l.i < len(l.src) {
		switch c := l.src[l.i]; {
		case c == ' ':
			width++
		case c == '\t':
			width = width/8*8 + 8
		case c == '\n' || c == '\r' || c == '\f':
			width = 0
		case c == '#':
			l.skipComment()
			continue
		case c == '\\' && l.continuation() > 0:
			l.i += l.continuation() - 1
		default:
			return width
		}
		l.i++
	}
	return 0
}

func (l *lexer) skipComment() {
	if end := strings.IndexByte(l.src[l.i:], '\n'); end >= 0 {
		l.i += end
		return
	}
	l.i = len(l.src)
}

// continuation is the length of a backslash with the end of line after it, 0
// when there is none.
func (l *lexer) continuation() int {
	rest := l.src[l.i:]
	switch {
	case strings.HasPrefix(rest, "\\\n"):
		return 2
	case strings.HasPrefix(rest, "\\\r\n"):
		return 3
	}
	return 0
}

func (l *lexer) skipBlanks() {
	for l.i < len(l.src) {
		switch c := l.src[l.i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f', c == '\n' && len(l.brackets) > 0:
			l.i++
		case c == '#':
			l.skipComment()
		case c == '\\' && l.continuation() > 0:
			l.i += l.continuation()
		default:
			return
		}
	}
}

func isDigitByte(c byte) bool { return '0' <= c && c <= '9' }

func isNameRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)
}

func (l *lexer) name() token {
	start := l.i
	for l.i < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[l.i:])
		if !isNameRune(r) {
			break
		}
		l.i += n
	}
	text := l.src[start:l.i]
	if c := l.peekByte(0); (c == '"' || c == '\'') && isStringPrefix(text) {
		l.i = start
		return l.stringLiteral(strings.ToLower(text))
	}
	t := l.mark(tName, start)
	t.text = text
	if isKeyword(text) {
		t.kind = kind(text)
	}
	return t
}

func isStringPrefix(s string) bool {
	switch strings.ToLower(s) {
	case "r", "b", "u", "f", "rb", "br", "rf", "fr":
		return true
	}
	return false
}

// operators, the long ones first.
const operators = "**= //= >>= <<= ... ** // >> << <= >= == != -> := += -= *= /= %= &= |= ^= @= " +
	"+ - * / % @ & | ^ ~ < > ( ) [ ] { } , : . ; = ! "

func (l *lexer) operator() token {
	start := l.i
	for rest := operators; rest != ""; {
		var op string
		op, rest, _ = strings.Cut(rest, " ")
		if strings.HasPrefix(l.src[l.i:], op) {
			l.i += len(op)
			l.bracket(op[0], start)
			return l.mark(kind(op), start)
		}
	}
	r, n := utf8.DecodeRuneInString(l.src[l.i:])
	l.i += n
	hint := ""
	if r == '“' || r == '”' || r == '‘' || r == '’' {
		hint = "use straight quotes"
	}
	l.errs.add(l.posAt(start), hint, "invalid character '%c'", r)
	return l.next()
}

// bracket keeps track of open brackets.
func (l *lexer) bracket(c byte, start int) {
	switch c {
	case '(', '[', '{':
		l.brackets = append(l.brackets, bracket{c, start})
	case ')', ']', '}':
		n := len(l.brackets)
		if n == 0 {
			l.errs.add(l.posAt(start), "", "unmatched '%c'", c)
			return
		}
		if open := l.brackets[n-1].c; closing(open) != c {
			l.errs.add(l.posAt(start), "", "closing parenthesis '%c' does not match opening parenthesis '%c'", c, open)
		}
		l.brackets = l.brackets[:n-1]
	}
}

func closing(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}
