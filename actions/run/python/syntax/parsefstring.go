package syntax

// fstring reads the parts of an f-string, whose opening quote is the current
// token, and moves on to the token after it.
func (p *parser) fstring() []FPart {
	start := p.tok
	open := len(p.lex.brackets)
	parts, ok := p.fstringParts(start, 2, false)
	if !ok && !p.bad {
		p.fail(start.pos, "", "unterminated f-string literal")
	}
	if !p.bad {
		p.lex.brackets = p.lex.brackets[:min(open, len(p.lex.brackets))]
		p.advance()
	}
	return parts
}

// fstringParts reads text and fields up to the closing quote or, in a format
// spec, the brace that ends the field. The lexer stands right behind it then.
func (p *parser) fstringParts(start token, depth int, inSpec bool) (parts []FPart, ok bool) {
	for !p.bad {
		text, stop := p.lex.fstringText(start.fstr, inSpec)
		if text != "" {
			parts = append(parts, FPart{Text: text})
		}
		switch stop {
		case 'q':
			if !inSpec {
				p.lex.i += len(start.fstr.quote)
			}
			return parts, !inSpec
		case '}':
			if inSpec {
				return parts, true
			}
			p.fail(p.lex.posAt(p.lex.i-1), "", "f-string: single '}' is not allowed")
			return parts, false
		case '{':
			if depth == 0 {
				p.fail(p.lex.posAt(p.lex.i-1), "", "f-string: expressions nested too deeply")
				return parts, false
			}
			parts = append(parts, p.field(start, depth)...)
		default:
			return parts, false
		}
	}
	return parts, false
}

// field reads a replacement field; the lexer stands behind its opening brace.
func (p *parser) field(start token, depth int) []FPart {
	from := p.lex.i
	open := len(p.lex.brackets)
	p.lex.brackets = append(p.lex.brackets, bracket{'{', from - 1})
	p.advance()
	if p.at("}") || p.at("!") || p.at(":") {
		p.fail(p.tok.pos, "", "f-string: valid expression required before '%s'", p.tok.kind)
		return nil
	}
	f := FPart{X: p.fieldExpr()}
	var parts []FPart
	debug := false
	if p.at("=") {
		debug = true
		p.advance()
		parts = append(parts, FPart{Text: p.lex.src[from:p.tok.start]})
	}
	if p.accept("!") {
		if f.Conv = p.tok.text; !p.at(tName) || f.Conv != "r" && f.Conv != "s" && f.Conv != "a" {
			p.fail(p.tok.pos, "", "f-string: invalid conversion character: expected 's', 'r', or 'a'")
		}
		p.advance()
	} else if debug && !p.at(":") {
		f.Conv = "r"
	}
	p.fieldEnd(start, &f, open, depth)
	return append(parts, f)
}

// fieldExpr reads the expression of a field. A := ends it, as a : would.
func (p *parser) fieldExpr() Expr {
	pos := p.tok.pos
	x := p.starOrTuple()
	if p.at(":=") {
		p.tok.kind = ":"
		p.lex.i--
	}
	if x == nil {
		p.fail(pos, "", "f-string: expression required")
	}
	return x
}

func (p *parser) starOrTuple() Expr {
	pos := p.tok.pos
	x := p.expr()
	if !p.at(",") {
		return x
	}
	d := &Display{Pos: pos, Kind: TupleKind, Elts: []Expr{x}}
	for p.accept(",") && p.startsExpr() {
		d.add(p.expr())
	}
	return d
}

func (p *parser) fieldEnd(start token, f *FPart, open, depth int) {
	switch {
	case p.at("}"):
		p.lex.brackets = p.lex.brackets[:min(open, len(p.lex.brackets))]
	case p.at(":"):
		p.lex.brackets = p.lex.brackets[:min(open, len(p.lex.brackets))]
		spec, ok := p.fstringParts(start, depth-1, true)
		if !ok && !p.bad {
			p.fail(p.lex.posAt(p.lex.i), "", "f-string: expecting '}'")
		}
		f.Spec = spec
	default:
		p.fail(p.tok.pos, "", "f-string: expecting '}', found %s", p.tok)
	}
}
