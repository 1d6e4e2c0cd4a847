package filters

import (
	"context"

	"github.com/tea-agents/tea/value"
)

// ofText makes a filter's Apply from a function on the text of its input.
func ofText(f func(s string, a Args) (value.Value, error)) func(context.Context, value.Value, Args) (value.Value, error) {
	return func(_ context.Context, in value.Value, a Args) (value.Value, error) {
		s, err := Text(in)
		if err != nil {
			return value.Null(), err
		}
		return f(s, a)
	}
}

func defaultFilters() []Filter {
	def := Filter{
		Name: "default", Params: "(default_value='', boolean=false)", Nil: true,
		Doc:     "The input, or default_value where it is missing or null; with boolean=true wherever it is false to Python.",
		Example: `{{ state.missing | default("none yet") }} => none yet`,
		open:    openDefault,
		run: func(_ *env, in value.Value, a Args) (operand, error) {
			if in.IsNull() || a.Truth("boolean") && !Truth(in) {
				return of(a.Value("default_value")), nil
			}
			return of(in), nil
		},
	}
	return []Filter{def, alias("d", def)}
}

// openDefault evaluates only what it needs: the default may be missing, or a
// secret, itself.
func openDefault(e *env, x operand, call *filterNode) (operand, error) {
	other, strict := node(&litNode{v: value.String("")}), node(nil)
	for i, p := range call.args.pos {
		if i == 0 {
			other = p
		} else {
			strict = p
		}
	}
	for _, p := range call.args.named {
		if p.name == "boolean" {
			strict = p.x
		} else {
			other = p.x
		}
	}
	if x.miss != nil || x.v.IsNull() {
		return other.eval(e)
	}
	if strict == nil {
		return x, nil
	}
	s, err := strict.eval(e)
	if err != nil {
		return x, err
	}
	if truthOf(s) && !Truth(x.v) {
		return other.eval(e)
	}
	return x, nil
}
