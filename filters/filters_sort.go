package filters

import (
	"strconv"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

func sortFilters() []Filter {
	return []Filter{
		{Name: "sort", Params: "(reverse=false, case_sensitive=false, attribute=none)",
			Doc:     `The elements in order; by an attribute, or several, as in "age,name".`,
			Example: `{{ ["b", "C", "a"] | sort }} => ["a", "b", "C"]`, run: sortFilter},
		{Name: "dictsort", Params: "(case_sensitive=false, by='key', reverse=false)",
			Doc:     "The [key, value] pairs of an object in order, by key or by value.",
			Example: `{{ {"a": 2, "b": 1} | dictsort(by="value") }} => [["b", 1], ["a", 2]]`, run: dictSort},
		{Name: "unique", Params: "(case_sensitive=false, attribute=none)", Doc: "Every element once, in the order of the first.",
			Example: `{{ ["a", "A", "b"] | unique }} => ["a", "b"]`, run: unique},
		{Name: "groupby", Params: "(attribute, default=none, case_sensitive=false)",
			Doc:     "Groups of the elements that have the same attribute, in its order; each group has grouper and list, or `for grouper, list in`.",
			Example: `{% for n, l in [{"n": 2}, {"n": 1}, {"n": 2}] | groupby("n") %}{{ n }}x{{ l | length }} {% endfor %} => 1x1 2x2 `,
			run:     groupBy},
		{Name: "min", Params: "(case_sensitive=false, attribute=none)", Doc: "The smallest element; missing when there is none.",
			Example: `{{ [3, 1, 2] | min }} => 1`, run: extreme("smallest", -1)},
		{Name: "max", Params: "(case_sensitive=false, attribute=none)", Doc: "The largest element; missing when there is none.",
			Example: `{{ [3, 1, 2] | max }} => 3`, run: extreme("largest", 1)},
		{Name: "sum", Params: "(attribute=none, start=0)", Doc: "The sum of all elements, or of an attribute of each.",
			Example: `{{ [1, 2, 3.5] | sum }} => 6.5`, run: sum},
	}
}

type keyFunc func(value.Value) (value.Value, error)

// attributeKey returns a function that takes the attribute that the argument
// attribute names out of an element, or the element itself. def, if given, stands for what is missing.
func attributeKey(a Args, def *value.Value) (keyFunc, error) {
	arg := a.Value("attribute")
	if arg.IsNull() {
		return func(v value.Value) (value.Value, error) { return v, nil }, nil
	}
	path := arg.Text()
	if i, ok := arg.AsInt(); ok {
		path = strconv.FormatInt(i, 10)
	} else if path == "" {
		return nil, a.wrong("attribute", "the name of an attribute", arg)
	}
	return func(v value.Value) (value.Value, error) {
		x, err := follow(v, path)
		if err != nil || x.miss == nil {
			return x.v, err
		}
		if def != nil {
			return *def, nil
		}
		return x.v, x.miss.err(-1, "")
	}, nil
}

// follow goes along a path such as user.name or 0.id.
func follow(v value.Value, path string) (operand, error) {
	for part := range strings.SplitSeq(path, ".") {
		if v.Kind() == value.KindSecret {
			return operand{}, errSecret()
		}
		index := value.String(part)
		if i, err := strconv.Atoi(part); err == nil && v.Kind() != value.KindObject {
			index = value.Int(int64(i))
		}
		next, ok := lookIn(v, index)
		if !ok {
			m := &missing{what: "the attribute " + strconv.Quote(path) + " of an element", key: part}
			if v.Kind() == value.KindObject {
				m.known = v.Keys
			}
			return operand{miss: m}, nil
		}
		v = next
	}
	return of(v), nil
}

// sortKey is attributeKey, with letters folded unless case counts.
func sortKey(a Args) (keyFunc, error) {
	key, err := attributeKey(a, nil)
	if err != nil || a.Truth("case_sensitive") {
		return key, err
	}
	return func(v value.Value) (value.Value, error) {
		k, err := key(v)
		return folded(k), err
	}, nil
}

func sortFilter(e *env, in value.Value, a Args) (operand, error) {
	items, err := elements(in)
	if err != nil {
		return operand{}, err
	}
	// Stable sorts by the last attribute first give the order by all.
	names := strings.Split(a.Value("attribute").Text(), ",")
	for i := len(names) - 1; i >= 0; i-- {
		b := a
		if len(names) > 1 {
			b.vals = append([]value.Value(nil), a.vals...)
			b.vals[a.params.find("attribute")] = value.String(strings.TrimSpace(names[i]))
		}
		key, err := sortKey(b)
		if err != nil {
			return operand{}, err
		}
		if items, err = e.sorted(items, key, a.Truth("reverse")); err != nil {
			return operand{}, err
		}
	}
	return of(value.List(items...)), nil
}

func dictSort(e *env, in value.Value, a Args) (operand, error) {
	if in.Kind() != value.KindObject {
		return operand{}, failf("dictsort needs an object, not %s", aKind(in))
	}
	by, at := a.Value("by").Text(), 0
	switch by {
	case "key":
	case "value":
		at = 1
	default:
		return operand{}, failf("the argument by must be key or value, not %q", by).
			withHint("%s", diag.DidYouMean(by, []string{"key", "value"}))
	}
	key := func(pair value.Value) (value.Value, error) {
		if a.Truth("case_sensitive") {
			return pair.Index(at), nil
		}
		return folded(pair.Index(at)), nil
	}
	pairs, err := e.sorted(mustElements(pairsOf(in)), key, a.Truth("reverse"))
	return of(value.List(pairs...)), err
}

func unique(e *env, in value.Value, a Args) (operand, error) {
	items, err := elements(in)
	if err != nil {
		return operand{}, err
	}
	key, err := sortKey(a)
	if err != nil {
		return operand{}, err
	}
	seen := map[string]bool{}
	var out []value.Value
	for _, item := range items {
		k, err := key(item)
		if err != nil {
			return operand{}, err
		}
		id, err := e.identity(k)
		if err != nil {
			return operand{}, err
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, item)
		}
	}
	return of(value.List(out...)), nil
}

// identity is a text that equal values share: 1, 1.0 and true do.
func (e *env) identity(v value.Value) (string, error) {
	v = asInteger(v)
	if f, ok := v.AsFloat(); ok && v.Kind() == value.KindFloat {
		if i, err := truncated(f, Args{params: &params{}}); err == nil && compareNumbers(i, v) == 0 {
			v = i
		}
	}
	s, err := jsonText(v, -1)
	if err != nil {
		return "", err
	}
	return s, e.tick(1 + len(s)/64)
}

func groupBy(e *env, in value.Value, a Args) (operand, error) {
	items, err := elements(in)
	if err != nil {
		return operand{}, err
	}
	var def *value.Value
	if a.Has("default") {
		d := a.Value("default")
		def = &d
	}
	key, err := attributeKey(a, def)
	if err != nil {
		return operand{}, err
	}
	fold := func(v value.Value) (value.Value, error) {
		k, err := key(v)
		if err == nil && !a.Truth("case_sensitive") {
			k = folded(k)
		}
		return k, err
	}
	if items, err = e.sorted(items, fold, false); err != nil {
		return operand{}, err
	}
	return e.grouped(items, key, fold)
}

// grouped splits sorted items where their key changes.
func (e *env) grouped(items []value.Value, key, fold keyFunc) (operand, error) {
	var groups []value.Value
	for start := 0; start < len(items); {
		first, err := fold(items[start])
		if err != nil {
			return operand{}, err
		}
		end := start + 1
		for ; end < len(items); end++ {
			k, err := fold(items[end])
			if err != nil {
				return operand{}, err
			}
			if eq, err := e.equal(first, k); err != nil {
				return operand{}, err
			} else if !eq {
				break
			}
		}
		name, err := key(items[start])
		if err != nil {
			return operand{}, err
		}
		groups = append(groups, value.Object(value.M("grouper", name), value.M("list", value.List(items[start:end:end]...))))
		start = end
	}
	return of(value.List(groups...)), nil
}

// extreme is min (sign -1) or max (1).
func extreme(which string, sign int) func(*env, value.Value, Args) (operand, error) {
	return func(e *env, in value.Value, a Args) (operand, error) {
		items, err := elements(in)
		if err != nil {
			return operand{}, err
		}
		key, err := sortKey(a)
		if err != nil {
			return operand{}, err
		}
		best := operand{miss: &missing{what: "the " + which + " element of what is empty"}}
		var bestKey value.Value
		for i, item := range items {
			k, err := key(item)
			if err != nil {
				return operand{}, err
			}
			c := sign
			if i > 0 {
				if c, err = e.order(k, bestKey); err != nil {
					return operand{}, err
				}
			}
			if c*sign > 0 {
				best, bestKey = of(item), k
			}
		}
		return best, nil
	}
}

func sum(e *env, in value.Value, a Args) (operand, error) {
	items, err := elements(in)
	if err != nil {
		return operand{}, err
	}
	key, err := attributeKey(a, nil)
	if err != nil {
		return operand{}, err
	}
	total := a.Value("start")
	for _, item := range items {
		k, err := key(item)
		if err != nil {
			return operand{}, err
		}
		if total, err = arithmetic("+", total, k); err != nil {
			return operand{}, err
		}
		if err := e.made(total); err != nil {
			return operand{}, err
		}
	}
	return of(total), nil
}
