package filters

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/flosch/pongo2/v6"

	"github.com/tea-agents/tea/value"
)

// Filter is one template filter, declared once: what a template may write, the
// reference and the documented example all come from here.
type Filter struct {
	Name    string // as it stands behind the bar
	Params  string // its signature, such as "(width, fill=' ')"; "" when it takes none
	Doc     string // what it does, in a sentence or two
	Example string // "template => result", which the tests run
	Nil     bool   // takes null and what is missing (as null); otherwise they are an error

	// Apply computes the filter. It gets no secret and, unless Nil is set, no
	// null; an error needs no position. It must be safe for concurrent use,
	// heed ctx when it can take long, and be pure but for what ctx carries.
	Apply func(ctx context.Context, in value.Value, args Args) (value.Value, error)

	run  func(e *env, in value.Value, args Args) (operand, error)   // instead of Apply: needs the evaluation
	open func(e *env, x operand, call *filterNode) (operand, error) // before all: takes whatever there is
}

type boundFilter struct {
	Filter
	params *params
}

// Set is a set of filters, with the tests, methods and functions that
// expressions know. It is immutable and safe for concurrent use.
type Set struct {
	filters   map[string]*boundFilter
	methods   map[string][]*method
	functions map[string]function
	tests     map[string]*jtest

	mu    sync.Mutex // guards pongo: its compiler is not safe for concurrent use
	pongo *pongo2.TemplateSet
}

// Default returns a new set of the standard filters.
func Default() *Set {
	s, err := NewSet()
	if err != nil {
		panic("filters: the standard set is broken: " + err.Error()) // a test makes sure that it is not
	}
	return s
}

// NewSet returns a set of the standard filters and extra ones. A name that is
// taken, a filter without Apply and a signature that cannot be read are errors.
func NewSet(extra ...Filter) (*Set, error) {
	s := &Set{
		filters:   map[string]*boundFilter{},
		methods:   map[string][]*method{},
		functions: map[string]function{},
		tests:     allTests(),
		pongo:     newPongo(),
	}
	for _, f := range slices.Concat(standard(), extra) {
		if err := s.add(f); err != nil {
			return nil, err
		}
	}
	for _, m := range allMethods() {
		ps, err := parseParams(s, m.signature)
		if err != nil {
			return nil, fmt.Errorf("method %s: %w", m.name, err)
		}
		m.params = ps
		s.methods[m.name] = append(s.methods[m.name], m)
	}
	for _, f := range allFunctions() {
		ps, err := parseParams(s, f.signature)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", f.name, err)
		}
		f.params = ps
		s.functions[f.name] = f
	}
	return s, nil
}

func (s *Set) add(f Filter) error {
	if _, taken := s.filters[f.Name]; taken {
		return fmt.Errorf("the filter %q is declared twice", f.Name)
	}
	if tokens, _, _, err := lexExpr(f.Name, 0, ""); err != nil || len(tokens) != 2 || tokens[0].kind != tokenName {
		return fmt.Errorf("%q is no name for a filter", f.Name)
	}
	if f.Apply == nil && f.run == nil && f.open == nil {
		return fmt.Errorf("the filter %q has no Apply", f.Name)
	}
	ps, err := parseParams(s, f.Params)
	if err != nil {
		return fmt.Errorf("filter %q: %w", f.Name, err)
	}
	s.filters[f.Name] = &boundFilter{Filter: f, params: ps}
	return nil
}

// Filters returns all filters of the set, sorted by name.
func (s *Set) Filters() []Filter {
	out := make([]Filter, 0, len(s.filters))
	for _, f := range s.filters {
		out = append(out, f.Filter)
	}
	slices.SortFunc(out, func(a, b Filter) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// standard are the filters of every set.
func standard() []Filter {
	return slices.Concat(
		defaultFilters(), textFilters(), wrapFilters(), numberFilters(), listFilters(), sortFilters(),
		selectFilters(), jsonFilters(), hashFilters(), encodingFilters(), regexFilters(), storageFilters(),
	)
}

// alias is f under another name.
func alias(name string, f Filter) Filter {
	f.Name, f.Doc = name, "The same as "+f.Name+"."
	f.Example = ""
	return f
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
