package dataactions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

type filterInput struct {
	Data      []value.Value          `json:"data" doc:"The list to filter."`
	Where     string                 `json:"where,omitempty" doc:"An expression over item and index that is true for what to keep." mode:"expr" example:"item.age >= 18"`
	Match     map[string]value.Value `json:"match,omitempty" doc:"What members of an item must equal; a dot goes into an object."`
	Predicate value.Value            `json:"predicate,omitempty" doc:"A condition {field, op, value} or a list of them, all of which must hold. op is eq, ne, gt, gte, lt, lte, in, not_in, contains, startswith or endswith."`
}

type filterOutput struct {
	Result        []value.Value `json:"result" doc:"The items that remain, in their order."`
	OriginalCount int           `json:"original_count" doc:"Number of items before."`
	FilteredCount int           `json:"filtered_count" doc:"Number of items that remain."`
}

func filter() actions.Action {
	standard := sync.OnceValue(filters.Default)
	return actions.Define(actions.Spec{
		Name: "data.filter", Version: 1, Effect: actions.Pure,
		Summary: "Keeps the items of a list that fulfil all conditions.",
		Doc:     "Numbers compare by size, strings by their characters; other kinds have no order, and a condition on a missing member does not hold (but `ne` and `not_in` do).",
		Examples: []actions.Example{{
			Title: "An expression",
			YAML: `- name: adults
  uses: data.filter
  with:
    data: [{name: Ada, age: 36}, {name: Bob, age: 12}]
    where: item.age >= 18`,
			Output: `{"filtered_count":1,"original_count":2,"result":[{"age":36,"name":"Ada"}],"success":true}`,
		}, {
			Title: "Equal members",
			YAML: `- name: adults
  uses: data.filter
  with:
    data: [{name: Ada, active: true}, {name: Bob, active: false}]
    match: {active: true}`,
			Output: `{"filtered_count":1,"original_count":2,"result":[{"active":true,"name":"Ada"}],"success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in filterInput) (filterOutput, error) {
		known := standard
		if env.Filters != nil {
			known = func() *filters.Set { return env.Filters }
		}
		keep, err := in.rule(ctx, known)
		if err != nil {
			return filterOutput{}, actions.Errorf(actions.CodeInvalidInput, "%w", err)
		}
		out := filterOutput{OriginalCount: len(in.Data), Result: []value.Value{}}
		for i, item := range in.Data {
			ok, err := keep(i, item)
			if err != nil {
				return filterOutput{}, actions.Errorf(actions.CodeInvalidInput, "where, at item %d: %w", i, err)
			}
			if ok {
				out.Result = append(out.Result, item)
			}
		}
		out.FilteredCount = len(out.Result)
		return out, nil
	})
}

// rule joins all conditions into one.
func (in filterInput) rule(ctx context.Context, known func() *filters.Set) (func(i int, item value.Value) (bool, error), error) {
	if in.Where == "" && in.Match == nil && in.Predicate.IsNull() {
		return nil, errors.New("give where, match or predicate")
	}
	conditions, err := predicates(in.Predicate)
	if err != nil {
		return nil, err
	}
	for field, want := range in.Match {
		conditions = append(conditions, condition{field: field, holds: equal, value: want})
	}
	where := func(int, value.Value) (bool, error) { return true, nil }
	if in.Where != "" {
		expr, err := known().CompileExpr(in.Where)
		if err != nil {
			return nil, fmt.Errorf("where: %w", err)
		}
		where = func(i int, item value.Value) (bool, error) {
			return expr.Condition(ctx, filters.MapScope{"item": item, "index": value.Int(int64(i))})
		}
	}
	return func(i int, item value.Value) (bool, error) {
		if slices.ContainsFunc(conditions, func(c condition) bool { return !c.of(item) }) {
			return false, nil
		}
		return where(i, item)
	}, nil
}

// condition is on one member of an item.
type condition struct {
	field string
	holds func(v, want value.Value) bool
	value value.Value
}

func (c condition) of(item value.Value) bool {
	return c.holds(item.At(strings.Split(c.field, ".")...), c.value)
}

// predicates reads {field, op, value} or a list of them.
func predicates(v value.Value) ([]condition, error) {
	switch v.Kind() {
	case value.KindNull:
		return nil, nil
	case value.KindList:
		var all []condition
		for i, item := range v.Items() {
			c, err := predicate(item)
			if err != nil {
				return nil, fmt.Errorf("predicate[%d]: %w", i, err)
			}
			all = append(all, c)
		}
		return all, nil
	}
	c, err := predicate(v)
	if err != nil {
		return nil, fmt.Errorf("predicate: %w", err)
	}
	return []condition{c}, nil
}

func predicate(v value.Value) (condition, error) {
	known := []string{"field", "op", "value"}
	for key := range v.Members() {
		if !slices.Contains(known, key) {
			return condition{}, fmt.Errorf("unknown key %q; known are field, op and value", key)
		}
	}
	field, ok := v.At("field").AsString()
	if !ok {
		return condition{}, errors.New("needs field, the name of a member")
	}
	op := "eq"
	if given, ok := v.Get("op"); ok {
		op = given.Text()
	}
	holds, ok := operators()[op]
	if !ok {
		return condition{}, fmt.Errorf("unknown op %q; %s", op, diag.DidYouMean(op, operatorNames()))
	}
	want, ok := v.Get("value")
	if !ok {
		return condition{}, errors.New("needs value")
	}
	return condition{field: field, holds: holds, value: want}, nil
}
