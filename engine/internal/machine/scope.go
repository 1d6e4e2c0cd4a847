package machine

import (
	"slices"

	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

// Names returns what the templates of g see besides the state: variables,
// secrets (as references), settings and env.
func Names(g *graph.Graph) filters.MapScope {
	secrets := make(map[string]value.Value, len(g.Secrets))
	for _, name := range g.Secrets {
		secrets[name] = value.Secret(name)
	}
	return filters.MapScope{
		"variables": object(g.Variables),
		"secrets":   value.Map(secrets),
		"settings":  object(g.Settings.Values),
		"env":       object(g.Environ),
		// Names of the language that nothing fills yet.
		"checkpoint": value.Object(),
		"data":       value.Object(),
	}
}

// object reads a null as an empty object.
func object(v value.Value) value.Value {
	if v.IsNull() {
		return value.Object()
	}
	return v
}

// Scope is what a template sees: the state, the names of the graph, and one
// name more.
type Scope struct {
	names filters.MapScope
	state value.Value
	name  string
	extra value.Value
}

// NewScope returns the scope of a graph with the given names on a state.
func NewScope(names filters.MapScope, state value.Value) Scope {
	return Scope{names: names, state: state}
}

// With returns the scope in which name holds v.
func (s Scope) With(name string, v value.Value) Scope {
	s.name, s.extra = name, v
	return s
}

// Lookup implements filters.Scope.
func (s Scope) Lookup(name string) (value.Value, bool) {
	switch {
	case name == "state":
		return s.state, true
	case name == s.name && name != "":
		return s.extra, true
	default:
		return s.names.Lookup(name)
	}
}

// Names lists the names in scope, sorted, for errors about unknown ones.
func (s Scope) Names() []string {
	names := append(s.names.Names(), "state")
	if s.name != "" {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}

func (m *Machine) scope() Scope { return NewScope(m.names, m.state.value) }
