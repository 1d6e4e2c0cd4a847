package filters

import (
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// knownTags is what may stand behind {%.
const knownTags = "if elif else endif for endfor set endset raw endraw"

// tag reads one {% %}. open is where it begins, inside where its words do.
func (l *lifter) tag(open, inside int) {
	l.tags++
	tokens, next, trim, err := lexExpr(l.src, inside, "%}")
	l.pos, l.trim = next, trim
	if err != nil {
		l.fail(err)
		return
	}
	p := &parser{set: l.t.set, tokens: tokens}
	name := p.next()
	if name.kind != tokenName {
		l.fail(failAt(name.off, "expected the name of a tag, found %s", name))
		return
	}
	if len(l.blocks) >= MaxDepth {
		l.fail(failAt(open, "more than %d tags are nested", MaxDepth))
		l.pos = len(l.src)
		return
	}
	err = l.dispatch(p, name, open)
	if err == nil {
		err = p.end()
	}
	l.fail(err)
}

func (l *lifter) dispatch(p *parser, name token, open int) error {
	switch name.text {
	case "if":
		l.blocks = append(l.blocks, block{name: "if", off: open})
		return l.condition(p, "if")
	case "elif":
		if b := l.top("if"); b == nil || b.els {
			return l.misplaced(name)
		}
		return l.condition(p, "elif")
	case "else":
		return l.otherwise(name)
	case "for":
		return l.loop(p, open)
	case "set":
		return l.assign(p, open)
	case "endif", "endfor", "endset":
		return l.close(name)
	case "raw":
		if err := p.end(); err != nil {
			return err
		}
		l.tags-- // it is text
		l.raw(open)
		return nil
	case "endraw":
		return l.misplaced(name)
	}
	return unknownTag(name)
}

func unknownTag(name token) error {
	f := failAt(name.off, "the tag %q does not exist here", name.text)
	switch name.text {
	case "include", "import", "extends", "ssi", "from":
		return f.withHint("a template reads no files; put the text into variables, or use a step before")
	case "macro", "call", "block", "endblock", "endmacro":
		return f.withHint("there are for, if and set; compute what is used twice with set")
	case "cycle":
		return f.withHint("write: {{ loop.cycle(a, b) }}")
	case "ifchanged":
		return f.withHint("compare with loop.previtem")
	case "filter", "endfilter":
		return f.withHint("write: {%% set x %%}…{%% endset %%}{{ x | upper }}")
	case "autoescape", "endautoescape":
		return f.withHint("nothing is escaped unless piped into escape")
	case "with", "endwith", "do":
		return f.withHint("use set")
	case "break", "continue":
		return f.withHint("filter the loop: {%% for x in xs if … %%}")
	case "elseif", "elsif":
		return f.withHint("write: elif")
	case "end":
		return f.withHint("write: endif or endfor")
	}
	return f.withHint("%s", diag.DidYouMean(name.text, strings.Fields(knownTags)))
}

// top is the innermost open block if it has one of the names.
func (l *lifter) top(names ...string) *block {
	if len(l.blocks) == 0 {
		return nil
	}
	b := &l.blocks[len(l.blocks)-1]
	for _, name := range names {
		if b.name == name {
			return b
		}
	}
	return nil
}

// misplaced says what is open where a tag does not fit.
func (l *lifter) misplaced(name token) error {
	f := failAt(name.off, "{%% %s %%} has nothing that it belongs to", name.text)
	if len(l.blocks) > 0 {
		b := l.blocks[len(l.blocks)-1]
		f.hint = locate(l.t.src, failAt(b.off, "the open tag is {%% %s %%}", b.name)).Error()
	}
	return f
}

func (l *lifter) condition(p *parser, tag string) error {
	n, err := p.tuple(p.expression)
	if err != nil {
		return err
	}
	l.write("{% " + tag + " " + l.bare(doTest, l.expr(n)) + " %}")
	return nil
}

// bare is a call for use inside a tag.
func (l *lifter) bare(what, n int) string {
	return strings.TrimSuffix(strings.TrimPrefix(l.call(what, n), "{{ "), " }}")
}

func (l *lifter) otherwise(name token) error {
	b := l.top("if", "for")
	if b == nil || b.els {
		return l.misplaced(name)
	}
	b.els = true
	if b.name == "if" {
		l.write("{% else %}")
	} else {
		l.write("{% empty %}")
	}
	return nil
}

func (l *lifter) close(name token) error {
	b := l.top(strings.TrimPrefix(name.text, "end"))
	if b == nil {
		return l.misplaced(name)
	}
	switch b.name {
	case "if":
		l.write("{% endif %}")
	case "for":
		l.write("{% endfor %}")
		l.emit(doEndLoop, b.n)
		l.scopes = l.scopes[:len(l.scopes)-1]
	case "set":
		l.emit(doSet, b.n)
		l.define(l.t.sets[b.n].target)
	}
	l.blocks = l.blocks[:len(l.blocks)-1]
	return nil
}

// loop reads {% for target in over if test %}. The block is opened even when
// it has an error, so that its end is not an error too.
func (l *lifter) loop(p *parser, open int) error {
	f := &forTag{off: open}
	l.t.loops = append(l.t.loops, f)
	n := len(l.t.loops) - 1
	l.blocks = append(l.blocks, block{name: "for", off: open, n: n})
	l.scopes = append(l.scopes, map[string]bool{})
	var err error
	if f.target, err = p.target(); err != nil {
		return err
	}
	if !p.acceptWord("in") {
		return p.unexpected(`"in"`)
	}
	f.off = p.peek().off
	over, err := p.tuple(p.or) // no inline if: the word filters the loop
	if err != nil {
		return err
	}
	f.over = l.compiled(over)
	l.define(f.target)
	if p.acceptWord("if") {
		test, err := p.expression()
		if err != nil {
			return err
		}
		c := l.compiled(test)
		f.test = &c
	}
	if p.isWord("recursive") {
		return failAt(p.peek().off, "loops cannot be recursive here")
	}
	l.scopes[len(l.scopes)-1]["loop"] = true
	l.write("{% for _ in " + l.bare(doLoop, n) + " %}")
	l.emit(doNext, n)
	return nil
}

// target reads a name, or several to take a value apart.
func (p *parser) target() (target, error) {
	first, err := p.targetPart()
	if err != nil || !p.isOp(",") {
		return first, err
	}
	t := target{off: first.off, parts: []target{first}}
	for p.acceptOp(",") && !p.isWord("in") && !p.isOp("=") && !p.isOp(")") {
		next, err := p.targetPart()
		if err != nil {
			return t, err
		}
		t.parts = append(t.parts, next)
	}
	return t, nil
}

func (p *parser) targetPart() (target, error) {
	if err := p.enter(); err != nil {
		return target{}, err
	}
	defer p.leave()
	tok := p.next()
	if tok.kind == tokenOp && tok.text == "(" {
		t, err := p.target()
		if err != nil {
			return t, err
		}
		return t, p.expectOp(")")
	}
	if tok.kind != tokenName {
		return target{}, failAt(tok.off, "expected a name, found %s", tok)
	}
	if x, err := nameOrConst(tok); err != nil {
		return target{}, err
	} else if _, ok := x.(*nameNode); !ok || tok.text == "loop" {
		return target{}, failAt(tok.off, "%q cannot be used as a name", tok.text)
	}
	return target{off: tok.off, name: tok.text}, nil
}

// assign reads {% set target = x %} or the beginning of its block form.
func (l *lifter) assign(p *parser, open int) error {
	s := &setTag{off: open}
	l.t.sets = append(l.t.sets, s)
	n := len(l.t.sets) - 1
	var err error
	if s.target, err = p.target(); err != nil {
		return err
	}
	if s.target.name != "" && p.acceptOp(".") {
		attr := p.next()
		if attr.kind != tokenName {
			return failAt(attr.off, "expected a name after the point, found %s", attr)
		}
		s.attr = attr.text
	}
	if p.peek().kind == tokenEnd {
		l.blocks = append(l.blocks, block{name: "set", off: open, n: n})
		l.emit(doCapture, n)
		return nil
	}
	if err := p.expectOp("="); err != nil {
		return err
	}
	x, err := p.tuple(p.expression)
	if err != nil {
		return err
	}
	c := l.compiled(x)
	s.x = &c
	if fn, ok := x.(*funcNode); ok {
		s.namespace = fn.name == "namespace"
	}
	l.define(s.target)
	l.emit(doSet, n)
	return nil
}
