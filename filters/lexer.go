package filters

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenLiteral // a string or number, in token.lit
	tokenOp
)

// token is one word of an expression.
type token struct {
	kind     tokenKind
	off, end int
	text     string // a name or an operator
	lit      value.Value
}

func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end"
	case tokenLiteral:
		return t.lit.String()
	}
	return strconv.Quote(t.text)
}

// lexer splits the expression that begins at pos into tokens. It ends at close
// ("}}" or "%}") outside brackets, or with the source when close is empty.
type lexer struct {
	src   string
	pos   int
	close string
	open  []byte // closing brackets still to come
	out   []token
	trim  bool // the end was written with a minus
}

// operators of Jinja2, longer ones first.
const operators = "// ** == != >= <= + - / * % ~ [ ] ( ) { } > < = . : | , ;"

// lexExpr returns the tokens from pos up to close, the position behind close
// and whether it trims what follows. On error the position is where the
// search for the next tag may go on.
func lexExpr(src string, pos int, closing string) (tokens []token, next int, trim bool, err error) {
	l := &lexer{src: src, pos: pos, close: closing}
	if err = l.run(); err != nil {
		next = len(src)
		if i := strings.Index(src[l.pos:], closing); i >= 0 && closing != "" {
			next = l.pos + i + len(closing)
		}
		return nil, next, false, err
	}
	return l.out, l.pos, l.trim, nil
}

func (l *lexer) run() error {
	for {
		l.skipSpace()
		if done, err := l.atEnd(); done || err != nil {
			return err
		}
		if len(l.out) >= maxTokens {
			return failAt(l.pos, "the expression has more than %d words", maxTokens)
		}
		if err := l.next(); err != nil {
			return err
		}
	}
}

func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		l.pos += n
	}
}

// atEnd recognises the end of the expression and appends its token.
func (l *lexer) atEnd() (bool, error) {
	rest := l.src[l.pos:]
	if l.close == "" {
		if rest != "" {
			return false, nil
		}
		l.emit(token{kind: tokenEnd, off: l.pos, end: l.pos})
		return true, nil
	}
	if rest == "" {
		return true, failAt(l.pos, "%q is missing", l.close)
	}
	if len(l.open) > 0 {
		return false, nil
	}
	skip := 0
	if rest[0] == '-' || rest[0] == '+' {
		skip = 1
	}
	if !strings.HasPrefix(rest[skip:], l.close) {
		return false, nil
	}
	l.emit(token{kind: tokenEnd, off: l.pos, end: l.pos})
	l.trim = rest[0] == '-'
	l.pos += skip + len(l.close)
	return true, nil
}

func (l *lexer) emit(t token) { l.out = append(l.out, t) }

func (l *lexer) next() error {
	c := l.src[l.pos]
	switch {
	case c == '"' || c == '\'':
		return l.str(c)
	case c >= '0' && c <= '9':
		return l.number()
	}
	if r, _ := utf8.DecodeRuneInString(l.src[l.pos:]); r == '_' || unicode.IsLetter(r) {
		l.name()
		return nil
	}
	for op := range strings.FieldsSeq(operators) {
		if strings.HasPrefix(l.src[l.pos:], op) {
			return l.operator(op)
		}
	}
	r, _ := utf8.DecodeRuneInString(l.src[l.pos:])
	f := failAt(l.pos, "unexpected character %q", r)
	switch {
	case strings.HasPrefix(l.src[l.pos:], "&&"):
		f.hint = "write: and"
	case r == '!':
		f.hint = "write: not"
	}
	return f
}

func (l *lexer) operator(op string) error {
	switch op {
	case "(":
		l.open = append(l.open, ')')
	case "[":
		l.open = append(l.open, ']')
	case "{":
		l.open = append(l.open, '}')
	case ")", "]", "}":
		last := len(l.open) - 1
		if last < 0 {
			return failAt(l.pos, "unexpected %q: no bracket is open", op)
		}
		if l.open[last] != op[0] {
			return failAt(l.pos, "unexpected %q, expected %q", op, l.open[last])
		}
		l.open = l.open[:last]
	}
	if len(l.open) > MaxDepth {
		return failAt(l.pos, "more than %d brackets are nested", MaxDepth)
	}
	l.emit(token{kind: tokenOp, off: l.pos, end: l.pos + len(op), text: op})
	l.pos += len(op)
	return nil
}

func (l *lexer) name() {
	start := l.pos
	for l.pos < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
			break
		}
		l.pos += n
	}
	l.emit(token{kind: tokenName, off: start, end: l.pos, text: l.src[start:l.pos]})
}

// number reads 42, 1_000, 0x1f, 0o17, 0b11, 1.5 and 1e-3. A point counts only
// with a digit behind it, so that x.0.y works.
func (l *lexer) number() error {
	start := l.pos
	if l.src[start] == '0' && start+1 < len(l.src) && strings.IndexByte("xXoObB", l.src[start+1]) >= 0 {
		l.digits(isWordByte)
		return l.endNumber(start, false)
	}
	l.digits(isDecimal)
	isFloat := false
	if l.pos < len(l.src) && l.src[l.pos] == '.' && l.digitAt(l.pos+1) && !l.afterDot(start) {
		isFloat = true
		l.pos++
		l.digits(isDecimal)
	}
	if l.pos < len(l.src) && l.src[l.pos]|0x20 == 'e' && l.exponentAt(l.pos+1) {
		isFloat = true
		l.pos += 2 // the sign or first digit, too
		l.digits(isDecimal)
	}
	return l.endNumber(start, isFloat)
}

func (l *lexer) digits(is func(byte) bool) {
	for l.pos < len(l.src) && is(l.src[l.pos]) {
		l.pos++
	}
}

func (l *lexer) endNumber(start int, isFloat bool) error {
	text := l.src[start:l.pos]
	var v value.Value
	if isFloat {
		f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err != nil {
			return failAt(start, "%s is not a finite number", text)
		}
		v = value.Float(f)
	} else {
		i, ok := parseInt(text)
		if !ok || len(text) > maxBits/4 {
			return failAt(start, "%q is not an integer", text)
		}
		v = value.BigInt(i)
	}
	if l.pos < len(l.src) && isWordByte(l.src[l.pos]) {
		return failAt(l.pos, "unexpected %q after the number %s", l.src[l.pos], text)
	}
	l.emit(token{kind: tokenLiteral, off: start, end: l.pos, lit: v})
	return nil
}

// parseInt reads an integer as Python writes it; 007 counts as 7, as in Jinja2.
func parseInt(text string) (*big.Int, bool) {
	if trimmed := strings.TrimLeft(text, "0_"); len(text) > 1 && isDigit(text[1]) {
		if trimmed == "" {
			trimmed = "0"
		}
		text = trimmed
	}
	return new(big.Int).SetString(text, 0)
}

func (l *lexer) digitAt(i int) bool { return i < len(l.src) && isDigit(l.src[i]) }

func (l *lexer) exponentAt(i int) bool {
	if i < len(l.src) && (l.src[i] == '+' || l.src[i] == '-') {
		i++
	}
	return l.digitAt(i)
}

// afterDot tells whether the number at start is an index, as in items.0.name.
func (l *lexer) afterDot(start int) bool {
	n := len(l.out)
	return n > 0 && l.out[n-1].kind == tokenOp && l.out[n-1].text == "." && l.out[n-1].end == start
}

func isDecimal(c byte) bool { return isDigit(c) || c == '_' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
