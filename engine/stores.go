package engine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
)

// stores are the memories of an engine, each with the cache on it, which all
// runs share. They open on first use.
type stores struct {
	options *Options
	known   func(action string) bool

	mu    sync.Mutex
	byURL map[string]*store
	own   *store // on Options.Memory, or on none
}

// store is a memory with the caches on it.
type store struct {
	memory  *ltm.Memory // nil: there is none
	cache   *cache.Cache
	answers *llmcache.Cache
}

func (s *store) close() error { return errors.Join(s.answers.Close(), s.cache.Close()) }

func (s *stores) init(o *Options, known func(action string) bool) {
	s.options, s.known = o, known
	s.byURL = map[string]*store{}
	s.own = s.on(o.Memory)
}

// on returns the store on a memory, which may be nil.
func (s *stores) on(m *ltm.Memory) *store {
	return &store{
		memory: m,
		cache: cache.New(m, &cache.Options{
			Now: s.options.Clock.Now, Rand: s.options.Rand, Log: s.options.Log, Known: s.known,
		}),
		answers: llmcache.New(m, &llmcache.Options{Log: s.options.Log}),
	}
}

// url returns where an agent's memory is; "" is nowhere.
func (s *stores) url(g *graph.Graph) string {
	for _, url := range []string{s.options.LTM, g.Settings.LTM, s.options.DefaultLTM} {
		if url != "" {
			return url
		}
	}
	return ""
}

// of returns the store of an agent, which need not be open. The error is a
// configuration that cannot work.
func (s *stores) of(g *graph.Graph) (*store, error) {
	url := s.url(g)
	if s.options.Memory != nil || url == "" {
		return s.own, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.byURL[url]; st != nil {
		return st, nil
	}
	if s.options.Open == nil {
		return nil, configError("the memory %s cannot be opened: this engine opens none", url)
	}
	m, err := s.options.Open(url, &ltm.Options{Now: s.options.Clock.Now})
	if err != nil {
		return nil, err
	}
	s.byURL[url] = s.on(m)
	return s.byURL[url], nil
}

// close closes the caches, and the memories that are not the caller's.
func (s *stores) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := []error{s.own.close()}
	for url, st := range s.byURL {
		errs = append(errs, st.close())
		if err := st.memory.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing the memory: %w", err))
		}
		delete(s.byURL, url)
	}
	return errors.Join(errs...)
}
