package syntax

import (
	"slices"
	"strings"
)

// Options of Parse.
type Options struct {
	// CheckImport says what is wrong with importing a module or, if member is
	// not empty, a member of it; "" is nothing.
	CheckImport func(module, member string) (msg, hint string)
	// Forbidden gives advice about a name that must not be used, or "".
	Forbidden func(name string) string
	// Fixed returns advice about a name that the top level must not bind, ""
	// for every other one. Nil: none is fixed.
	Fixed func(name string) string
}

const (
	maxSource  = 1 << 20
	maxNesting = 90
	maxChain   = 1000
)

// parser is a recursive descent parser. After an error in a statement it takes
// no more tokens (the current one is tBad) until the statement is left; then it
// goes on with the next line.
type parser struct {
	lex     *lexer
	tok     token
	prevEnd int // where the token before tok ended
	errs    *errorList
	opts    Options
	depth   int

	loops  int // how many loops are open in the function
	bad    bool
	badTok token
}

const tBad kind = "error"

// Parse reads a program and resolves its names. It returns all problems, in
// the order of the source; the file is nil when there are any.
func Parse(src string, opts Options) (*File, []*Error) {
	errs := &errorList{}
	if len(src) > maxSource {
		errs.add(Pos{Line: 1, Col: 1}, python3, "the code is longer than %d bytes", maxSource)
		return nil, errs.errs
	}
	src = strings.ToValidUTF8(strings.TrimPrefix(src, "\uFEFF"), "\uFFFD")
	p := &parser{lex: newLexer(src, errs), errs: errs, opts: opts}
	p.advance()
	f := &File{Body: p.file()}
	if len(errs.errs) == 0 {
		resolve(f, p)
	}
	if len(errs.errs) > 0 {
		slices.SortStableFunc(errs.errs, func(a, b *Error) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Col - b.Col
		})
		return nil, errs.errs
	}
	return f, nil
}

func (p *parser) advance() {
	if p.bad {
		return
	}
	p.prevEnd = p.tok.end
	p.tok = p.lex.next()
}

func (p *parser) at(k kind) bool { return p.tok.kind == k }

// accept takes the token if it is of kind k.
func (p *parser) accept(k kind) bool {
	if p.tok.kind != k || p.bad {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(k kind) {
	if !p.accept(k) {
		p.fail(p.tok.pos, "", "expected '%s', found %s", k, p.tok)
	}
}

// fail reports an error and gives up on the statement.
func (p *parser) fail(pos Pos, hint, format string, args ...any) {
	if p.bad {
		return
	}
	p.errs.add(pos, hint, format, args...)
	p.bad = true
	p.badTok = p.tok
	p.tok = token{kind: tBad, pos: p.tok.pos, start: p.tok.start, end: p.tok.end}
}

// unsupported reports a part of the language that is left out, and goes on.
func (p *parser) unsupported(pos Pos, what string) {
	if !p.bad {
		p.errs.add(pos, python3, "%s is not supported by the embedded Python", what)
	}
}

// recover goes on after an error: it skips the rest of the line, and reads a
// block that belongs to it for its errors only.
func (p *parser) recover() {
	if !p.bad {
		return
	}
	p.bad = false
	p.tok = p.badTok
	p.lex.brackets = nil
	for !p.at(tNewline) && !p.at(tEOF) && !p.at(tIndent) && !p.at(tDedent) {
		p.lex.brackets = nil
		p.advance()
	}
	p.accept(tNewline)
	if p.at(tIndent) {
		p.indented()
	}
}

// enter bounds nesting; leave ends it.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.fail(p.tok.pos, "", "too deeply nested (more than %d levels)", maxNesting)
		return false
	}
	return !p.bad
}

func (p *parser) leave() { p.depth-- }

func (p *parser) name(what string) *Name {
	n := &Name{Pos: p.tok.pos, Ident: p.tok.text}
	if !p.at(tName) {
		p.fail(p.tok.pos, "", "expected %s, found %s", what, p.tok)
		return n
	}
	p.advance()
	return n
}
