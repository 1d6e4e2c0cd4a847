package actiontest

import (
	"errors"
	"math"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// odd are values that have surprised programs before.
func odd() []value.Value {
	return []value.Value{
		value.Null(), value.Bool(true), value.Int(0), value.Int(-1), value.Int(math.MaxInt64),
		value.Must("123456789012345678901234567890"), value.Float(0.5), value.Float(-1e308), value.Float(math.NaN()),
		value.String(""), value.String("\x00"), value.String("\xff"), value.String("ünïcode 𝄞"), value.String("{{ x }}"),
		value.List(), value.List(value.Null(), value.List()), value.Object(), value.Object(value.M("", value.Null())),
		value.Secret("odd"),
	}
}

// types puts every odd value into every parameter of an otherwise good input.
func (s *subject) types() {
	base := s.base()
	for _, f := range s.action.Input().Fields() {
		for _, v := range odd() {
			s.try(actions.Call{Input: base.With(f.Name, v)})
		}
		if f.Mode == schema.ModeLate {
			s.try(actions.Call{Input: base.Without(f.Name), Late: map[string]error{f.Name: errors.New("could not be rendered")}})
		}
	}
	for _, v := range odd() {
		s.try(actions.Call{Input: v})
	}
}

// random runs the action with inputs made from its declaration and with any
// JSON at all.
func (s *subject) random() {
	declared, anything := s.object(s.action.Input()), anyValue(3)
	for seed := range s.harness.Runs {
		input := s.base().Merge(declared.Example(seed))
		s.try(actions.Call{Input: input})
		s.try(actions.Call{Input: anything.Example(seed)})
	}
}

func (s *subject) try(c actions.Call) {
	if s.runs(c.Input) {
		_ = s.call(c) // what holds for every outcome is checked there
	}
}

// base is a good input: the harness's own, or that of the first example.
func (s *subject) base() value.Value {
	if v, ok := s.harness.Inputs[s.spec.Name]; ok {
		return v
	}
	for _, ex := range s.spec.Examples {
		inputs, err := s.inputs(ex.YAML)
		if err == nil && len(inputs) > 0 && len(s.action.Input().Check(inputs[0], static)) == 0 {
			return inputs[0]
		}
	}
	return value.Object()
}

// object generates objects that are mostly as o declares.
func (s *subject) object(o *schema.Object) *rapid.Generator[value.Value] {
	return rapid.Custom(func(t *rapid.T) value.Value {
		out := value.Object()
		for _, f := range o.Fields() {
			if f.Required || rapid.Bool().Draw(t, "present") {
				out = out.With(f.Name, s.field(f).Draw(t, f.Name))
			}
		}
		return out
	})
}

// field generates values for f: declared ones and, now and then, any other.
func (s *subject) field(f schema.Field) *rapid.Generator[value.Value] {
	choices := []*rapid.Generator[value.Value]{anyValue(1)}
	for _, v := range []value.Value{f.Default, f.Example} {
		if !v.IsNull() {
			choices = append(choices, rapid.Just(v))
		}
	}
	for _, e := range f.Enum {
		choices = append(choices, rapid.Just(value.String(e)))
	}
	typed := s.typed(f)
	return rapid.OneOf(append(choices, typed, typed, typed)...)
}

func (s *subject) typed(f schema.Field) *rapid.Generator[value.Value] {
	if f.Object != nil && f.Type == "object" {
		return s.object(f.Object)
	}
	if f.Object != nil {
		return rapid.Map(rapid.SliceOfN(s.object(f.Object), 0, 3), func(list []value.Value) value.Value { return value.List(list...) })
	}
	switch f.Type {
	case "string":
		return text()
	case "integer":
		return rapid.Map(rapid.Int64Range(-3, 1000), value.Int)
	case "number":
		return rapid.Map(rapid.Float64Range(-2, 2), value.Float)
	case "duration":
		return rapid.SampledFrom([]value.Value{value.Int(0), value.Float(1.5), value.String("90m"), value.String("1d"), value.String("-1s")})
	case "boolean":
		return rapid.Map(rapid.Bool(), value.Bool)
	default:
		return anyValue(2)
	}
}

// text generates strings without separators of paths, so that no string leads
// out of the working directory.
func text() *rapid.Generator[value.Value] {
	letters := rapid.RuneFrom([]rune("abcxyzABC019 _-:,;=*?%+#'\"{}[]()<>|&$!\n\t\x00äß€𝄞"))
	return rapid.Map(rapid.OneOf(
		rapid.StringOfN(letters, 0, 12, -1),
		rapid.SampledFrom([]string{"a", "mem://test/a.txt", "mem://", "file:", "[1, 2]", `{"a": 1}`, "a,b\n1,2\n", "state.x", "*"}),
	), value.String)
}

// anyValue generates values nested up to depth.
func anyValue(depth int) *rapid.Generator[value.Value] {
	choices := []*rapid.Generator[value.Value]{rapid.SampledFrom(odd()), text(), rapid.Map(rapid.Int64(), value.Int)}
	if depth > 0 {
		inner := anyValue(depth - 1)
		keys := rapid.StringOfN(rapid.RuneFrom([]rune("abc_")), 0, 4, -1)
		choices = append(choices,
			rapid.Map(rapid.SliceOfN(inner, 0, 4), func(list []value.Value) value.Value { return value.List(list...) }),
			rapid.Map(rapid.MapOfN(keys, inner, 0, 4), value.Map))
	}
	return rapid.OneOf(choices...)
}
