package filters

import (
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

func selectFilters() []Filter {
	const byTest, byAttr = "(*args)", "(attribute, *args)"
	return []Filter{
		{Name: "map", Params: "(*args, **named)",
			Doc:     `Of each element the attribute: map(attribute="a.b", default=x); or what a filter makes of it: map("upper").`,
			Example: `{{ ["a", "b"] | map("upper") | join }} => AB`, run: mapFilter},
		{Name: "select", Params: byTest, Doc: "The elements for which a test is true; with no test those that are true themselves.",
			Example: `{{ [1, 2, 3] | select("odd") }} => [1, 3]`, run: pick(true, false)},
		{Name: "reject", Params: byTest, Doc: "The elements for which a test is false; with no test those that are false themselves.",
			Example: `{{ [1, 2, 3] | reject("odd") }} => [2]`, run: pick(false, false)},
		{Name: "selectattr", Params: byAttr, Doc: "The elements for whose attribute a test is true; with no test those where it is true itself.",
			Example: `{{ [{"a": 1}, {"a": 2}] | selectattr("a", "gt", 1) }} => [{"a": 2}]`, run: pick(true, true)},
		{Name: "rejectattr", Params: byAttr, Doc: "The elements for whose attribute a test is false; with no test those where it is false itself.",
			Example: `{{ [{"a": 1}, {"a": 2}] | rejectattr("a", "gt", 1) }} => [{"a": 1}]`, run: pick(false, true)},
	}
}

// bindValues binds arguments that are values already.
func (ps *params) bindValues(callee string, vals []value.Value, named []value.Member) (Args, error) {
	out := Args{params: ps, vals: make([]value.Value, len(ps.list)), given: make([]bool, len(ps.list))}
	a := arguments{}
	for i, v := range vals {
		a.pos = append(a.pos, &litNode{pos: -1, v: v})
		if i < len(out.vals) {
			out.vals[i], out.given[i] = v, true
		} else {
			out.rest = append(out.rest, v)
		}
	}
	for _, m := range named {
		a.named = append(a.named, namedArg{name: m.Key, off: -1, x: &litNode{v: m.Value}})
		if i := ps.find(m.Key); i >= 0 {
			out.vals[i], out.given[i] = m.Value, true
		} else {
			out.named = append(out.named, m)
		}
	}
	for i, p := range ps.list {
		if !out.given[i] {
			out.vals[i] = p.def
		}
	}
	return out, ps.check(-1, callee, a)
}

func mapFilter(e *env, in value.Value, a Args) (operand, error) {
	items, err := elements(in)
	if err != nil {
		return operand{}, err
	}
	apply, err := e.mapping(a)
	if err != nil {
		return operand{}, err
	}
	out := make([]value.Value, len(items))
	for i, item := range items {
		if err := e.tick(weight(item)); err != nil {
			return operand{}, err
		}
		if out[i], err = apply(item); err != nil {
			return operand{}, err
		}
	}
	return of(value.List(out...)), nil
}

// mapping returns what map is to do with each element.
func (e *env) mapping(a Args) (keyFunc, error) {
	if len(a.Rest()) == 0 {
		ps := &params{list: []param{{name: "attribute"}, {name: "default", optional: true}}}
		b, err := ps.bindValues("map", nil, a.Named())
		if err != nil {
			return nil, err
		}
		if b.Has("default") {
			d := b.Value("default")
			return attributeKey(b, &d)
		}
		return attributeKey(b, nil)
	}
	name := a.Rest()[0].Text()
	f, ok := e.set.filters[name]
	if !ok {
		return nil, failf("unknown filter %q", name).withHint("%s", diag.DidYouMean(name, sortedKeys(e.set.filters)))
	}
	args, err := f.params.bindValues(name, a.Rest()[1:], a.Named())
	if err != nil {
		return nil, err
	}
	return func(v value.Value) (value.Value, error) {
		if v.Kind() == value.KindSecret {
			return v, errSecret()
		}
		if v.IsNull() && !f.Nil {
			return v, failf("an element is null, so it cannot be piped into %s", name).
				withHint("leave such elements out: | select")
		}
		x, err := f.call(e, v, args)
		if err == nil && x.miss != nil {
			err = x.miss.err(-1, "")
		}
		return x.v, err
	}, nil
}

// pick is select, reject and their attr forms.
func pick(want, byAttr bool) func(*env, value.Value, Args) (operand, error) {
	return func(e *env, in value.Value, a Args) (operand, error) {
		items, err := elements(in)
		if err != nil {
			return operand{}, err
		}
		test, err := e.predicate(a)
		if err != nil {
			return operand{}, err
		}
		var out []value.Value
		for _, item := range items {
			x := of(item)
			if byAttr {
				if x, err = follow(item, a.Value("attribute").Text()); err != nil {
					return operand{}, err
				}
			}
			ok, err := test(x)
			if err != nil {
				return operand{}, err
			}
			if ok == want {
				out = append(out, item)
			}
		}
		return of(value.List(out...)), nil
	}
}

// predicate is the test that *args name, or Python's truth.
func (e *env) predicate(a Args) (func(operand) (bool, error), error) {
	if len(a.Rest()) == 0 {
		return func(x operand) (bool, error) { return truthOf(x), e.tick(1) }, nil
	}
	name, args := a.Rest()[0].Text(), a.Rest()[1:]
	if op, ok := map[string]string{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[name]; ok {
		name = op
	}
	test, ok := e.set.tests[name]
	if !ok {
		return nil, failf("unknown test %q", name).withHint("%s", diag.DidYouMean(name, sortedKeys(e.set.tests)))
	}
	if len(args) != test.args {
		return nil, failf("the test %q takes %d arguments, not %d", name, test.args, len(args))
	}
	return func(x operand) (bool, error) {
		if x.v.Kind() == value.KindSecret && !test.secret {
			return false, errSecret()
		}
		if err := e.tick(1); err != nil {
			return false, err
		}
		return test.run(e, x, args)
	}, nil
}
