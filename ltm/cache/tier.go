package cache

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/tea-agents/tea/ltm"
)

// tier keeps the entries that were read last, decoded, in memory. What it
// returns is what the store would: it is used only for as long as the store's
// change counter stays the same. Reading an entry of 1 KB from SQLite takes
// several times as long as asking for that counter.
type tier struct {
	limit int64 // of bytes

	mu    sync.Mutex
	byKey map[Key]*list.Element // of *kept
	order list.List             // the last used one in front
	bytes int64
}

// kept is one entry in the tier.
type kept struct {
	key      Key
	entry    *ltm.Entry
	revision int64 // of the store, before the entry was read
}

// DefaultMemoryBytes is how much a Cache keeps in memory.
const DefaultMemoryBytes = 32 << 20

// overhead stands for what an entry takes beside its value.
const overhead = 2 << 10

func (k *kept) size() int64 { return k.entry.Size + overhead }

// get returns the entry under a key as it is at that revision of the store, or
// nil.
func (t *tier) get(k Key, revision int64) *ltm.Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.byKey[k]
	if !ok {
		return nil
	}
	found, _ := e.Value.(*kept)
	if found.revision != revision {
		t.drop(e)
		return nil
	}
	t.order.MoveToFront(e)
	return found.entry
}

// put keeps an entry that was read at that revision of the store.
func (t *tier) put(k Key, revision int64, entry *ltm.Entry) {
	fresh := &kept{key: k, entry: entry, revision: revision}
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.byKey[k]; ok {
		t.drop(old)
	}
	if fresh.size() > t.limit {
		return
	}
	if t.byKey == nil {
		t.byKey = map[Key]*list.Element{}
	}
	t.byKey[k] = t.order.PushFront(fresh)
	t.bytes += fresh.size()
	for t.bytes > t.limit {
		t.drop(t.order.Back())
	}
}

func (t *tier) drop(e *list.Element) {
	gone, _ := t.order.Remove(e).(*kept)
	delete(t.byKey, gone.key)
	t.bytes -= gone.size()
}

// recall returns the entry under a key from memory if nothing in the store has
// changed, else from the store.
func (c *Cache) recall(ctx context.Context, k Key) (*ltm.Entry, error) {
	if c.tier.limit < 0 {
		return c.fetch(ctx, k)
	}
	revision, err := c.shelf.revision(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		return c.fetch(ctx, k)
	}
	if err != nil {
		return nil, err
	}
	if e := c.tier.get(k, revision); e != nil {
		return e, nil
	}
	e, err := c.fetch(ctx, k)
	if err == nil && e != nil {
		c.tier.put(k, revision, e)
	}
	return e, err
}
