package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/cache"
)

// Agent is a compiled agent. It is immutable and safe for concurrent use, by
// any number of runs of the engine that loaded it.
type Agent struct {
	graph     *graph.Graph
	names     filters.MapScope
	warnings  diag.List
	namespace string // of cache keys
	id        string // tells agents without a name apart; "" for those with one
}

func newAgent(g *graph.Graph, warnings diag.List) *Agent {
	a := &Agent{graph: g, names: machine.Names(g), warnings: warnings}
	path := absolute(g.File)
	a.namespace = cache.DefaultNamespace(g.Source.Name.Value, path)
	if g.Source.Name.IsZero() {
		sum := sha256.Sum256([]byte(path))
		a.id = hex.EncodeToString(sum[:])
	}
	return a
}

// Name returns the agent's name, else its file's base name.
func (a *Agent) Name() string { return a.graph.Name }

// Warnings returns what is doubtful about the agent, in the order of its file.
func (a *Agent) Warnings() diag.List { return append(diag.List(nil), a.warnings...) }

// Recording is what an agent's settings.record says about its cassettes.
type Recording struct {
	Normalize   []string // for cassette.Options
	OnExhausted string   // likewise
}

// Recording returns what settings.record says.
func (a *Agent) Recording() Recording {
	r := a.graph.Settings.Record
	return Recording{Normalize: slices.Clone(r.Normalize), OnExhausted: r.OnExhausted}
}

// Nodes returns the names of the agent's nodes, in the order of its file.
func (a *Agent) Nodes() []string {
	names := make([]string, 0, len(a.graph.Nodes))
	for _, n := range a.graph.Nodes {
		if n.Name != graph.StartName {
			names = append(names, n.Name)
		}
	}
	return names
}

func isError(d diag.Diagnostic) bool { return d.Severity == diag.Error }
