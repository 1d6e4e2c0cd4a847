package sqlitesql

import (
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// facetRunes is how many characters of names and texts facets have at most.
const facetRunes = 64

// maxFacetValues is how many values of a filter are looked up one by one.
const maxFacetValues = 16

// Facet is what to look for in an index of metadata: a table with the columns name,
// value, namespace and key, and a row for each text, integer and boolean in an
// entry, under the last key of its path. Names and texts are cut to their first 64
// characters, true is 1 and false is 0. So candidates may be too many, and never
// too few. One of the values is enough.
type Facet struct {
	Name   string
	Values []any
}

// Facets returns a facet for each filter of q that the index can answer.
func Facets(q *driver.Query) []Facet {
	var found []Facet
	for i := range q.Filters {
		if f, ok := facet(&q.Filters[i]); ok {
			found = append(found, f)
		}
	}
	return found
}

func facet(f *driver.Filter) (Facet, bool) {
	if _, ok := jsonPath(f.Path); !ok || len(f.Path) == 0 {
		return Facet{}, false
	}
	wanted := []value.Value{f.Value}
	switch f.Op {
	case driver.Eq:
	case driver.In:
		wanted = items(f.Value)
	default:
		return Facet{}, false
	}
	found := Facet{Name: cut(f.Path[len(f.Path)-1])}
	for _, v := range wanted {
		a, ok := plain(v)
		if !ok {
			return Facet{}, false
		}
		if s, ok := a.(string); ok {
			a = cut(s)
		}
		if !slices.Contains(found.Values, a) {
			found.Values = append(found.Values, a)
		}
	}
	return found, len(found.Values) > 0 && len(found.Values) <= maxFacetValues
}

// cut returns the beginning of a text.
func cut(s string) string {
	n := 0
	for i := range s {
		if n == facetRunes {
			return s[:i]
		}
		n++
	}
	return s
}

// Where returns the conditions for the rows of a facet in the namespaces of q; the
// index is named e.
func (f *Facet) Where(q *driver.Query) *Conditions {
	w := &Conditions{}
	w.Add("e.name = ?", f.Name)
	w.oneOf("e.value", f.Values)
	w.namespaces(q)
	return w
}
