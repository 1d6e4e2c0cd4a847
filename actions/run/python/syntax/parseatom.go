package syntax

import (
	"strings"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func (p *parser) atom() Expr {
	t := p.tok
	switch t.kind {
	case tName:
		p.advance()
		return &Name{Pos: t.pos, Ident: t.text}
	case tInt, tFloat:
		p.advance()
		v, problem := numberValue(t)
		if problem != "" {
			p.errs.add(t.pos, "", "%s", problem)
		}
		return &Const{Pos: t.pos, Value: v}
	case tString, tFString:
		return p.strings()
	case "None":
		return p.constant(object.None())
	case "True":
		return p.constant(object.True)
	case "False":
		return p.constant(object.False)
	case "...":
		return p.constant(object.EllipsisType{})
	case "(":
		return p.parens()
	case "[":
		return p.list()
	case "{":
		return p.braces()
	}
	p.unexpected()
	return &Const{Pos: t.pos, Value: object.None()}
}

func (p *parser) unexpected() {
	switch {
	case p.at(tEOF) && len(p.lex.brackets) > 0:
		p.fail(p.lex.posAt(p.lex.brackets[len(p.lex.brackets)-1].start), "", "'%c' was never closed", p.lex.brackets[len(p.lex.brackets)-1].c)
	case p.at(tIndent):
		p.fail(p.tok.pos, "", "unexpected indent")
	default:
		p.fail(p.tok.pos, "", "invalid syntax: unexpected %s", p.tok)
	}
}

func (p *parser) constant(v object.Object) Expr {
	c := &Const{Pos: p.tok.pos, Value: v}
	p.advance()
	return c
}

// parens reads (x), a tuple or a generator expression.
func (p *parser) parens() Expr {
	open := p.tok.pos
	p.advance()
	if p.accept(")") {
		return &Display{Pos: open, Kind: TupleKind}
	}
	first := p.starOrNamed(true)
	if p.at("for") || p.at("async") {
		x := p.comprehension(open, GeneratorKind, first, nil)
		p.closeBracket(")", open)
		return x
	}
	x := first
	if p.at(",") {
		d := &Display{Pos: open, Kind: TupleKind}
		d.add(first)
		for p.accept(",") && !p.at(")") && !p.bad {
			d.add(p.starOrNamed(true))
		}
		x = d
	} else if s, ok := x.(*Starred); ok {
		p.fail(s.Pos, "", "cannot use starred expression here")
	}
	p.closeBracket(")", open)
	return x
}

func (p *parser) list() Expr {
	open := p.tok.pos
	p.advance()
	d := &Display{Pos: open, Kind: ListKind}
	for !p.at("]") && !p.bad {
		x := p.starOrNamed(true)
		if len(d.Elts) == 0 && (p.at("for") || p.at("async")) {
			c := p.comprehension(open, ListKind, x, nil)
			p.closeBracket("]", open)
			return c
		}
		d.add(x)
		if !p.accept(",") {
			break
		}
	}
	p.closeBracket("]", open)
	return d
}

// braces reads a dictionary, a set or a comprehension of one.
func (p *parser) braces() Expr {
	open := p.tok.pos
	p.advance()
	if p.accept("}") {
		return &DictExpr{Pos: open}
	}
	if p.at("**") {
		return p.dictRest(&DictExpr{Pos: open}, nil)
	}
	first := p.starOrNamed(true)
	if p.accept(":") {
		value := p.expr()
		if p.at("for") || p.at("async") {
			c := p.comprehension(open, DictKind, first, value)
			p.closeBracket("}", open)
			return c
		}
		return p.dictRest(&DictExpr{Pos: open, Keys: []Expr{first}}, value)
	}
	if p.at("for") || p.at("async") {
		c := p.comprehension(open, SetKind, first, nil)
		p.closeBracket("}", open)
		return c
	}
	d := &Display{Pos: open, Kind: SetKind}
	d.add(first)
	for p.accept(",") && !p.at("}") && !p.bad {
		d.add(p.starOrNamed(true))
	}
	p.closeBracket("}", open)
	return d
}

// dictRest reads the rest of a dictionary whose first value has been read, if
// it is not nil.
func (p *parser) dictRest(d *DictExpr, first Expr) Expr {
	if first != nil {
		d.Values = append(d.Values, first)
		if !p.accept(",") {
			p.closeBracket("}", d.Pos)
			return d
		}
	}
	for !p.at("}") && !p.bad {
		var key Expr
		if !p.accept("**") {
			key = p.expr()
			p.expect(":")
		}
		d.Keys = append(d.Keys, key)
		d.Values = append(d.Values, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.closeBracket("}", d.Pos)
	return d
}

func (p *parser) comprehension(pos Pos, k DisplayKind, elt, value Expr) Expr {
	c := &Comp{Pos: pos, Kind: k, Elt: elt, Value: value}
	if s, ok := elt.(*Starred); ok {
		p.fail(s.Pos, "", "iterable unpacking cannot be used in comprehension")
	}
	for p.at("for") || p.at("async") {
		if p.at("async") {
			p.unsupported(p.tok.pos, "async")
			p.advance()
		}
		p.expect("for")
		cl := Clause{Target: p.targetList()}
		p.expect("in")
		iter := p.logic(false)
		if c.First == nil {
			c.First = iter
		} else {
			cl.Iter = iter
		}
		for p.accept("if") {
			cl.Conds = append(cl.Conds, p.condition())
		}
		c.Clauses = append(c.Clauses, cl)
		if len(c.Clauses) > maxNesting {
			p.fail(p.tok.pos, "", "too many for clauses")
		}
	}
	return c
}

// condition reads the condition of a comprehension, which has no bare if.
func (p *parser) condition() Expr {
	x := p.logic(false)
	if n, ok := x.(*Name); ok && p.accept(":=") {
		return &Walrus{Pos: n.Pos, Target: n, Value: p.logic(false)}
	}
	return x
}

// strings reads adjacent literals as one.
func (p *parser) strings() Expr {
	first := p.tok
	var parts []FPart
	var bytes strings.Builder
	formatted := false
	for p.at(tString) || p.at(tFString) {
		if p.tok.bytes != first.bytes {
			p.fail(p.tok.pos, "", "cannot mix bytes and nonbytes literals")
			break
		}
		if p.at(tFString) {
			formatted = true
			parts = append(parts, p.fstring()...)
			continue
		}
		bytes.WriteString(p.tok.text)
		parts = append(parts, FPart{Text: p.tok.text})
		p.advance()
	}
	switch {
	case first.bytes:
		return &Const{Pos: first.pos, Value: object.Bytes(bytes.String())}
	case !formatted:
		return &Const{Pos: first.pos, Value: object.NewConst(bytes.String())}
	}
	return &FString{Pos: first.pos, Parts: parts}
}
