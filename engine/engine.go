package engine

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/blob"
)

// Engine loads agents and starts runs. It is safe for concurrent use.
type Engine struct {
	options  Options
	registry *actions.Registry
	filters  *filters.Set
	storage  *blob.Storage
	stores   stores
	models   map[string]actions.Action // those that ask a model, by name
	ownHTTP  bool                      // whether the HTTP client is the engine's to close
}

// New returns an engine. The error names every action and filter that is
// malformed or declared twice, and every option that makes no sense.
func New(o *Options) (*Engine, error) {
	e := &Engine{options: o.withDefaults(), ownHTTP: o == nil || o.HTTP == nil}
	var bad, badFilters error
	e.registry, bad = actions.NewRegistry(e.options.Actions...)
	e.filters, badFilters = filters.NewSet(e.options.Filters...)
	_, badMode := parseModes(e.options.Cache, e.options.DefaultCache)
	_, badLLM := parseLLMModes(e.options.LLMCache, e.options.DefaultLLMCache)
	if err := errors.Join(bad, badFilters, badMode, badLLM); err != nil {
		return nil, err
	}
	e.models = models(e.registry)
	e.storage = blob.New(&blob.Options{HTTP: e.options.HTTP})
	e.stores.init(&e.options, func(action string) bool {
		_, ok := e.registry.Lookup(action)
		return ok
	})
	return e, nil
}

// Registry returns the engine's actions.
func (e *Engine) Registry() *actions.Registry { return e.registry }

// Close closes what the engine has opened. It is to be called when all runs
// have ended; a cleanup of the cache under way gets a second to end.
func (e *Engine) Close() error {
	if e.ownHTTP {
		e.options.HTTP.CloseIdleConnections()
	}
	return errors.Join(e.stores.close(), e.storage.Close())
}

// Load reads and compiles the agent in the file at path. What is wrong with
// the agent is a diag.List with every problem and its place.
func (e *Engine) Load(path string) (*Agent, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return e.LoadBytes(path, src)
}

// LoadBytes compiles an agent from the text of a file called name, which need
// not exist.
func (e *Engine) LoadBytes(name string, src []byte) (*Agent, error) {
	document, problems := spec.Parse(name, src)
	if document == nil {
		return nil, problems
	}
	g, found := graph.Compile(document, graph.Options{
		Registry: e.registry, Filters: e.filters, Env: e.options.Getenv, Code: compileCode,
	})
	problems = append(problems, found...)
	problems.Sort()
	if problems.HasErrors() {
		return nil, problems
	}
	return newAgent(g, slices.DeleteFunc(problems, isError)), nil
}

// CheckStores tells whether the stores that an agent's settings name can be opened,
// as far as their URLs tell, which touches none of them: a run says the same as it
// starts. What another program has (ltm.ErrElsewhere) is no mistake of theirs.
func (e *Engine) CheckStores(a *Agent) error { return e.stores.check(a.graph) }

// absolute returns the absolute form of a path, or the path when there is none.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
