package engine

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
)

// stores are the memories of an engine and the caches on them, which all runs
// share. They open on first use.
type stores struct {
	options *Options
	known   func(action string) bool

	mu       sync.Mutex
	memories map[place]*ltm.Memory // that the engine opened
	caches   map[*ltm.Memory]caches
}

// place is where a memory is.
type place struct {
	url        string
	disposable bool // it holds results and answers only
}

// caches are those on one memory.
type caches struct {
	results *cache.Cache
	answers *llmcache.Cache
}

// store is what an agent remembers with.
type store struct {
	memory *ltm.Memory // nil: there is none
	caches             // on that memory, or on another one
}

func (s *stores) init(o *Options, known func(action string) bool) {
	s.options, s.known = o, known
	s.memories, s.caches = map[place]*ltm.Memory{}, map[*ltm.Memory]caches{}
}

// of returns the store of an agent, which need not be open. The error is a
// configuration that cannot work.
func (s *stores) of(g *graph.Graph) (store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.options.Memory; m != nil {
		return store{m, s.on(m)}, nil
	}
	own := &g.Settings
	where := place{url: cmp.Or(s.options.LTM, own.LTM, s.options.DefaultLTM)}
	memory, err := s.memory(where)
	if err != nil {
		return store{}, placed(err, where.url == own.LTM, own.Places.LTM)
	}
	apart := place{url: cmp.Or(own.Whole.Store, s.options.DefaultCacheStore), disposable: true}
	if apart.url == "" || apart.url == where.url {
		return store{memory, s.on(memory)}, nil
	}
	kept, err := s.memory(apart)
	if err != nil {
		return store{}, placed(err, apart.url == own.Whole.Store, own.Places.CacheStore)
	}
	return store{memory, s.on(kept)}, nil
}

// check tells whether the stores that an agent's settings name can be opened, as
// far as their URLs tell.
func (s *stores) check(g *graph.Graph) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Memory != nil || s.options.Open == nil {
		return nil
	}
	own := &g.Settings
	memory := place{url: own.LTM}
	if s.options.LTM != "" { // it takes the place of the agent's
		memory.url = ""
	}
	return errors.Join(s.checkOne(memory, own.Places.LTM),
		s.checkOne(place{url: own.Whole.Store, disposable: true}, own.Places.CacheStore))
}

// checkOne is check of the store that is written at a place in the agent's file.
func (s *stores) checkOne(p place, at diag.Pos) error {
	_, err := s.memory(p)
	if errors.Is(err, ltm.ErrElsewhere) {
		return nil
	}
	return placed(err, true, at)
}

// placed says where in the agent's file stands what an error is about, if it does.
func placed(err error, written bool, at diag.Pos) error {
	if err == nil || !written || at.Line == 0 {
		return err
	}
	return fmt.Errorf("%s: %w", at, err)
}

// memory returns the memory at a place; nil: there is none.
func (s *stores) memory(p place) (*ltm.Memory, error) {
	if m := s.memories[p]; m != nil || p.url == "" {
		return m, nil
	}
	if s.options.Open == nil {
		return nil, configError("the memory %s cannot be opened: this engine opens none", p.url)
	}
	m, err := s.options.Open(p.url, &ltm.Options{
		Now: s.options.Clock.Now, Getenv: s.options.Getenv,
		Disposable: p.disposable, Warn: func(text string) { s.options.Log.Warn("cache: " + text) },
	})
	if err != nil {
		return nil, err
	}
	s.memories[p] = m
	return m, nil
}

// on returns the caches on a memory, which may be nil.
func (s *stores) on(m *ltm.Memory) caches {
	c, ok := s.caches[m]
	if !ok {
		c = caches{
			results: cache.New(m, &cache.Options{
				Now: s.options.Clock.Now, Rand: s.options.Rand, Log: s.options.Log, Known: s.known,
			}),
			answers: llmcache.New(m, &llmcache.Options{Log: s.options.Log}),
		}
		s.caches[m] = c
	}
	return c
}

// close closes the caches, and the memories that are not the caller's.
func (s *stores) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, c := range s.caches {
		errs = append(errs, c.answers.Close(), c.results.Close())
	}
	for _, m := range s.memories {
		if err := m.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing the memory: %w", err))
		}
	}
	clear(s.caches)
	clear(s.memories)
	return errors.Join(errs...)
}
