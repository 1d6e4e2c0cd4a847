package cache

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm"
)

const (
	// touchEvery is how often at most it is noted that an entry was read.
	touchEvery = time.Minute
	// mostTouches is of how many entries in that time; it matters little which.
	mostTouches = 1 << 14
)

// touches are the entries that were read, gathered until that is noted in the
// store. The zero touches is ready.
type touches struct {
	mu     sync.Mutex
	keys   map[Key]struct{}
	timer  *time.Timer // runs while there are keys
	closed bool
}

// touch notes that an entry was read, for the quota.
func (c *Cache) touch(l *call, e *ltm.Entry, now time.Time) {
	if l.req.Quota == (ltm.Quota{}) || now.Sub(e.AccessedAt) < touchEvery {
		return
	}
	t := &c.touches
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.keys[l.id.key]; known || t.closed || len(t.keys) >= mostTouches {
		return
	}
	if t.keys == nil {
		t.keys = map[Key]struct{}{}
		t.timer = time.AfterFunc(touchEvery, c.writeTouches)
	}
	t.keys[l.id.key] = struct{}{}
}

// take returns what was gathered, by namespace, and leaves nothing.
func (t *touches) take(last bool) map[string][]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.closed = t.closed || last
	taken := map[string][]string{}
	for k := range t.keys {
		taken[k.Namespace] = append(taken[k.Namespace], k.inNamespace())
	}
	t.keys, t.timer = nil, nil
	return taken
}

// writeTouches notes in the store what was gathered, in the background.
func (c *Cache) writeTouches() { c.flushTouches(false) }

func (c *Cache) flushTouches(last bool) {
	taken := c.touches.take(last)
	if len(taken) == 0 || c.stop.Err() != nil || !c.writes.allows() {
		return
	}
	c.inBackground(context.Background(), func(ctx context.Context) {
		for namespace, keys := range taken {
			m, err := c.shelf.in(namespace)
			for batch := range slices.Chunk(keys, pageSize) {
				if err == nil {
					err = m.Touch(ctx, batch...)
				}
			}
			if err != nil { // entries will be taken for older than they are
				c.log.Debug("cache: it was not noted which entries were read", "error", err)
				return
			}
		}
	})
}
