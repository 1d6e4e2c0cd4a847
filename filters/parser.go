package filters

import (
	"strconv"

	"github.com/tea-agents/tea/value"
)

// parser is a recursive-descent parser of Jinja2's expressions. The order of
// its levels is Jinja2's, which is not everywhere Python's: ** groups from the
// left, and filters and tests bind tighter than any operator but a sign.
type parser struct {
	set    *Set
	tokens []token
	i      int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.i] }

func (p *parser) next() token {
	t := p.tokens[p.i]
	if t.kind != tokenEnd {
		p.i++
	}
	return t
}

func (p *parser) isOp(text string) bool { t := p.peek(); return t.kind == tokenOp && t.text == text }
func (p *parser) isWord(text string) bool {
	t := p.peek()
	return t.kind == tokenName && t.text == text
}

func (p *parser) acceptOp(text string) bool {
	if p.isOp(text) {
		p.i++
		return true
	}
	return false
}

func (p *parser) acceptWord(text string) bool {
	if p.isWord(text) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expectOp(text string) error {
	if !p.acceptOp(text) {
		return p.unexpected(strconv.Quote(text))
	}
	return nil
}

func (p *parser) unexpected(want string) error {
	t := p.peek()
	f := failAt(t.off, "expected %s, found %s", want, t)
	if t.kind == tokenOp && t.text == "=" {
		f.hint = "to compare, write =="
	}
	return f
}

// end is an error when something is left over.
func (p *parser) end() error {
	if p.peek().kind == tokenEnd {
		return nil
	}
	return p.unexpected("the end of the expression")
}

// enter guards recursion; leave undoes it.
func (p *parser) enter() error {
	if p.depth++; p.depth > MaxDepth {
		return failAt(p.peek().off, "the expression is nested more than %d deep", MaxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// expression is a whole one, inline if included.
func (p *parser) expression() (node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.or()
	if err != nil {
		return nil, err
	}
	for p.isWord("if") {
		c := &condNode{pos: pos(p.next().off), then: x}
		if c.test, err = p.or(); err != nil {
			return nil, err
		}
		if p.acceptWord("else") {
			if c.other, err = p.expression(); err != nil {
				return nil, err
			}
		}
		x = c
	}
	return x, nil
}

// tuple is an expression, or several with commas between them, which make a
// list. item reads one.
func (p *parser) tuple(item func() (node, error)) (node, error) {
	off := p.peek().off
	x, err := item()
	if err != nil || !p.isOp(",") {
		return x, err
	}
	l := &listNode{pos: pos(off), items: []node{x}}
	for p.acceptOp(",") {
		if t := p.peek(); t.kind == tokenEnd || t.text == ")" && t.kind == tokenOp {
			break
		}
		if x, err = item(); err != nil {
			return nil, err
		}
		l.items = append(l.items, x)
	}
	return l, nil
}

func (p *parser) or() (node, error)  { return p.logic("or", p.and) }
func (p *parser) and() (node, error) { return p.logic("and", p.not) }

func (p *parser) logic(word string, operand func() (node, error)) (node, error) {
	x, err := operand()
	for err == nil && p.isWord(word) {
		n := &logicNode{pos: pos(p.next().off), or: word == "or", l: x}
		n.r, err = operand()
		x = n
	}
	return x, err
}

func (p *parser) not() (node, error) {
	if !p.isWord("not") {
		return p.compare()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	off := p.next().off
	x, err := p.not()
	return &unaryNode{pos: pos(off), op: "not", x: x}, err
}

func (p *parser) compare() (node, error) {
	x, err := p.sum()
	if err != nil {
		return nil, err
	}
	var c *compareNode
	for {
		off := p.peek().off
		op := p.compareOp()
		if op == "" {
			break
		}
		if c == nil {
			c = &compareNode{pos: pos(off), first: x}
		}
		r, err := p.sum()
		if err != nil {
			return nil, err
		}
		c.ops, c.rest = append(c.ops, op), append(c.rest, r)
	}
	if c == nil {
		return x, nil
	}
	return c, nil
}

func (p *parser) compareOp() string {
	t := p.peek()
	switch {
	case t.kind == tokenOp:
		switch t.text {
		case "==", "!=", "<", "<=", ">", ">=":
			p.i++
			return t.text
		}
	case p.acceptWord("in"):
		return "in"
	case p.isWord("not") && p.tokens[p.i+1].kind == tokenName && p.tokens[p.i+1].text == "in":
		p.i += 2
		return "not in"
	}
	return ""
}

func (p *parser) sum() (node, error)     { return p.binary(p.concat, "+", "-") }
func (p *parser) product() (node, error) { return p.binary(p.power, "*", "/", "//", "%") }
func (p *parser) power() (node, error)   { return p.binary(p.unary, "**") }

func (p *parser) binary(operand func() (node, error), ops ...string) (node, error) {
	x, err := operand()
	for err == nil {
		t := p.peek()
		found := false
		for _, op := range ops {
			found = found || t.kind == tokenOp && t.text == op
		}
		if !found {
			break
		}
		p.i++
		n := &binaryNode{pos: pos(t.off), op: t.text, l: x}
		n.r, err = operand()
		x = n
	}
	return x, err
}

func (p *parser) concat() (node, error) {
	x, err := p.product()
	if err != nil || !p.isOp("~") {
		return x, err
	}
	c := &concatNode{pos: pos(p.peek().off), parts: []node{x}}
	for p.acceptOp("~") {
		if x, err = p.product(); err != nil {
			return nil, err
		}
		c.parts = append(c.parts, x)
	}
	return c, nil
}

func (p *parser) unary() (node, error) {
	x, err := p.signed()
	if err != nil {
		return nil, err
	}
	return p.filtered(x)
}

// signed is a primary with what belongs to it, and its signs.
func (p *parser) signed() (node, error) {
	if !p.isOp("-") && !p.isOp("+") {
		x, err := p.primary()
		if err != nil {
			return nil, err
		}
		return p.postfix(x)
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	t := p.next()
	x, err := p.signed()
	return &unaryNode{pos: pos(t.off), op: t.text, x: x}, err
}

func (p *parser) primary() (node, error) {
	t := p.next()
	switch {
	case t.kind == tokenLiteral:
		return p.literal(t), nil
	case t.kind == tokenName:
		return nameOrConst(t)
	case t.kind == tokenOp && t.text == "(":
		return p.parenthesis(t)
	case t.kind == tokenOp && t.text == "[":
		return p.list(t)
	case t.kind == tokenOp && t.text == "{":
		return p.dict(t)
	}
	if t.kind != tokenEnd {
		p.i--
	}
	return nil, p.unexpected("a value")
}

// literal joins adjacent strings.
func (p *parser) literal(t token) node {
	v := t.lit
	for v.Kind() == value.KindString && p.peek().kind == tokenLiteral && p.peek().lit.Kind() == value.KindString {
		v, _ = value.Concat(v, p.next().lit)
	}
	return &litNode{pos: pos(t.off), v: v}
}

func nameOrConst(t token) (node, error) {
	switch t.text {
	case "true", "True":
		return &litNode{pos: pos(t.off), v: value.Bool(true)}, nil
	case "false", "False":
		return &litNode{pos: pos(t.off), v: value.Bool(false)}, nil
	case "none", "None":
		return &litNode{pos: pos(t.off)}, nil
	case "and", "or", "not", "in", "is", "if", "else", "elif", "for":
		return nil, failAt(t.off, "expected a value, found the word %q", t.text)
	case "null":
		return nil, failAt(t.off, "unknown name %q", t.text).withHint("write: none")
	}
	return &nameNode{pos: pos(t.off), name: t.text}, nil
}

func (p *parser) parenthesis(t token) (node, error) {
	if p.acceptOp(")") {
		return &listNode{pos: pos(t.off)}, nil
	}
	x, err := p.tuple(p.expression)
	if err != nil {
		return nil, err
	}
	return x, p.expectOp(")")
}

func (p *parser) list(t token) (node, error) {
	l := &listNode{pos: pos(t.off)}
	for !p.acceptOp("]") {
		if len(l.items) > 0 {
			if !p.acceptOp(",") {
				return nil, p.unexpected(`"," or "]"`)
			}
			if p.acceptOp("]") {
				break
			}
		}
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, x)
	}
	return l, nil
}

func (p *parser) dict(t token) (node, error) {
	d := &dictNode{pos: pos(t.off)}
	for !p.acceptOp("}") {
		if len(d.keys) > 0 {
			if !p.acceptOp(",") {
				return nil, p.unexpected(`"," or "}"`)
			}
			if p.acceptOp("}") {
				break
			}
		}
		k, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.expectOp(":"); err != nil {
			return nil, err
		}
		v, err := p.expression()
		if err != nil {
			return nil, err
		}
		d.keys, d.values = append(d.keys, k), append(d.values, v)
	}
	return d, nil
}
