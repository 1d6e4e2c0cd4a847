package cli

import (
	"cmp"
	"log/slog"
	"os"
	"slices"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/builtin"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/ltm"
	stores "github.com/tea-agents/tea/ltm/builtin"
)

func (a *app) engine(c choices) (*engine.Engine, error) { return engine.New(a.engineOptions(c)) }

// engineOptions puts everything together: the shipped actions and stores, the
// program's own actions and filters, the flags and the environment.
func (a *app) engineOptions(c choices) *engine.Options {
	return &engine.Options{
		Actions:           a.actions(),
		Filters:           a.options.Filters,
		Open:              a.mux().Lazy,
		LTM:               a.ltm,
		DefaultLTM:        a.memoryURL(),
		DefaultCacheStore: os.Getenv(envCacheStore),
		Cache:             c.cache,
		DefaultCache:      os.Getenv("TEA_CACHE"),
		LLMCache:          c.llmCache,
		DefaultLLMCache:   os.Getenv("TEA_LLM_CACHE_MODE"),
		Deterministic:     c.deterministic,
		Programs:          c.programs,
		Log:               slog.New(newLogHandler(a.streams.err, c.level)),
	}
}

// choices are what flags say about an engine. "" says nothing.
type choices struct {
	cache, llmCache string // modes
	deterministic   bool
	programs        []string   // that agents may start
	level           slog.Level // from where on log records are shown
}

// mux knows the shipped stores and the program's own.
func (a *app) mux() *ltm.Mux {
	m := stores.Mux()
	for _, add := range a.options.Stores {
		add(m)
	}
	return m
}

// actions are the shipped ones and the program's own.
func (a *app) actions() []actions.Action { return slices.Concat(builtin.Actions(), a.options.Actions) }

func (a *app) registry() (*actions.Registry, error) { return actions.NewRegistry(a.actions()...) }

// close closes an engine after its runs. What fails then has no effect on
// their results any more.
func (a *app) close(e *engine.Engine) {
	if err := e.Close(); err != nil {
		a.streams.say("tea: %v", err)
	}
}

// envCacheStore names a store of their own for caches.
const envCacheStore = "TEA_CACHE_STORE"

// cacheURL is where caches are: the memory, unless TEA_CACHE_STORE says
// otherwise.
func (a *app) cacheURL() string { return cmp.Or(a.ltm, os.Getenv(envCacheStore), a.memoryURL()) }

// memoryURL is where long-term memory lives: --ltm, else what the agent says
// (the engine knows), else TEA_LTM, else a file in the user's data folder. It is
// "" for a user without a home.
func (a *app) memoryURL() string {
	return cmp.Or(a.ltm, os.Getenv("TEA_LTM"), defaultMemory())
}
