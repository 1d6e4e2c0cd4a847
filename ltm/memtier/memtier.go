// Package memtier keeps what was read of a store in the process's memory for a
// while, so that reading it again asks nobody.
package memtier

import (
	"bytes"
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/front"
)

// What Options are when they say nothing else.
const (
	DefaultMaxBytes     = 64 << 20
	DefaultMaxStaleness = 5 * time.Second
)

// Options are the choices of New. A nil *Options is all defaults.
type Options struct {
	MaxBytes int64 // of memory, about; 0 is DefaultMaxBytes
	// MaxStaleness is how long after another process has changed a record the
	// old one may still be returned; 0 is DefaultMaxStaleness. What this
	// process changes is seen at once.
	MaxStaleness time.Duration
	Now          func() time.Time // nil is the system's clock
}

// New returns a store that keeps copies of what is read from s. It owns s from
// now on. A copy keeps its expiry: it is as expired as the record.
func New(s driver.Store, o *Options) driver.Store {
	c := &copies{limit: DefaultMaxBytes, fresh: DefaultMaxStaleness, entries: map[driver.Key]*list.Element{}}
	c.now = time.Now //nolint:forbidigo // the default of an injected clock
	if o != nil && o.MaxBytes > 0 {
		c.limit = o.MaxBytes
	}
	if o != nil && o.MaxStaleness > 0 {
		c.fresh = o.MaxStaleness
	}
	if o != nil && o.Now != nil {
		c.now = o.Now
	}
	return front.New(s, c)
}

// copies are the most recently used records.
type copies struct {
	now   func() time.Time
	limit int64
	fresh time.Duration

	mu      sync.Mutex
	entries map[driver.Key]*list.Element // of *entry
	used    list.List                    // the most recently used first
	size    int64
}

type entry struct {
	driver.Record
	until time.Time // when it is too old
}

// overhead is about what an entry takes besides its texts.
const overhead = 400

func (e *entry) cost() int64 {
	return int64(len(e.Value)+len(e.Metadata)+2*len(e.Key.Namespace)+2*len(e.Key.Key)) + overhead
}

// Get implements front.Copies. Nobody else has copies here: there is no time to
// be told of.
func (c *copies) Get(_ context.Context, key driver.Key) (r driver.Record, since int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.entries[key]
	if !ok {
		return r, 0, false
	}
	e := at.Value.(*entry)
	if !c.now().Before(e.until) {
		c.remove(at)
		return r, 0, false
	}
	c.used.MoveToFront(at)
	return cloned(e.Record), 0, true
}

func cloned(r driver.Record) driver.Record {
	r.Value, r.Metadata = bytes.Clone(r.Value), bytes.Clone(r.Metadata)
	return r
}

// Put implements front.Copies.
func (c *copies) Put(_ context.Context, r driver.Record, _ int64) {
	e := &entry{cloned(r), c.now().Add(c.fresh)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[r.Key]; ok {
		c.remove(old)
	}
	if e.cost() > c.limit/4 {
		return // it would drive out too much
	}
	c.entries[r.Key] = c.used.PushFront(e)
	c.size += e.cost()
	for c.size > c.limit {
		c.remove(c.used.Back())
	}
}

// remove forgets an entry. The caller holds the lock.
func (c *copies) remove(at *list.Element) {
	e := c.used.Remove(at).(*entry)
	delete(c.entries, e.Key)
	c.size -= e.cost()
}

// Drop implements front.Copies.
func (c *copies) Drop(_ context.Context, keys ...driver.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		if at, ok := c.entries[key]; ok {
			c.remove(at)
		}
	}
}

// DropExpired implements front.Copies.
func (c *copies) DropExpired(_ context.Context, space driver.Space, now int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, at := range c.entries {
		if key.Space == space && at.Value.(*entry).Expired(now) {
			c.remove(at)
		}
	}
}

// Close implements front.Copies.
func (c *copies) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.size = nil, 0
	c.used.Init()
	c.limit = 0 // what comes now is not kept
	return nil
}
