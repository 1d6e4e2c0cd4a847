package filters

import (
	"strings"

	"github.com/tea-agents/tea/value"
)

// jtest is a test of Jinja2, as in `x is defined`.
type jtest struct {
	args   int
	secret bool // may be asked of a secret
	run    func(e *env, x operand, args []value.Value) (bool, error)
}

func allTests() map[string]*jtest {
	tests := map[string]*jtest{
		"defined":     {secret: true, run: func(_ *env, x operand, _ []value.Value) (bool, error) { return x.miss == nil, nil }},
		"undefined":   {secret: true, run: func(_ *env, x operand, _ []value.Value) (bool, error) { return x.miss != nil, nil }},
		"none":        {secret: true, run: func(_ *env, x operand, _ []value.Value) (bool, error) { return x.miss == nil && x.v.IsNull(), nil }},
		"divisibleby": {args: 1, run: divisibleBy},
		"in": {args: 1, run: func(e *env, x operand, a []value.Value) (bool, error) {
			if x.miss != nil {
				return false, nil
			}
			return e.contains(a[0], x.v)
		}},
		"string":   ofKind(value.KindString),
		"integer":  ofKind(value.KindInt),
		"float":    ofKind(value.KindFloat),
		"boolean":  ofKind(value.KindBool),
		"mapping":  ofKind(value.KindObject),
		"list":     ofKind(value.KindList),
		"number":   ofKind(value.KindInt, value.KindFloat, value.KindBool),
		"sequence": ofKind(value.KindList, value.KindObject, value.KindString),
		"iterable": ofKind(value.KindList, value.KindObject, value.KindString),
		"true":     isBool(true),
		"false":    isBool(false),
		"odd":      parity(1),
		"even":     parity(0),
		"lower":    ofCase(strings.ToLower),
		"upper":    ofCase(strings.ToUpper),
		"filter":   named(func(s *Set, name string) bool { _, ok := s.filters[name]; return ok }),
		"test":     named(func(s *Set, name string) bool { _, ok := s.tests[name]; return ok }),
	}
	for op, names := range map[string]string{
		"==": "eq equalto", "!=": "ne", "<": "lt lessthan", "<=": "le", ">": "gt greaterthan", ">=": "ge",
	} {
		for name := range strings.FieldsSeq(names) {
			tests[name] = comparison(op)
		}
	}
	return tests
}

// ofKind tests for kinds; what is missing is of none.
func ofKind(kinds ...value.Kind) *jtest {
	return &jtest{run: func(_ *env, x operand, _ []value.Value) (bool, error) {
		for _, k := range kinds {
			if x.miss == nil && x.v.Kind() == k {
				return true, nil
			}
		}
		return false, nil
	}}
}

func isBool(want bool) *jtest {
	return &jtest{run: func(_ *env, x operand, _ []value.Value) (bool, error) {
		b, ok := x.v.AsBool()
		return ok && b == want, nil
	}}
}

func comparison(op string) *jtest {
	return &jtest{args: 1, run: func(e *env, x operand, a []value.Value) (bool, error) {
		return e.compare(op, x, of(a[0]), 0)
	}}
}

func divisibleBy(e *env, x operand, a []value.Value) (bool, error) {
	return e.remainderIs(x, a[0], 0)
}

func parity(want int64) *jtest {
	return &jtest{run: func(e *env, x operand, _ []value.Value) (bool, error) {
		return e.remainderIs(x, value.Int(2), want)
	}}
}

// remainderIs tells whether x % by == want.
func (e *env) remainderIs(x operand, by value.Value, want int64) (bool, error) {
	if x.miss != nil {
		return false, x.miss.err(0, ", so it cannot be divided")
	}
	if !isNumber(x.v) {
		return false, needNumber("the test", x.v)
	}
	rest, err := arithmetic("%", x.v, by)
	if err != nil {
		return false, err
	}
	return e.equal(rest, value.Int(want))
}

func ofCase(fold func(string) string) *jtest {
	return &jtest{run: func(_ *env, x operand, _ []value.Value) (bool, error) {
		s, ok := x.v.AsString()
		return ok && s == fold(s) && strings.ToLower(s) != strings.ToUpper(s), nil
	}}
}

func named(known func(s *Set, name string) bool) *jtest {
	return &jtest{run: func(e *env, x operand, _ []value.Value) (bool, error) {
		return known(e.set, x.v.Text()), nil
	}}
}
