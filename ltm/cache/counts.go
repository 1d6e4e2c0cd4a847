package cache

import "sync"

// counts are how often calls ended with each status.
type counts struct {
	mu sync.Mutex
	by map[Status]int64
}

func (c *counts) add(s Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[Status]int64{}
	}
	c.by[s]++
}

func (c *counts) snapshot() map[Status]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[Status]int64, len(c.by))
	for s, n := range c.by {
		all[s] = n
	}
	return all
}
