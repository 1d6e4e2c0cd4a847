package cassette

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// normalizer is one declared step that makes requests alike before they are
// hashed.
type normalizer struct {
	text   func(string) string   // of every string, or nil
	float  func(float64) float64 // of every float, or nil
	remove []string              // the path that is dropped, or nil
}

func normalizerNames() []string {
	return []string{"trim_space", "collapse_space", "lower", "round_floats", "drop"}
}

// parseNormalizers reads declarations. All that is wrong is in the error.
func parseNormalizers(declared []string) ([]normalizer, error) {
	var all []normalizer
	var errs []error
	for _, d := range declared {
		n, err := parseNormalizer(d)
		all, errs = append(all, n), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return all, nil
}

func parseNormalizer(declared string) (normalizer, error) {
	name, arg, hasArg := strings.Cut(declared, ":")
	var n normalizer
	switch name {
	case "trim_space":
		n.text = strings.TrimSpace
	case "collapse_space":
		n.text = func(s string) string { return strings.Join(strings.Fields(s), " ") }
	case "lower":
		n.text = strings.ToLower
	case "round_floats":
		digits, err := strconv.Atoi(arg)
		if err != nil || digits < 0 || digits > 15 {
			return n, fmt.Errorf("%q: round_floats takes a number of digits from 0 to 15, as in round_floats:3", declared)
		}
		n.float = func(f float64) float64 { return round(f, digits) }
		return n, nil
	case "drop":
		n.remove = strings.Split(strings.TrimPrefix(arg, "$."), ".")
		if !strings.HasPrefix(arg, "$.") || slices.Contains(n.remove, "") {
			return n, fmt.Errorf("%q: drop takes a path, as in drop:$.metadata.request_id or drop:$.messages.*.id", declared)
		}
		return n, nil
	default:
		return n, fmt.Errorf("%q is not a normaliser; %s", name, diag.DidYouMean(name, normalizerNames()))
	}
	if hasArg {
		return n, fmt.Errorf("%q: %s takes no argument", declared, name)
	}
	return n, nil
}

func round(f float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	if err != nil {
		return f
	}
	return r + 0 // no negative zero
}

// apply returns v as this step leaves it.
func (n normalizer) apply(v value.Value) value.Value {
	if n.remove != nil {
		return drop(v, n.remove)
	}
	switch v.Kind() {
	case value.KindString:
		if n.text != nil {
			return value.String(n.text(v.Text()))
		}
	case value.KindFloat:
		if f, _ := v.AsFloat(); n.float != nil && !math.IsInf(f, 0) {
			return value.Float(n.float(f))
		}
	case value.KindList, value.KindObject:
		return each(v, func(_ string, m value.Value) (value.Value, bool) { return n.apply(m), true })
	}
	return v
}

// drop removes what a path names; * is every key and every element.
func drop(v value.Value, path []string) value.Value {
	return each(v, func(key string, m value.Value) (value.Value, bool) {
		switch {
		case path[0] != "*" && path[0] != key:
			return m, true
		case len(path) == 1:
			return m, false
		default:
			return drop(m, path[1:]), true
		}
	})
}

// each returns a list or object with f applied to its parts, keyed by name or
// number; f tells whether to keep them.
func each(v value.Value, f func(key string, m value.Value) (value.Value, bool)) value.Value {
	switch v.Kind() {
	case value.KindList:
		items := make([]value.Value, 0, v.Len())
		for i, m := range v.Items() {
			if m, keep := f(strconv.Itoa(i), m); keep {
				items = append(items, m)
			}
		}
		return value.List(items...)
	case value.KindObject:
		members := make([]value.Member, 0, v.Len())
		for k, m := range v.Members() {
			if m, keep := f(k, m); keep {
				members = append(members, value.M(k, m))
			}
		}
		return value.Object(members...)
	default:
		return v
	}
}
