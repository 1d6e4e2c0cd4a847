package actions

import (
	"maps"
	"slices"
	"sync"

	"github.com/tea-agents/tea/value"
)

// Scratch holds values for the length of one run. The zero Scratch is empty and
// ready; it is safe for concurrent use and must not be copied.
type Scratch struct {
	mu     sync.RWMutex
	values map[string]value.Value
}

// Get returns the value under key, and whether there is one.
func (s *Scratch) Get(key string) (value.Value, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.values[key]
	return v, ok
}

// Set puts v under key.
func (s *Scratch) Set(key string, v value.Value) {
	s.Update(key, func(value.Value, bool) (value.Value, bool) { return v, true })
}

// Delete removes what is under key, and tells whether there was anything.
func (s *Scratch) Delete(key string) bool {
	had := false
	s.Update(key, func(_ value.Value, ok bool) (value.Value, bool) {
		had = ok
		return value.Null(), false
	})
	return had
}

// Update replaces the value under key in one step: f gets the old one and
// whether there is one, and returns the new one and whether to keep it. f must
// not use the Scratch.
func (s *Scratch) Update(key string, f func(old value.Value, ok bool) (value.Value, bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.values[key]
	v, keep := f(old, ok)
	if !keep {
		delete(s.values, key)
		return
	}
	if s.values == nil {
		s.values = map[string]value.Value{}
	}
	s.values[key] = v
}

// Keys returns all keys, sorted.
func (s *Scratch) Keys() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.values))
}
