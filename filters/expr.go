package filters

import (
	"context"
	"slices"
	"strings"

	"github.com/tea-agents/tea/value"
)

// Expr is a compiled expression, such as a condition. It is immutable and safe
// for concurrent use.
type Expr struct {
	set  *Set
	src  string
	x    compiled
	refs refs
}

// compiled is an expression ready to be run.
type compiled struct {
	node
	builds bool // may make a value larger than what it was made of
}

// CompileExpr compiles an expression that stands with or without {{ }} around
// it. The error is an *Error or Errors.
func (s *Set) CompileExpr(src string) (*Expr, error) {
	n, err := s.parseWhole(src)
	if err != nil {
		return nil, locate(src, err)
	}
	e := &Expr{set: s, src: src, x: compile(n)}
	e.refs.collect(n, func(string) bool { return false })
	return e, nil
}

func (s *Set) parseWhole(src string) (node, error) {
	if len(src) > MaxSource {
		return nil, failAt(0, "the expression is longer than %d MiB", MaxSource>>20)
	}
	trimmed := strings.TrimSpace(src)
	start := strings.Index(src, trimmed)
	if strings.HasPrefix(trimmed, "{%") {
		return nil, failAt(start, "expected an expression, found a tag").withHint("write the condition alone, with or without {{ }}")
	}
	if !strings.HasPrefix(trimmed, "{{") {
		tokens, _, _, err := lexExpr(src, 0, "")
		if err != nil {
			return nil, err
		}
		return s.parse(tokens)
	}
	start += 2
	if start < len(src) && src[start] == '-' {
		start++
	}
	tokens, end, _, err := lexExpr(src, start, "}}")
	if err != nil {
		return nil, err
	}
	if rest := strings.TrimSpace(src[end:]); rest != "" {
		return nil, failAt(end+strings.Index(src[end:], rest), "there is more behind the expression").
			withHint("write it as one expression in one pair of {{ }}, or with none")
	}
	return s.parse(tokens)
}

func (s *Set) parse(tokens []token) (node, error) {
	p := &parser{set: s, tokens: tokens}
	n, err := p.tuple(p.expression)
	if err != nil {
		return nil, err
	}
	return n, p.end()
}

func compile(n node) compiled {
	c := compiled{node: n}
	walk(n, func(n node) {
		switch n := n.(type) {
		case *listNode, *dictNode, *binaryNode, *funcNode:
			c.builds = true
		case *filterNode:
			c.builds = c.builds || n.filter.open == nil
		}
	})
	return c
}

// result is the value of an expression, null when it is missing.
func (e *env) result(c compiled) (value.Value, error) {
	x, err := c.eval(e)
	if err == nil && c.builds && x.v.Len() > 0 {
		m := asValue(x.v)
		if err = m.err(); err == nil {
			err = e.tick(m.nodes / 8)
		}
		if err != nil {
			err = at(c.at(), err)
		}
	}
	if err != nil {
		return value.Null(), err
	}
	return x.v, nil
}

// Eval evaluates the expression. What is missing is null. The error is an
// *Error with its place in the source.
func (x *Expr) Eval(ctx context.Context, scope Scope) (value.Value, error) {
	e := newEnv(ctx, x.set, scope)
	err := e.alive()
	if err == nil {
		var v value.Value
		if v, err = e.result(x.x); err == nil {
			return v, nil
		}
	}
	return value.Null(), locate(x.src, err)
}

// Condition evaluates the expression as a condition, as [Condition] says. The
// error is an *Error.
func (x *Expr) Condition(ctx context.Context, scope Scope) (bool, error) {
	v, err := x.Eval(ctx, scope)
	if err != nil {
		return false, err
	}
	ok, err := Condition(v)
	if err != nil {
		return false, locate(x.src, at(x.x.at(), err))
	}
	return ok, nil
}

// Source returns the text that was compiled.
func (x *Expr) Source() string { return x.src }

// Uses tells whether the expression uses a filter.
func (x *Expr) Uses(filter string) bool { return x.refs.filters[filter] }

// Names returns the names that the expression looks up in its scope, each
// once, sorted.
func (x *Expr) Names() []string { return x.refs.names() }

// Paths returns what the expression reads in its scope, in the order of the
// source.
func (x *Expr) Paths() []Path { return x.refs.located(x.src) }

// Path is something that a template reads: a name of its scope and the keys
// below it as far as they are literal, as in state.user["name"]. A path of a
// single part, or one that ends early, stands for all that is below it.
type Path struct {
	Parts  []string
	Offset int // of its name in the source, in bytes
	Line   int // from 1
	Col    int // from 1, in characters
}

// String returns the parts joined by points.
func (p Path) String() string { return strings.Join(p.Parts, ".") }

// refs collects what expressions refer to.
type refs struct {
	paths   []Path
	filters map[string]bool
}

func (r *refs) names() []string {
	var names []string
	for _, p := range r.paths {
		names = append(names, p.Parts[0])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (r *refs) located(src string) []Path {
	out := slices.Clone(r.paths)
	for i, p := range out {
		place := locate(src, failAt(p.Offset, ""))
		out[i].Line, out[i].Col, out[i].Parts = place.Line, place.Col, slices.Clone(p.Parts)
	}
	return out
}

// collect adds what n refers to. local tells which names are the template's own.
func (r *refs) collect(n node, local func(name string) bool) {
	if parts, off := literalPath(n); parts != nil {
		if !local(parts[0]) {
			r.paths = append(r.paths, Path{Parts: parts, Offset: off})
		}
		return
	}
	if f, ok := n.(*filterNode); ok {
		r.use(f)
	}
	n.each(func(child node) { r.collect(child, local) })
}

func (r *refs) use(f *filterNode) {
	if r.filters == nil {
		r.filters = map[string]bool{}
	}
	r.filters[f.filter.Name] = true
	if f.filter.Name == "map" && len(f.args.pos) > 0 {
		if lit, ok := f.args.pos[0].(*litNode); ok {
			r.filters[lit.v.Text()] = true
		}
	}
}

// literalPath returns the parts of a path whose keys are all literal, and the
// offset of its name.
func literalPath(n node) ([]string, int) {
	var x node
	var key string
	switch n := n.(type) {
	case *nameNode:
		return []string{n.name}, n.at()
	case *attrNode:
		x, key = n.x, n.name
	case *indexNode:
		lit, ok := n.index.(*litNode)
		if !ok || lit.v.Kind() != value.KindString && lit.v.Kind() != value.KindInt {
			return nil, 0
		}
		x = n.x
		key, _ = keyText(lit.v)
	case *methodNode:
		if n.name != "get" || len(n.args.pos) != 1 || len(n.args.named) > 0 {
			return nil, 0
		}
		lit, ok := n.args.pos[0].(*litNode)
		if !ok || lit.v.Kind() != value.KindString {
			return nil, 0
		}
		x, key = n.x, lit.v.Text()
	default:
		return nil, 0
	}
	parts, off := literalPath(x)
	if parts == nil {
		return nil, 0
	}
	return append(parts, key), off
}
