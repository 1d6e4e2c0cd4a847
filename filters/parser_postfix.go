package filters

import (
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// postfix reads attributes, subscripts and calls behind x.
func (p *parser) postfix(x node) (node, error) {
	for {
		var err error
		switch {
		case p.acceptOp("."):
			x, err = p.attribute(x)
		case p.acceptOp("["):
			x, err = p.subscript(x)
		case p.isOp("("):
			x, err = p.call(x)
		default:
			return x, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) attribute(x node) (node, error) {
	t := p.peek()
	switch {
	case t.kind == tokenName:
		p.i++
		return &attrNode{pos: pos(t.off), x: x, name: t.text}, nil
	case t.kind == tokenLiteral && t.lit.Kind() == value.KindInt:
		p.i++
		return &indexNode{pos: pos(t.off), x: x, index: &litNode{pos: pos(t.off), v: t.lit}}, nil
	}
	return nil, p.unexpected("a name after the point")
}

func (p *parser) subscript(x node) (node, error) {
	off := pos(p.peek().off)
	var parts [3]node
	colons := 0
	for !p.isOp("]") {
		if p.acceptOp(":") {
			if colons++; colons > 2 {
				return nil, failAt(p.tokens[p.i-1].off, "a slice has at most three parts")
			}
			continue
		}
		if parts[colons] != nil {
			return nil, p.unexpected(`"]"`)
		}
		var err error
		if parts[colons], err = p.expression(); err != nil {
			return nil, err
		}
	}
	if colons == 0 && parts[0] == nil {
		return nil, p.unexpected("an index")
	}
	p.i++
	if colons == 0 {
		return &indexNode{pos: off, x: x, index: parts[0]}, nil
	}
	return &sliceNode{pos: off, x: x, low: parts[0], high: parts[1], by: parts[2]}, nil
}

// call makes a method or function call of what stands before the bracket.
func (p *parser) call(x node) (node, error) {
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case *attrNode:
		if _, ok := p.set.methods[x.name]; !ok && x.name != "cycle" {
			return nil, unknownMethod(p.set, x)
		}
		return &methodNode{pos: x.pos, x: x.x, name: x.name, args: args}, nil
	case *nameNode:
		fn, ok := p.set.functions[x.name]
		if !ok {
			return nil, failAt(x.at(), "unknown function %q", x.name).withHint("%s", functionHint(p.set, x.name))
		}
		return &funcNode{pos: x.pos, name: x.name, fn: fn, args: args}, fn.params.check(x.at(), x.name, args)
	}
	return nil, failAt(x.at(), "only functions and methods can be called")
}

func functionHint(s *Set, name string) string {
	if _, ok := s.filters[name]; ok {
		return "it is a filter: write ... | " + name
	}
	return diag.DidYouMean(name, sortedKeys(s.functions))
}

func unknownMethod(s *Set, x *attrNode) error {
	f := failAt(x.at(), "unknown method %q", x.name)
	switch x.name {
	case "append", "extend", "insert", "pop", "remove", "update", "setdefault", "clear", "sort", "reverse", "add":
		return f.withHint("values cannot be changed in a template; build a new one, as in list + [x]")
	}
	if _, ok := s.filters[x.name]; ok {
		return f.withHint("there is a filter: ... | %s", x.name)
	}
	return f.withHint("%s", diag.DidYouMean(x.name, sortedKeys(s.methods)))
}

// arguments reads what stands in the brackets of a call.
func (p *parser) arguments() (arguments, error) {
	var a arguments
	p.i++
	for first := true; !p.acceptOp(")"); first = false {
		if !first {
			if !p.acceptOp(",") {
				return a, p.unexpected(`"," or ")"`)
			}
			if p.acceptOp(")") {
				break
			}
		}
		if err := p.argument(&a); err != nil {
			return a, err
		}
	}
	return a, nil
}

func (p *parser) argument(a *arguments) error {
	t := p.peek()
	if t.kind == tokenOp && (t.text == "*" || t.text == "**") {
		return failAt(t.off, "arguments cannot be unpacked with %s here", t.text)
	}
	name := ""
	if after := p.tokens[min(p.i+1, len(p.tokens)-1)]; t.kind == tokenName && after.kind == tokenOp && after.text == "=" {
		name = t.text
		p.i += 2
	}
	x, err := p.expression()
	if err != nil {
		return err
	}
	if name != "" {
		a.named = append(a.named, namedArg{name: name, off: t.off, x: x})
		return nil
	}
	if len(a.named) > 0 {
		return failAt(t.off, "an argument without a name stands after one with a name")
	}
	a.pos = append(a.pos, x)
	return nil
}

// filtered reads the filters and tests behind x, and calls of their results.
func (p *parser) filtered(x node) (node, error) {
	for {
		var err error
		switch {
		case p.acceptOp("|"):
			x, err = p.filter(x)
		case p.acceptWord("is"):
			x, err = p.test(x)
		default:
			return x, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) filter(x node) (node, error) {
	t := p.peek()
	if t.kind != tokenName {
		return nil, p.unexpected("the name of a filter")
	}
	p.i++
	var args arguments
	if p.isOp("(") {
		var err error
		if args, err = p.arguments(); err != nil {
			return nil, err
		}
	}
	f, ok := p.set.filters[t.text]
	if !ok {
		return nil, unknownFilter(p.set, t.off, t.text)
	}
	return &filterNode{pos: pos(t.off), x: x, filter: f, args: args}, f.params.check(t.off, t.text, args)
}

func unknownFilter(s *Set, off int, name string) error {
	f := failAt(off, "unknown filter %q", name)
	if _, ok := s.methods[name]; ok {
		return f.withHint("there is a method: ....%s()", name)
	}
	switch name {
	case "safe":
		return f.withHint("nothing is escaped here, so it is not needed")
	case "pprint":
		return f.withHint("write: tojson(indent=2)")
	case "filesizeformat", "random", "urlize", "striptags", "forceescape":
		return f.withHint("this filter of Jinja2 does not exist here")
	}
	return f.withHint("%s", diag.DidYouMean(name, sortedKeys(s.filters)))
}

func (p *parser) test(x node) (node, error) {
	n := &testNode{x: x, not: p.acceptWord("not")}
	t := p.next()
	if t.kind != tokenName {
		return nil, failAt(t.off, "expected the name of a test after is, found %s", t)
	}
	n.pos, n.name = pos(t.off), t.text
	test, ok := p.set.tests[t.text]
	if !ok {
		return nil, failAt(t.off, "unknown test %q", t.text).
			withHint("%s", diag.DidYouMean(t.text, sortedKeys(p.set.tests)))
	}
	n.test = test
	if err := p.testArgs(n); err != nil {
		return nil, err
	}
	if len(n.args) != test.args {
		return nil, failAt(t.off, "the test %q takes %d arguments, not %d", t.text, test.args, len(n.args))
	}
	if p.isWord("is") {
		return nil, failAt(p.peek().off, "tests cannot be chained with is").withHint("join them by and")
	}
	return n, nil
}

// testArgs reads the arguments of a test, which need no brackets when there is
// one: `x is divisibleby 3`.
func (p *parser) testArgs(n *testNode) error {
	if p.isOp("(") {
		args, err := p.arguments()
		if err != nil {
			return err
		}
		if len(args.named) > 0 {
			return failAt(args.named[0].off, "arguments of a test have no names")
		}
		n.args = args.pos
		return nil
	}
	if n.test.args != 1 || !p.startsValue() {
		return nil
	}
	x, err := p.primary()
	if err != nil {
		return err
	}
	x, err = p.postfix(x)
	n.args = []node{x}
	return err
}

func (p *parser) startsValue() bool {
	t := p.peek()
	switch t.kind {
	case tokenLiteral:
		return true
	case tokenOp:
		return t.text == "(" || t.text == "[" || t.text == "{"
	case tokenName:
		switch t.text {
		case "and", "or", "not", "if", "else", "in", "is":
			return false
		}
		return true
	}
	return false
}
