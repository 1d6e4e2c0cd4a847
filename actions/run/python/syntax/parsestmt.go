package syntax

import (
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func (p *parser) file() []Stmt {
	var body []Stmt
	for !p.at(tEOF) {
		switch {
		case p.accept(tNewline), p.accept(tDedent):
		case p.at(tIndent):
			p.errs.add(p.tok.pos, "", "unexpected indent")
			body = append(body, p.indented()...)
		default:
			body = p.statement(body)
		}
	}
	return body
}

// indented reads the statements of an indented block.
func (p *parser) indented() []Stmt {
	var body []Stmt
	p.depth++
	if p.depth > maxNesting {
		p.errs.add(p.tok.pos, "", "too deeply nested (more than %d levels)", maxNesting)
		for !p.at(tEOF) {
			p.advance()
		}
	}
	p.accept(tIndent)
	for !p.at(tDedent) && !p.at(tEOF) {
		switch {
		case p.accept(tNewline):
		case p.at(tIndent):
			p.errs.add(p.tok.pos, "", "unexpected indent")
			p.indented()
		default:
			body = p.statement(body)
		}
	}
	p.accept(tDedent)
	p.depth--
	return body
}

// block reads ": statements" after a header.
func (p *parser) block(header Pos, what string) []Stmt {
	p.expect(":")
	if p.bad {
		p.recover()
		return nil
	}
	if !p.at(tNewline) {
		return p.simpleLine(nil)
	}
	p.advance()
	if !p.at(tIndent) {
		p.errs.add(p.tok.pos, "", "expected an indented block after %s on line %d", what, header.Line)
		return nil
	}
	return p.indented()
}

// statement reads a line or a compound statement.
func (p *parser) statement(body []Stmt) []Stmt {
	switch p.tok.kind {
	case "if", "while", "for", "def", "try", "with", "class", "async", "@":
		s := p.compound()
		p.recover()
		if s != nil {
			body = append(body, s)
		}
		return body
	case "elif", "else", "except", "finally":
		p.fail(p.tok.pos, "", "'%s' without a statement that it belongs to", p.tok.kind)
		p.recover()
		return body
	}
	if p.at(tName) && p.tok.text == "match" && p.matchStatement() {
		p.unsupported(p.tok.pos, "match")
		p.skipHeader()
		p.errs.silent = true
		p.block(p.tok.pos, "'match'")
		p.errs.silent = false
		p.recover()
		return body
	}
	return p.simpleLine(body)
}

// matchStatement tells whether the line that begins with the name match is a
// match statement.
func (p *parser) matchStatement() bool {
	line, after, _ := strings.Cut(p.lex.src[p.tok.start:], "\n")
	return strings.HasSuffix(strings.TrimSpace(line), ":") && strings.HasPrefix(strings.TrimSpace(after), "case ")
}

func (p *parser) simpleLine(body []Stmt) []Stmt {
	for {
		if s := p.simple(); s != nil && !p.bad {
			body = append(body, s...)
		}
		if !p.accept(";") || p.at(tNewline) {
			break
		}
	}
	if !p.bad && !p.at(tEOF) && !p.accept(tNewline) {
		p.afterStatement()
	}
	p.recover()
	return body
}

// afterStatement reports a token where the line should end.
func (p *parser) afterStatement() {
	line := p.lex.src[:p.tok.start]
	line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
	switch line {
	case "print":
		p.fail(p.tok.pos, "", "missing parentheses in call to 'print': write print(...)")
	case "exec":
		p.fail(p.tok.pos, python3, "exec is not supported by the embedded Python")
	default:
		p.fail(p.tok.pos, "", "invalid syntax: unexpected %s", p.tok)
	}
}

func (p *parser) simple() []Stmt {
	pos := p.tok.pos
	switch p.tok.kind {
	case "break", "continue", "pass":
		return p.jump()
	case "return":
		p.advance()
		s := &Return{Pos: pos}
		if !p.endOfStatement() {
			s.X = p.exprList(true)
		}
		return []Stmt{s}
	case "del":
		p.advance()
		return []Stmt{p.del(pos)}
	case "import":
		return p.importStmt()
	case "from":
		return p.fromStmt()
	case "global", "nonlocal":
		return []Stmt{p.declare()}
	case "raise":
		return []Stmt{p.raise()}
	case "assert":
		p.advance()
		s := &Assert{Pos: pos, Cond: p.expr()}
		if p.accept(",") {
			s.Msg = p.expr()
		}
		return []Stmt{s}
	}
	return []Stmt{p.exprStmt()}
}

func (p *parser) endOfStatement() bool {
	return p.at(tNewline) || p.at(tEOF) || p.at(";") || p.bad
}

func (p *parser) jump() []Stmt {
	s := &Jump{Pos: p.tok.pos, Kind: string(p.tok.kind)}
	if s.Kind != "pass" && p.loops == 0 {
		p.errs.add(s.Pos, "", "'%s' outside loop", s.Kind)
	}
	p.advance()
	return []Stmt{s}
}

func (p *parser) raise() Stmt {
	s := &Raise{Pos: p.tok.pos}
	p.advance()
	if p.endOfStatement() {
		return s
	}
	s.X = p.expr()
	if p.accept("from") {
		s.From = p.expr()
	}
	return s
}

func (p *parser) declare() Stmt {
	s := &Declare{Pos: p.tok.pos, Global: p.at("global")}
	p.advance()
	for {
		s.Names = append(s.Names, p.name("a name"))
		if !p.accept(",") {
			return s
		}
	}
}

func (p *parser) del(pos Pos) Stmt {
	s := &Del{Pos: pos}
	x := p.exprList(false)
	if d, ok := x.(*Display); ok && (d.Kind == TupleKind || d.Kind == ListKind) {
		s.Targets = d.Elts
	} else {
		s.Targets = []Expr{x}
	}
	for _, t := range s.Targets {
		switch t.(type) {
		case *Name, *Subscript:
		case *Attribute:
			p.fail(t.Start(), "", "attributes cannot be deleted here")
		default:
			p.fail(t.Start(), "", "cannot delete %s", describe(t))
		}
	}
	return s
}

// exprStmt reads an expression or an assignment.
func (p *parser) exprStmt() Stmt {
	pos := p.tok.pos
	x := p.exprList(true)
	if op, ok := augmented(p.tok.kind); ok {
		p.advance()
		p.checkAugTarget(x)
		return &AugAssign{Pos: pos, Target: x, Op: op, Value: p.exprList(true)}
	}
	if p.at(":") {
		return p.annotated(pos, x)
	}
	if !p.at("=") {
		return &ExprStmt{Pos: pos, X: x}
	}
	s := &Assign{Pos: pos}
	for p.accept("=") {
		p.checkTarget(x, true)
		s.Targets = append(s.Targets, x)
		x = p.exprList(true)
	}
	s.Value = x
	return s
}

// annotated reads the annotation of a variable, which means nothing here.
func (p *parser) annotated(pos Pos, x Expr) Stmt {
	switch x.(type) {
	case *Name, *Subscript, *Attribute:
	default:
		p.fail(p.tok.pos, "", "invalid syntax: unexpected ':'")
		return nil
	}
	p.advance()
	p.expr()
	if p.accept("=") {
		p.checkTarget(x, true)
		return &Assign{Pos: pos, Targets: []Expr{x}, Value: p.exprList(true)}
	}
	return &Jump{Pos: pos, Kind: "pass"}
}

func augmented(k kind) (object.Op, bool) {
	switch k {
	case "+=":
		return object.Add, true
	case "-=":
		return object.Sub, true
	case "*=":
		return object.Mul, true
	case "/=":
		return object.Div, true
	case "//=":
		return object.FloorDiv, true
	case "%=":
		return object.Mod, true
	case "**=":
		return object.Pow, true
	case "<<=":
		return object.LShift, true
	case ">>=":
		return object.RShift, true
	case "&=":
		return object.And, true
	case "|=":
		return object.Or, true
	case "^=":
		return object.Xor, true
	case "@=":
		return object.MatMul, true
	}
	return 0, false
}

func (p *parser) checkAugTarget(x Expr) {
	switch x.(type) {
	case *Name, *Subscript, *Attribute:
		return
	}
	p.fail(x.Start(), "", "'%s' is an illegal expression for augmented assignment", describe(x))
}

// checkTarget reports what can't be assigned to.
func (p *parser) checkTarget(x Expr, top bool) {
	switch x := x.(type) {
	case nil, *Name, *Subscript, *Attribute:
		return
	case *Starred:
		if top {
			p.fail(x.Pos, "", "starred assignment target must be in a list or tuple")
			return
		}
		p.checkTarget(x.X, true)
		return
	case *Display:
		if x.Kind == ListKind || x.Kind == TupleKind {
			stars := 0
			for _, e := range x.Elts {
				if _, ok := e.(*Starred); ok {
					stars++
				}
				p.checkTarget(e, false)
			}
			if stars > 1 {
				p.fail(x.Pos, "", "multiple starred expressions in assignment")
			}
			return
		}
	}
	hint := ""
	if _, ok := x.(*Compare); !ok {
		hint = "maybe you meant '==' instead of '='?"
	}
	p.fail(x.Start(), hint, "cannot assign to %s", describe(x))
}

func describe(x Expr) string {
	switch x := x.(type) {
	case *Const:
		switch v := x.Value.(type) {
		case object.NoneType, object.Bool:
			s, _ := object.JSONKey(v)
			return map[string]string{"null": "None", "true": "True", "false": "False"}[s]
		}
		return "literal"
	case *FString:
		return "f-string expression"
	case *Call:
		return "function call"
	case *Compare:
		return "comparison"
	case *Lambda:
		return "lambda"
	case *IfExpr:
		return "conditional expression"
	case *Comp:
		return "comprehension"
	case *DictExpr:
		return "dict literal"
	case *Display:
		return "set display"
	case *Walrus:
		return "named expression"
	case *Starred:
		return "starred"
	}
	return "expression"
}
