package syntax

func (p *parser) compound() Stmt {
	pos := p.tok.pos
	switch p.tok.kind {
	case "if":
		return p.ifStmt()
	case "while":
		p.advance()
		s := &While{Pos: pos, Cond: p.namedExpr()}
		s.Body = p.loopBody(pos, "'while' statement")
		s.Else = p.elseBlock()
		return s
	case "for":
		return p.forStmt()
	case "def":
		return p.def()
	case "try":
		p.unsupported(pos, "try")
		p.advance()
		p.block(pos, "'try' statement")
		for p.at("except") || p.at("finally") || p.at("else") {
			p.skipHeader()
			p.block(p.tok.pos, "'except' clause")
		}
	case "with":
		p.unsupported(pos, "with")
		p.skipHeader()
		p.block(pos, "'with' statement")
	case "class":
		p.unsupported(pos, "class")
		p.skipHeader()
		p.block(pos, "class definition")
	case "async":
		p.unsupported(pos, "async")
		p.advance()
	case "@":
		p.unsupported(pos, "a decorator")
		for !p.at(tNewline) && !p.at(tEOF) {
			p.advance()
		}
	}
	return nil
}

// skipHeader skips to the colon that ends the header of a compound statement.
func (p *parser) skipHeader() {
	for !p.at(tNewline) && !p.at(tEOF) && !p.bad {
		if p.at(":") && len(p.lex.brackets) == 0 {
			return
		}
		p.advance()
	}
}

func (p *parser) ifStmt() Stmt {
	first := &If{Pos: p.tok.pos}
	s := first
	for range maxChain {
		what := "'" + string(p.tok.kind) + "' statement"
		p.advance()
		s.Cond = p.namedExpr()
		s.Then = p.block(s.Pos, what)
		if !p.at("elif") {
			s.Else = p.elseBlock()
			return first
		}
		next := &If{Pos: p.tok.pos}
		s.Else = []Stmt{next}
		s = next
	}
	p.fail(p.tok.pos, "", "more than %d branches", maxChain)
	return first
}

func (p *parser) elseBlock() []Stmt {
	pos := p.tok.pos
	if !p.accept("else") {
		return nil
	}
	return p.block(pos, "'else' statement")
}

func (p *parser) loopBody(pos Pos, what string) []Stmt {
	p.loops++
	body := p.block(pos, what)
	p.loops--
	return body
}

func (p *parser) forStmt() Stmt {
	s := &For{Pos: p.tok.pos}
	p.advance()
	s.Target = p.targetList()
	p.expect("in")
	s.Iter = p.exprList(true)
	s.Body = p.loopBody(s.Pos, "'for' statement")
	s.Else = p.elseBlock()
	return s
}

// targetList reads the targets of a for.
func (p *parser) targetList() Expr {
	pos := p.tok.pos
	x := p.target()
	if p.at(",") {
		d := &Display{Pos: pos, Kind: TupleKind, Elts: []Expr{x}}
		for p.accept(",") && !p.at("in") && !p.bad {
			d.add(p.target())
		}
		_, first := x.(*Starred)
		d.Stars = d.Stars || first
		x = d
	}
	p.checkTarget(x, true)
	return x
}

func (p *parser) target() Expr {
	if pos := p.tok.pos; p.accept("*") {
		return &Starred{Pos: pos, X: p.binary(0)}
	}
	return p.binary(0)
}

func (p *parser) def() Stmt {
	s := &Def{Pos: p.tok.pos}
	p.advance()
	s.Name = p.name("the name of the function")
	s.Func = &Func{Name: s.Name.Ident}
	p.expect("(")
	s.Func.Params = p.params(")", true)
	p.expect(")")
	if p.accept("->") {
		p.expr()
	}
	loops := p.loops
	p.loops = 0
	s.Func.Body = p.block(s.Pos, "function definition")
	p.loops = loops
	return s
}

// params reads parameters up to end.
func (p *parser) params(end kind, annotations bool) []Param {
	var ps paramList
	for !p.at(end) && !p.bad {
		ps.p = p
		ps.one(annotations)
		if !p.accept(",") {
			break
		}
	}
	if ps.bareStar {
		p.fail(p.tok.pos, "", "named arguments must follow bare *")
	}
	return ps.params
}

type paramList struct {
	p        *parser
	params   []Param
	kwOnly   bool
	bareStar bool // a * with nothing after it yet
	defaults bool
	done     bool // after **kwargs
}

func (l *paramList) one(annotations bool) {
	p := l.p
	pos := p.tok.pos
	if l.done {
		p.fail(pos, "", "arguments cannot follow var-keyword argument")
	}
	switch {
	case p.accept("/"):
		if len(l.params) == 0 || l.kwOnly {
			p.fail(pos, "", "at least one argument must precede /")
		}
		for i := range l.params {
			l.params[i].PosOnly = true
		}
		return
	case p.accept("**"):
		l.params = append(l.params, Param{Name: p.name("a parameter"), Stars: 2})
		l.done = true
	case p.accept("*"):
		if l.kwOnly {
			p.fail(pos, "", "* argument may appear only once")
		}
		l.kwOnly = true
		if l.bareStar = !p.at(tName); l.bareStar {
			return
		}
		l.params = append(l.params, Param{Name: p.name("a parameter"), Stars: 1})
	default:
		l.params = append(l.params, Param{Name: p.name("a parameter"), KwOnly: l.kwOnly})
		l.bareStar = false
	}
	l.defaultValue(pos, annotations)
}

// defaultValue reads the annotation and the default of the last parameter.
func (l *paramList) defaultValue(pos Pos, annotations bool) {
	p, last := l.p, &l.params[len(l.params)-1]
	if annotations && p.accept(":") {
		p.expr()
	}
	if last.Stars == 0 && p.accept("=") {
		last.Default = p.expr()
		l.defaults = true
	} else if last.Stars == 0 && l.defaults && !l.kwOnly {
		p.fail(pos, "", "non-default argument follows default argument")
	}
}

func (p *parser) importStmt() []Stmt {
	var out []Stmt
	p.advance()
	for {
		pos := p.tok.pos
		module := p.dottedName()
		s := &Import{Pos: pos, Module: module, Name: &Name{Pos: pos, Ident: module}}
		if p.accept("as") {
			s.Name = p.name("a name")
		}
		p.checkImport(pos, module, "")
		out = append(out, s)
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) dottedName() string {
	module := p.name("the name of a module").Ident
	for p.accept(".") {
		module += "." + p.name("the name of a module").Ident
	}
	return module
}

func (p *parser) checkImport(pos Pos, module, member string) {
	if p.bad || p.opts.CheckImport == nil {
		return
	}
	if msg, hint := p.opts.CheckImport(module, member); msg != "" {
		p.errs.add(pos, hint, "%s", msg)
	}
}

func (p *parser) fromStmt() []Stmt {
	p.advance()
	pos := p.tok.pos
	if p.at(".") || p.at("...") {
		p.fail(pos, python3, "relative imports are not supported by the embedded Python")
		return nil
	}
	module := p.dottedName()
	p.checkImport(pos, module, "")
	p.expect("import")
	if p.at("*") {
		p.fail(p.tok.pos, "import the names that you use", "'from %s import *' is not supported here", module)
		return nil
	}
	paren := p.accept("(")
	var out []Stmt
	for {
		pos := p.tok.pos
		n := p.name("a name")
		s := &Import{Pos: pos, Module: module, Member: n.Ident, Name: n}
		p.checkImport(pos, module, n.Ident)
		if p.accept("as") {
			s.Name = p.name("a name")
		}
		out = append(out, s)
		if !p.accept(",") || paren && p.at(")") {
			break
		}
	}
	if paren {
		p.expect(")")
	}
	if module == "__future__" {
		return []Stmt{&Jump{Pos: pos, Kind: "pass"}}
	}
	return out
}
