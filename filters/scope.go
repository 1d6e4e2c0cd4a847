package filters

import (
	"maps"
	"slices"

	"github.com/tea-agents/tea/value"
)

// Scope gives names their values. Lookup must be safe for concurrent use when
// templates are rendered concurrently, and cheap: it is called for every use
// of a name. A Scope that also has a method Names() []string is asked for its
// names when one is unknown, to say which was meant.
type Scope interface {
	Lookup(name string) (v value.Value, ok bool)
}

// MapScope is a Scope made of a map. A nil map has no names.
type MapScope map[string]value.Value

// Lookup returns the value of name, and whether there is one.
func (m MapScope) Lookup(name string) (value.Value, bool) {
	v, ok := m[name]
	return v, ok
}

// Names returns the names, sorted.
func (m MapScope) Names() []string { return slices.Sorted(maps.Keys(m)) }

func scopeNames(s Scope) []string {
	if n, ok := s.(interface{ Names() []string }); ok {
		return n.Names()
	}
	return nil
}
