package syntax

import "github.com/tea-agents/tea/actions/run/python/object"

// exprList reads expressions separated by commas: one alone is itself, more
// (or one with a comma after it) a tuple.
func (p *parser) exprList(stars bool) Expr {
	pos := p.tok.pos
	first := p.starOrNamed(stars)
	if !p.at(",") {
		if s, ok := first.(*Starred); ok && !p.at("=") {
			p.fail(s.Pos, "", "can't use starred expression here")
		}
		return first
	}
	d := &Display{Pos: pos, Kind: TupleKind}
	d.add(first)
	for p.accept(",") && p.startsExpr() {
		d.add(p.starOrNamed(stars))
	}
	return d
}

func (d *Display) add(x Expr) {
	if _, ok := x.(*Starred); ok {
		d.Stars = true
	}
	d.Elts = append(d.Elts, x)
}

// startsExpr tells whether an expression can begin at the token.
func (p *parser) startsExpr() bool {
	switch p.tok.kind {
	case tName, tInt, tFloat, tString, tFString, "(", "[", "{", "-", "+", "~", "not", "lambda",
		"None", "True", "False", "...", "*", "await", "yield":
		return !p.bad
	}
	return false
}

func (p *parser) starOrNamed(stars bool) Expr {
	if pos := p.tok.pos; stars && p.accept("*") {
		return &Starred{Pos: pos, X: p.binary(0)}
	}
	return p.namedExpr()
}

// namedExpr reads an expression or name := expression.
func (p *parser) namedExpr() Expr {
	x := p.expr()
	if !p.at(":=") {
		return x
	}
	n, ok := x.(*Name)
	if !ok {
		p.fail(x.Start(), "", "cannot use assignment expressions with %s", describe(x))
		return x
	}
	p.advance()
	return &Walrus{Pos: n.Pos, Target: n, Value: p.expr()}
}

// expr reads a conditional expression or lambda.
func (p *parser) expr() Expr {
	if !p.enter() {
		p.leave()
		return &Const{Pos: p.tok.pos, Value: object.None()}
	}
	defer p.leave()
	switch p.tok.kind {
	case "lambda":
		return p.lambda()
	case "yield":
		p.unsupported(p.tok.pos, "yield")
		pos := p.tok.pos
		p.advance()
		p.accept("from")
		if p.startsExpr() {
			return p.exprList(true)
		}
		return &Const{Pos: pos, Value: object.None()}
	}
	x := p.logic(false)
	if !p.at("if") {
		return x
	}
	p.advance()
	e := &IfExpr{Pos: x.Start(), Then: x, Cond: p.logic(false)}
	if !p.accept("else") {
		p.fail(p.tok.pos, "", "expected 'else' after 'if' expression")
	}
	e.Else = p.expr()
	return e
}

func (p *parser) lambda() Expr {
	l := &Lambda{Pos: p.tok.pos, Func: &Func{Name: "<lambda>"}}
	p.advance()
	l.Func.Params = p.params(":", false)
	p.expect(":")
	l.Func.Expr = p.expr()
	return l
}

// logic reads a chain of or, whose parts are chains of and.
func (p *parser) logic(and bool) Expr {
	word, part := kind("or"), func() Expr { return p.logic(true) }
	if and {
		word, part = "and", p.not
	}
	x := part()
	if !p.at(word) {
		return x
	}
	l := &Logic{Pos: x.Start(), And: and, Xs: []Expr{x}}
	for p.accept(word) {
		l.Xs = append(l.Xs, part())
	}
	return l
}

func (p *parser) not() Expr {
	pos := p.tok.pos
	if !p.at("not") {
		return p.comparison()
	}
	if !p.enter() {
		p.leave()
		return &Const{Pos: pos, Value: object.None()}
	}
	defer p.leave()
	p.advance()
	return &Unary{Pos: pos, Op: 'n', X: p.not()}
}

func (p *parser) comparison() Expr {
	x := p.binary(0)
	var c *Compare
	for {
		op, ok := p.compareOp()
		if !ok {
			break
		}
		if c == nil {
			c = &Compare{Pos: x.Start(), First: x}
		}
		c.Ops = append(c.Ops, op)
		c.Rest = append(c.Rest, p.binary(0))
	}
	if c == nil {
		return x
	}
	return c
}

func (p *parser) compareOp() (object.CmpOp, bool) {
	k := p.tok.kind
	switch k {
	case "==", "!=", "<", "<=", ">", ">=", "in":
		p.advance()
		return map[kind]object.CmpOp{
			"==": object.Eq, "!=": object.Ne, "<": object.Lt, "<=": object.Le,
			">": object.Gt, ">=": object.Ge, "in": object.In,
		}[k], true
	case "is":
		p.advance()
		if p.accept("not") {
			return object.IsNot, true
		}
		return object.Is, true
	case "not":
		p.advance()
		p.expect("in")
		return object.NotIn, true
	}
	return 0, false
}

// levels of binary operators, the loosest first.
const lastLevel = 5

func binaryOp(k kind, level int) (object.Op, bool) {
	switch k {
	case "|":
		return object.Or, level == 0
	case "^":
		return object.Xor, level == 1
	case "&":
		return object.And, level == 2
	case "<<":
		return object.LShift, level == 3
	case ">>":
		return object.RShift, level == 3
	case "+":
		return object.Add, level == 4
	case "-":
		return object.Sub, level == 4
	case "*":
		return object.Mul, level == 5
	case "/":
		return object.Div, level == 5
	case "//":
		return object.FloorDiv, level == 5
	case "%":
		return object.Mod, level == 5
	case "@":
		return object.MatMul, level == 5
	}
	return 0, false
}

func (p *parser) binary(level int) Expr {
	if level > lastLevel {
		return p.unary()
	}
	x := p.binary(level + 1)
	for n := 0; ; n++ {
		op, ok := binaryOp(p.tok.kind, level)
		if !ok {
			return x
		}
		if n == maxChain {
			p.fail(p.tok.pos, "", "more than %d operators in a row", maxChain)
			return x
		}
		p.advance()
		x = &Binary{Pos: x.Start(), Op: op, L: x, R: p.binary(level + 1)}
	}
}

func (p *parser) unary() Expr {
	pos := p.tok.pos
	switch p.tok.kind {
	case "-", "+", "~":
		if !p.enter() {
			break
		}
		op := p.tok.kind[0]
		p.advance()
		x := &Unary{Pos: pos, Op: op, X: p.unary()}
		p.leave()
		return x
	case "await":
		p.unsupported(pos, "await")
		p.advance()
	}
	return p.power()
}

func (p *parser) power() Expr {
	x := p.postfix()
	if !p.accept("**") {
		return x
	}
	if !p.enter() {
		p.leave()
		return x
	}
	defer p.leave()
	return &Binary{Pos: x.Start(), Op: object.Pow, L: x, R: p.unary()}
}

func (p *parser) postfix() Expr {
	x := p.atom()
	for range maxChain {
		pos := p.tok.pos
		switch {
		case p.accept("."):
			namePos := p.tok.pos
			x = &Attribute{Pos: x.Start(), X: x, NamePos: namePos, Name: p.name("the name of an attribute").Ident}
		case p.at("("):
			x = p.call(x)
		case p.accept("["):
			x = &Subscript{Pos: x.Start(), X: x, Index: p.subscript()}
			p.closeBracket("]", pos)
		default:
			return x
		}
	}
	p.fail(p.tok.pos, "", "more than %d calls, indexes and attributes in a row", maxChain)
	return x
}

// closeBracket expects the bracket that closes the one at open.
func (p *parser) closeBracket(k kind, open Pos) {
	switch {
	case p.accept(k):
	case p.tok.pos.Line > open.Line || p.at(tEOF):
		p.fail(open, "", "'%c' was never closed", map[kind]byte{")": '(', "]": '[', "}": '{'}[k])
	default:
		p.fail(p.tok.pos, "", "invalid syntax: unexpected %s; perhaps you forgot a comma?", p.tok)
	}
}

func (p *parser) subscript() Expr {
	pos := p.tok.pos
	x := p.subscriptPart()
	if !p.at(",") {
		return x
	}
	d := &Display{Pos: pos, Kind: TupleKind, Elts: []Expr{x}}
	for p.accept(",") && !p.at("]") && !p.bad {
		d.add(p.subscriptPart())
	}
	return d
}

func (p *parser) subscriptPart() Expr {
	s := &SliceExpr{Pos: p.tok.pos}
	if !p.at(":") {
		s.Lo = p.namedExpr()
		if !p.at(":") {
			return s.Lo
		}
	}
	p.advance()
	if p.startsExpr() {
		s.Hi = p.expr()
	}
	if p.accept(":") && p.startsExpr() {
		s.Step = p.expr()
	}
	return s
}

func (p *parser) call(fn Expr) Expr {
	c := &Call{Pos: fn.Start(), Func: fn, Plain: true}
	open := p.tok.pos
	p.advance()
	for !p.at(")") && !p.bad {
		p.argument(c)
		if !p.accept(",") {
			break
		}
	}
	p.closeBracket(")", open)
	return c
}

func (p *parser) argument(c *Call) {
	var a Arg
	pos := p.tok.pos
	switch {
	case p.accept("*"):
		a = Arg{Stars: 1, X: p.expr()}
	case p.accept("**"):
		a = Arg{Stars: 2, X: p.expr()}
	default:
		a.X = p.namedExpr()
		n, isName := a.X.(*Name)
		switch {
		case p.at("=") && !isName:
			p.fail(pos, "maybe you meant '==' instead of '='?", "expression cannot contain assignment")
		case p.accept("="):
			a.Name, a.X = n.Ident, p.expr()
		case p.at("for"):
			a.X = p.comprehension(pos, GeneratorKind, a.X, nil)
		}
	}
	p.checkArgument(pos, c, a)
	c.Plain = c.Plain && a.Name == "" && a.Stars == 0
	c.Args = append(c.Args, a)
}

// checkArgument reports an argument that may not follow those before it.
func (p *parser) checkArgument(pos Pos, c *Call, a Arg) {
	if a.Name == "" && a.Stars == 0 && len(c.Args) > 0 {
		if last := c.Args[len(c.Args)-1]; last.Name != "" || last.Stars == 2 {
			p.fail(pos, "", "positional argument follows keyword argument")
		}
	}
	for _, other := range c.Args {
		if a.Name != "" && other.Name == a.Name {
			p.fail(pos, "", "keyword argument repeated: %s", a.Name)
		}
	}
}
