package filters

import (
	"context"
	"strings"

	"github.com/tea-agents/tea/value"
)

func listFilters() []Filter {
	length := Filter{Name: "length", Nil: true, Doc: "The number of characters, elements or members; 0 of nothing.",
		Example: `{{ "grün" | length }} => 4`, Apply: lengthOf}
	return []Filter{
		length, alias("count", length),
		{Name: "first", Doc: "The first element, key or character; missing when there is none.",
			Example: `{{ [3, 1, 2] | first }} => 3`, run: edge("first", 0)},
		{Name: "last", Doc: "The last element, key or character; missing when there is none.",
			Example: `{{ [3, 1, 2] | last }} => 2`, run: edge("last", -1)},
		{Name: "list", Doc: "The input as a list: of an object its keys, of a string its characters.",
			Example: `{{ "abc" | list }} => ["a", "b", "c"]`, Apply: onElements(func(items []value.Value, _ Args) (value.Value, error) {
				return value.List(items...), nil
			})},
		{Name: "reverse", Doc: "The list, or the text, from its end.",
			Example: `{{ "tea" | reverse }} => aet`, Apply: reverse},
		{Name: "join", Params: "(d='', attribute=none)", Doc: "The texts of all elements, or of an attribute of each, with d between them.",
			Example: `{{ [1, 2, 3] | join(", ") }} => 1, 2, 3`, run: join},
		{Name: "items", Doc: "The [key, value] pairs of an object, sorted by key.",
			Example: `{% for k, v in {"b": 2, "a": 1} | items %}{{ k }}{{ v }} {% endfor %} => a1 b2 `,
			Apply: func(_ context.Context, in value.Value, _ Args) (value.Value, error) {
				if in.Kind() != value.KindObject {
					return in, failf("items needs an object, not %s", aKind(in))
				}
				return pairsOf(in), nil
			}},
		{Name: "batch", Params: "(linecount, fill_with=none)", Doc: "Lists of linecount elements each; the last one filled up with fill_with, if given.",
			Example: `{{ [1, 2, 3] | batch(2) }} => [[1, 2], [3]]`, Apply: onElements(batch)},
		{Name: "slice", Params: "(slices, fill_with=none)", Doc: "So many lists of about the same length; short ones filled up with fill_with, if given.",
			Example: `{{ [1, 2, 3] | slice(2) }} => [[1, 2], [3]]`, Apply: onElements(columns)},
		{Name: "attr", Params: "(name)", Doc: "The member of an object under a name that is computed.",
			Example: `{{ {"a": 1} | attr("a") }} => 1`, run: func(_ *env, in value.Value, a Args) (operand, error) {
				if v, ok := lookIn(in, a.Value("name")); ok {
					return of(v), nil
				}
				return operand{miss: &missing{what: "the attribute " + a.Value("name").String()}}, nil
			}},
	}
}

// onElements makes a filter's Apply from a function on the elements of a list,
// the keys of an object or the characters of a text.
func onElements(f func(items []value.Value, a Args) (value.Value, error)) func(context.Context, value.Value, Args) (value.Value, error) {
	return func(_ context.Context, in value.Value, a Args) (value.Value, error) {
		items, err := elements(in)
		if err != nil {
			return value.Null(), err
		}
		return f(items, a)
	}
}

func lengthOf(_ context.Context, in value.Value, _ Args) (value.Value, error) {
	switch in.Kind() {
	case value.KindNull, value.KindString, value.KindList, value.KindObject:
		return value.Int(int64(length(in))), nil
	}
	return in, failf("%s has no length", aKind(in))
}

// edge is first or last.
func edge(which string, i int64) func(*env, value.Value, Args) (operand, error) {
	return func(_ *env, in value.Value, _ Args) (operand, error) {
		if in.Kind() == value.KindObject {
			in = value.List(mustElements(in)...)
		}
		if k := in.Kind(); k != value.KindList && k != value.KindString {
			_, err := elements(in)
			return operand{}, err
		}
		if v, ok := lookIn(in, value.Int(i)); ok {
			return of(v), nil
		}
		return operand{miss: &missing{what: "the " + which + " element of what is empty"}}, nil
	}
}

// mustElements are the elements of a list or an object.
func mustElements(v value.Value) []value.Value {
	items, _ := elements(v)
	return items
}

func reverse(_ context.Context, in value.Value, _ Args) (value.Value, error) {
	items, err := elements(in)
	if err != nil {
		return in, err
	}
	for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
		items[i], items[j] = items[j], items[i]
	}
	if in.Kind() != value.KindString {
		return value.List(items...), nil
	}
	var out strings.Builder
	for _, c := range items {
		out.WriteString(c.Text())
	}
	return value.String(out.String()), nil
}

func join(e *env, in value.Value, a Args) (operand, error) {
	items, err := elements(in)
	if err != nil {
		return operand{}, err
	}
	if !a.Value("attribute").IsNull() {
		key, err := attributeKey(a, nil)
		if err != nil {
			return operand{}, err
		}
		for i, item := range items {
			if items[i], err = key(item); err != nil {
				return operand{}, err
			}
		}
	}
	sep, err := Text(a.Value("d"))
	if err != nil {
		return operand{}, err
	}
	if err := e.tick(len(items)); err != nil {
		return operand{}, err
	}
	v, err := joined(sep, items)
	return of(v), err
}

func batch(items []value.Value, a Args) (value.Value, error) {
	n, err := a.Int("linecount")
	if err != nil {
		return value.Null(), err
	}
	if n < 1 || n > MaxItems {
		return value.Null(), failf("the argument linecount must be between 1 and %d", MaxItems)
	}
	var rows []value.Value
	for start := 0; start < len(items); start += n {
		row := append([]value.Value(nil), items[start:min(start+n, len(items))]...)
		for len(row) < n && !a.Value("fill_with").IsNull() {
			row = append(row, a.Value("fill_with"))
		}
		rows = append(rows, value.List(row...))
	}
	return value.List(rows...), nil
}

func columns(items []value.Value, a Args) (value.Value, error) {
	n, err := a.Int("slices")
	if err != nil {
		return value.Null(), err
	}
	if n < 1 || n > MaxRange {
		return value.Null(), failf("the argument slices must be between 1 and %d", MaxRange)
	}
	each, more := len(items)/n, len(items)%n
	out := make([]value.Value, n)
	start := 0
	for i := range out {
		end := start + each
		if i < more {
			end++
		}
		column := append([]value.Value(nil), items[start:end]...)
		if i >= more && !a.Value("fill_with").IsNull() {
			column = append(column, a.Value("fill_with"))
		}
		out[i] = value.List(column...)
		start = end
	}
	return value.List(out...), nil
}
