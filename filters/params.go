package filters

import (
	"context"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// params is the signature of a filter, method or function, read from its text.
type params struct {
	list  []param
	rest  bool // further positional arguments: *args
	named bool // further named ones: **named
}

type param struct {
	name     string
	optional bool
	def      value.Value
}

// parseParams reads a signature such as (width, fill=' ', *args).
func parseParams(s *Set, text string) (*params, error) {
	out := &params{}
	if text == "" {
		return out, nil
	}
	inner, ok := strings.CutPrefix(text, "(")
	inner, ok2 := strings.CutSuffix(inner, ")")
	if !ok || !ok2 {
		return nil, fmt.Errorf("the parameters %q are not in brackets", text)
	}
	tokens, _, _, err := lexExpr(inner, 0, "")
	if err != nil {
		return nil, err
	}
	p := &parser{set: s, tokens: tokens}
	for p.peek().kind != tokenEnd {
		if err := p.param(out); err != nil {
			return nil, fmt.Errorf("parameters %q: %w", text, err)
		}
		if !p.acceptOp(",") {
			return out, p.end()
		}
	}
	return out, nil
}

func (p *parser) param(out *params) error {
	switch {
	case p.acceptOp("*"):
		out.rest = true
		p.next()
		return nil
	case p.acceptOp("**"):
		out.named = true
		p.next()
		return nil
	}
	t := p.next()
	if t.kind != tokenName {
		return p.unexpected("a name")
	}
	q := param{name: t.text}
	if p.acceptOp("=") {
		x, err := p.expression()
		if err != nil {
			return err
		}
		def, err := x.eval(newEnv(context.Background(), p.set, MapScope(nil)))
		if err != nil {
			return err
		}
		q.optional, q.def = true, def.v
	}
	out.list = append(out.list, q)
	return nil
}

func (ps *params) find(name string) int {
	for i, p := range ps.list {
		if p.name == name {
			return i
		}
	}
	return -1
}

// check tells at compile time whether a call fits the signature.
func (ps *params) check(off int, callee string, a arguments) error {
	if len(a.pos) > len(ps.list) && !ps.rest {
		return failAt(a.pos[len(ps.list)].at(), "%s takes at most %d arguments, not %d", callee, len(ps.list), len(a.pos))
	}
	given := make([]bool, len(ps.list))
	for i := range min(len(a.pos), len(given)) {
		given[i] = true
	}
	for _, n := range a.named {
		i := ps.find(n.name)
		switch {
		case i >= 0 && given[i]:
			return failAt(n.off, "the argument %s of %s is given twice", n.name, callee)
		case i >= 0:
			given[i] = true
		case !ps.named:
			return failAt(n.off, "%s has no argument %q", callee, n.name).withHint("%s", diag.DidYouMean(n.name, ps.names()))
		}
	}
	for i, p := range ps.list {
		if !given[i] && !p.optional {
			return failAt(off, "%s needs the argument %s", callee, p.name)
		}
	}
	return nil
}

func (ps *params) names() []string {
	names := make([]string, len(ps.list))
	for i, p := range ps.list {
		names[i] = p.name
	}
	return names
}

// Args are the arguments of one call of a filter, bound to its parameters.
type Args struct {
	params *params
	vals   []value.Value
	given  []bool
	rest   []value.Value
	named  []value.Member
}

// Has tells whether the template gives the parameter name a value of its own.
func (a Args) Has(name string) bool {
	i := a.params.find(name)
	return i >= 0 && a.given[i]
}

// Value returns the argument for the parameter name, or its default.
func (a Args) Value(name string) value.Value {
	if i := a.params.find(name); i >= 0 {
		return a.vals[i]
	}
	return value.Null()
}

// Int returns an argument that must be an integer of 64 bits.
func (a Args) Int(name string) (int, error) {
	v := a.Value(name)
	if b, ok := v.AsBool(); ok {
		if b {
			return 1, nil
		}
		return 0, nil
	}
	i, ok := v.AsInt()
	if !ok {
		return 0, a.wrong(name, "an integer", v)
	}
	return int(i), nil
}

// Text returns an argument that must be a string.
func (a Args) Text(name string) (string, error) {
	v := a.Value(name)
	s, ok := v.AsString()
	if !ok {
		return "", a.wrong(name, "a string", v)
	}
	return s, nil
}

// Truth returns Python's truth of an argument.
func (a Args) Truth(name string) bool { return Truth(a.Value(name)) }

// Rest returns the positional arguments beyond the parameters (*args).
func (a Args) Rest() []value.Value { return a.rest }

// Named returns the named arguments beyond the parameters (**named), in the
// order in which they are written.
func (a Args) Named() []value.Member { return a.named }

func (a Args) wrong(name, want string, v value.Value) error {
	return failf("the argument %s must be %s, not %s", name, want, aKind(v))
}

// aKind names the kind of v with its article.
func aKind(v value.Value) string {
	switch v.Kind() {
	case value.KindNull:
		return "null"
	case value.KindInt, value.KindObject:
		return "an " + v.Kind().String()
	}
	return "a " + v.Kind().String()
}

// bind evaluates the arguments of a call and binds them to ps.
func (e *env) bind(ps *params, a arguments) (Args, error) {
	out := Args{params: ps, vals: make([]value.Value, len(ps.list)), given: make([]bool, len(ps.list))}
	for i, p := range ps.list {
		out.vals[i] = p.def
	}
	for i, x := range a.pos {
		v, err := e.argument(x)
		if err != nil {
			return out, err
		}
		if i < len(out.vals) {
			out.vals[i], out.given[i] = v, true
		} else {
			out.rest = append(out.rest, v)
		}
	}
	for _, n := range a.named {
		v, err := e.argument(n.x)
		if err != nil {
			return out, err
		}
		if i := ps.find(n.name); i >= 0 {
			out.vals[i], out.given[i] = v, true
		} else {
			out.named = append(out.named, value.M(n.name, v))
		}
	}
	return out, nil
}

// argument is the value of x, which must not be missing nor a secret.
func (e *env) argument(x node) (value.Value, error) {
	v, err := e.value(x)
	if err == nil && v.Kind() == value.KindSecret {
		err = at(x.at(), errSecret())
	}
	return v, err
}
