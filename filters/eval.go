package filters

import (
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

func suggestion(name string, known []string) string { return diag.DidYouMean(name, known) }

func of(v value.Value) operand { return operand{v: v} }

func (n *litNode) eval(e *env) (operand, error) { return of(n.v), e.tick(1) }

func (n *nameNode) eval(e *env) (operand, error) {
	if err := e.tick(1); err != nil {
		return operand{}, at(n.at(), err)
	}
	if v, ok := e.lookup(n.name); ok {
		return of(v), nil
	}
	known := func() []string { return scopeNames(e.scope) }
	return operand{miss: &missing{n: n, key: n.name, known: known}}, nil
}

func (n *listNode) eval(e *env) (operand, error) {
	items := make([]value.Value, len(n.items))
	for i, item := range n.items {
		x, err := item.eval(e)
		if err != nil {
			return operand{}, err
		}
		items[i] = x.v // what is missing is null
	}
	return of(value.List(items...)), nil
}

func (n *dictNode) eval(e *env) (operand, error) {
	members := make([]value.Member, len(n.keys))
	for i, key := range n.keys {
		k, err := e.value(key)
		if err != nil {
			return operand{}, err
		}
		text, ok := keyText(k)
		if !ok {
			return operand{}, failAt(key.at(), "%s cannot be a key", aKind(k))
		}
		x, err := n.values[i].eval(e)
		if err != nil {
			return operand{}, err
		}
		members[i] = value.M(text, x.v)
	}
	return of(value.Object(members...)), nil
}

// keyText is the key of an object that k stands for: keys are text, so that a
// number or boolean becomes its JSON.
func keyText(k value.Value) (string, bool) {
	switch k.Kind() {
	case value.KindString:
		return k.Text(), true
	case value.KindInt, value.KindFloat, value.KindBool:
		return k.String(), true
	}
	return "", false
}

func (n *filterNode) eval(e *env) (operand, error) {
	x, err := n.x.eval(e)
	if err != nil {
		return x, err
	}
	if err := e.tick(weight(x.v)); err != nil {
		return x, at(n.at(), err)
	}
	f := n.filter
	if f.open != nil {
		return f.open(e, x, n)
	}
	if err := f.accepts(n, x); err != nil {
		return x, err
	}
	args, err := e.bind(f.params, n.args)
	if err != nil {
		return x, err
	}
	out, err := f.call(e, x.v, args)
	if err != nil {
		return out, at(n.at(), err)
	}
	return out, nil
}

// accepts refuses what must not be piped into a filter.
func (f *boundFilter) accepts(n *filterNode, x operand) error {
	switch {
	case x.v.Kind() == value.KindSecret:
		return at(n.at(), errSecret())
	case f.Nil:
		return nil
	case x.miss != nil:
		return x.miss.err(n.at(), ", so it cannot be piped into "+f.Name)
	case x.v.IsNull():
		what := describe(n.x)
		if what == "" {
			what = "the value"
		}
		return failAt(n.at(), "%s is null, so it cannot be piped into %s", what, f.Name).
			withHint("if it may be null, say what then: | default(…)")
	}
	return nil
}

// call runs a filter on a value that it accepts and charges for the result.
func (f *boundFilter) call(e *env, in value.Value, args Args) (operand, error) {
	var out operand
	var err error
	if f.run != nil {
		out, err = f.run(e, in, args)
	} else {
		out.v, err = f.Apply(e.ctx, in, args)
	}
	if err != nil {
		return out, err
	}
	return out, e.made(out.v)
}

// made charges for a value that an operation built and checks its size.
func (e *env) made(v value.Value) error {
	if len(v.Text()) > MaxOutput {
		return errTooLarge()
	}
	if v.Len() > MaxItems {
		return errTooMany()
	}
	return e.tick(weight(v))
}

func (n *testNode) eval(e *env) (operand, error) {
	x, err := n.x.eval(e)
	if err != nil {
		return x, err
	}
	if x.v.Kind() == value.KindSecret && !n.test.secret {
		return x, at(n.at(), errSecret())
	}
	args := make([]value.Value, len(n.args))
	for i, a := range n.args {
		if args[i], err = e.argument(a); err != nil {
			return x, err
		}
	}
	ok, err := n.test.run(e, x, args)
	if err != nil {
		return x, at(n.at(), err)
	}
	return of(value.Bool(ok != n.not)), e.tick(1)
}

func (n *funcNode) eval(e *env) (operand, error) {
	args, err := e.bind(n.fn.params, n.args)
	if err != nil {
		return operand{}, err
	}
	v, err := n.fn.run(e, args)
	if err == nil {
		err = e.made(v)
	}
	if err != nil {
		return operand{}, at(n.at(), err)
	}
	return of(v), nil
}

func (n *unaryNode) eval(e *env) (operand, error) {
	if n.op == "not" {
		x, err := n.x.eval(e)
		return of(value.Bool(!truthOf(x))), err
	}
	v, err := e.value(n.x)
	if err != nil {
		return operand{}, err
	}
	if n.op == "-" {
		v, err = negate(v)
	} else if !isNumber(v) {
		err = failf("+ needs a number, not %s", aKind(v))
	}
	if err != nil {
		return operand{}, at(n.at(), err)
	}
	return of(asInteger(v)), nil
}

// truthOf is the truth of an operand: what is missing is false.
func truthOf(x operand) bool { return x.miss == nil && Truth(x.v) }

func (n *logicNode) eval(e *env) (operand, error) {
	x, err := n.l.eval(e)
	if err != nil || truthOf(x) == n.or {
		return x, err
	}
	return n.r.eval(e)
}

func (n *condNode) eval(e *env) (operand, error) {
	test, err := n.test.eval(e)
	if err != nil {
		return test, err
	}
	if truthOf(test) {
		return n.then.eval(e)
	}
	if n.other == nil {
		return operand{miss: &missing{what: "the value of an if without else", omitted: true}}, nil
	}
	return n.other.eval(e)
}

func (n *concatNode) eval(e *env) (operand, error) {
	parts := make([]value.Value, len(n.parts))
	for i, p := range n.parts {
		v, err := e.text(p)
		if err != nil {
			return operand{}, err
		}
		if parts[i], err = textOrSecret(v); err != nil {
			return operand{}, at(p.at(), err)
		}
	}
	v, err := concat(parts...)
	if err == nil {
		err = e.made(v)
	}
	if err != nil {
		return operand{}, at(n.at(), err)
	}
	return of(v), nil
}

func (n *binaryNode) eval(e *env) (operand, error) {
	l, err := e.value(n.l)
	if err != nil {
		return operand{}, err
	}
	r, err := e.value(n.r)
	if err != nil {
		return operand{}, err
	}
	v, err := arithmetic(n.op, l, r)
	if err == nil {
		err = e.made(v)
	}
	if err != nil {
		return operand{}, at(n.at(), err)
	}
	return of(v), nil
}

func (n *compareNode) eval(e *env) (operand, error) {
	l, err := n.first.eval(e)
	if err != nil {
		return l, err
	}
	for i, op := range n.ops {
		r, err := n.rest[i].eval(e)
		if err != nil {
			return r, err
		}
		ok, err := e.compare(op, l, r, n.at())
		if err != nil {
			return r, at(n.at(), err)
		}
		if !ok {
			return of(value.Bool(false)), nil
		}
		l = r
	}
	return of(value.Bool(true)), nil
}
