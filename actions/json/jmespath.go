package jsonactions

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/jmespath-community/go-jmespath/pkg/binding"
	"github.com/jmespath-community/go-jmespath/pkg/functions"
	"github.com/jmespath-community/go-jmespath/pkg/interpreter"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"

	"github.com/tea-agents/tea/value"
)

// maxExact is the largest integer up to which floats hold every one.
const maxExact = 1 << 53

// exact is an integer that no float holds, on its way through JMESPath. It is a
// string only so that the library leaves it alone.
type exact string

// MarshalJSON implements json.Marshaler, for the function to_string.
func (e exact) MarshalJSON() ([]byte, error) { return []byte(e), nil }

// search evaluates a JMESPath expression.
func search(expression string, data value.Value) (value.Value, error) {
	if len(expression) > 10_000 {
		return value.Null(), errTooLong
	}
	for _, digits := range regexp.MustCompile(`\d{16,}`).FindAllString(expression, -1) {
		if n, err := strconv.ParseInt(digits, 10, 64); err != nil || n > maxExact {
			return value.Null(), fmt.Errorf("JMESPath cannot compare with integers beyond 2^53 such as %s", digits)
		}
	}
	node, err := parsing.NewParser().Parse(expression)
	if err != nil {
		return value.Null(), err
	}
	in, err := toGo(data)
	if err != nil {
		return value.Null(), err
	}
	caller := interpreter.NewFunctionCaller(append(functions.GetDefaultFunctions(), ordered()...)...)
	out, err := interpreter.NewInterpreter(in, caller, binding.NewBindings()).Execute(sorted(node), in)
	if err != nil {
		return value.Null(), err
	}
	return fromGo(out)
}

// memberValues is the function that stands in the tree for the values of an
// object. No expression can call it: the name has a space.
const memberValues = "member values"

// sorted replaces every projection over an object's values, for which the
// library has no fixed order, by one over the list of its values.
func sorted(n parsing.ASTNode) parsing.ASTNode {
	n.Children = slices.Clone(n.Children)
	for i, child := range n.Children {
		n.Children[i] = sorted(child)
	}
	if n.NodeType == parsing.ASTValueProjection {
		n.NodeType = parsing.ASTProjection
		n.Children[0] = parsing.ASTNode{
			NodeType: parsing.ASTFunctionExpression, Value: memberValues, Children: []parsing.ASTNode{n.Children[0]},
		}
	}
	return n
}

// ordered returns the functions over an object's members, in the order of keys.
func ordered() []functions.FunctionEntry {
	object := []functions.ArgSpec{{Types: []functions.JpType{functions.JpObject}}}
	whatever := []functions.ArgSpec{{Types: []functions.JpType{functions.JpAny}}}
	over := func(pick func(key string, v any) any) functions.JpFunction {
		return func(args []any) (any, error) {
			m, ok := args[0].(map[string]any)
			if !ok {
				return nil, nil
			}
			out := make([]any, 0, len(m))
			for _, key := range slices.Sorted(maps.Keys(m)) {
				out = append(out, pick(key, m[key]))
			}
			return out, nil
		}
	}
	valueOf := over(func(_ string, v any) any { return v })
	return []functions.FunctionEntry{
		{Name: "keys", Arguments: object, Handler: over(func(key string, _ any) any { return key })},
		{Name: "values", Arguments: object, Handler: valueOf},
		{Name: "items", Arguments: object, Handler: over(func(key string, v any) any { return []any{key, v} })},
		{Name: memberValues, Arguments: whatever, Handler: valueOf},
	}
}

func toGo(v value.Value) (any, error) {
	switch v.Kind() {
	case value.KindInt:
		if n, ok := v.AsInt(); ok && n >= -maxExact && n <= maxExact {
			return float64(n), nil
		}
		return exact(v.String()), nil
	case value.KindList:
		out := make([]any, 0, v.Len())
		for _, item := range v.Items() {
			x, err := toGo(item)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	case value.KindObject:
		out := make(map[string]any, v.Len())
		for key, member := range v.Members() {
			x, err := toGo(member)
			if err != nil {
				return nil, err
			}
			out[key] = x
		}
		return out, nil
	}
	return v.Any(), v.Check()
}

func fromGo(x any) (value.Value, error) {
	switch x := x.(type) {
	case exact:
		return value.Number(string(x))
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return value.Null(), errors.New("the result of a calculation is no number")
		}
		if x == math.Trunc(x) && math.Abs(x) <= maxExact {
			return value.Int(int64(x)), nil
		}
		return value.Float(x), nil
	case []any:
		items := make([]value.Value, 0, len(x))
		for _, item := range x {
			v, err := fromGo(item)
			if err != nil {
				return value.Null(), err
			}
			items = append(items, v)
		}
		return value.List(items...), nil
	case map[string]any:
		members := make(map[string]value.Value, len(x))
		for key, member := range x {
			v, err := fromGo(member)
			if err != nil {
				return value.Null(), err
			}
			members[key] = v
		}
		return value.Map(members), nil
	case nil, bool, string:
		return value.From(x)
	}
	return value.Null(), errors.New("the expression yields a function (&…), which is not data")
}
