package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
)

// openTimeout is how long opening a memory may take.
const openTimeout = 10 * time.Second

// stores are the memories that an engine has open, each with the cache on it,
// which all runs share. They open on first use.
type stores struct {
	options *Options
	known   func(action string) bool

	mu     sync.Mutex
	opened map[string]*store // by URL
	own    *store            // on Options.Memory, or on none
}

// store is a memory with the cache on it.
type store struct {
	memory *ltm.Memory // nil: there is none
	cache  *cache.Cache
}

func (s *stores) init(o *Options, known func(action string) bool) {
	s.options, s.known = o, known
	s.opened = map[string]*store{}
	s.own = s.on(o.Memory)
}

// on returns the store on a memory, which may be nil.
func (s *stores) on(m *ltm.Memory) *store {
	return &store{memory: m, cache: cache.New(m, &cache.Options{
		Now: s.options.Clock.Now, Rand: s.options.Rand, Log: s.options.Log, Known: s.known,
	})}
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

// of returns the store of an agent. A configuration that cannot work is an
// error. A store that cannot be reached now is none: what is returned then
// fails each of its calls and is not kept, so that the next run tries again.
func (s *stores) of(ctx context.Context, g *graph.Graph) (*store, error) {
	url := s.url(g)
	if s.options.Memory != nil || url == "" {
		return s.own, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.opened[url]; st != nil {
		return st, nil
	}
	if s.options.Open == nil {
		return nil, configError("the memory %s cannot be opened: this engine opens none", url)
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	m, err := s.options.Open(ctx, url, &ltm.Options{Now: s.options.Clock.Now})
	switch {
	case errors.Is(err, ltm.ErrConfig):
		return nil, err
	case err != nil:
		return s.on(ltm.New(unreachable{err}, nil)), nil
	}
	s.opened[url] = s.on(m)
	return s.opened[url], nil
}

// close closes the caches, and the memories that the engine has opened.
func (s *stores) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := []error{s.own.cache.Close()}
	for url, st := range s.opened {
		errs = append(errs, st.cache.Close())
		if err := st.memory.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing the memory: %w", err))
		}
		delete(s.opened, url)
	}
	return errors.Join(errs...)
}
