package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// DefaultMaxBytes is how much all entries may take where nothing else is said.
const DefaultMaxBytes = 2 << 30

// quotaEvery is how often at most all entries are counted, as long as nothing
// says that there are too many.
const quotaEvery = time.Minute

// usage is what the cache holds, as far as it is known: what was counted, by
// whatever process, and what this one stored since.
type usage struct {
	mu             sync.Mutex
	counted        time.Time // zero: never
	entries, bytes int64
	busy           bool
}

// exceeds tells whether there is more than a quota allows.
func exceeds(q ltm.Quota, entries, bytes int64) bool {
	return q.MaxEntries > 0 && entries > q.MaxEntries || q.MaxBytes > 0 && bytes > q.MaxBytes
}

// stored sees to the quota after an entry of that size was stored, in the
// background.
func (c *Cache) stored(ctx context.Context, q ltm.Quota, size int) {
	if q == (ltm.Quota{}) {
		return
	}
	u := &c.usage
	now := c.now()
	u.mu.Lock()
	u.entries++
	u.bytes += int64(size)
	due := !u.busy && (now.Sub(u.counted) >= quotaEvery || exceeds(q, u.entries, u.bytes))
	u.busy = u.busy || due
	u.mu.Unlock()
	if !due {
		return
	}
	c.inBackground(ctx, writeLimit, func(ctx context.Context) {
		defer u.done()
		if !c.writes.allows() {
			return
		}
		err := c.enforce(ctx, q, now)
		c.writes.report(err == nil)
		if err != nil && !errors.Is(err, ltm.ErrReadOnly) && ctx.Err() == nil {
			c.log.Warn("cache: the quota could not be enforced", "error", err)
		}
	})
}

func (u *usage) done() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.busy = false
}

func (u *usage) set(entries, bytes int64, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.entries, u.bytes, u.counted = entries, bytes, at
}

// fits tells whether what is known is no reason to count.
func (u *usage) fits(q ltm.Quota, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return now.Sub(u.counted) < quotaEvery && !exceeds(q, u.entries, u.bytes)
}

// enforce counts all entries, unless another process has just done so, and
// deletes some when there are too many: a tenth more than needed, so that not
// every store has to.
func (c *Cache) enforce(ctx context.Context, q ltm.Quota, now time.Time) error {
	m, err := c.shelf.in(Shared)
	if err != nil {
		return err
	}
	if c.recallUsage(ctx, m); c.usage.fits(q, now) {
		return nil
	}
	counts, err := m.Stats(ctx)
	if err != nil {
		return err
	}
	var entries, bytes int64
	for _, n := range counts {
		entries += n.Entries
		bytes += n.Bytes
	}
	if exceeds(q, entries, bytes) {
		if err := c.shelf.renewMAC(ctx, m); err != nil {
			return err
		}
		t, err := m.Trim(ctx, ltm.Quota{
			MaxEntries: q.MaxEntries - q.MaxEntries/10, MaxBytes: q.MaxBytes - q.MaxBytes/10,
		})
		if err != nil {
			return err
		}
		entries, bytes = t.LeftEntries, t.LeftBytes
	}
	c.usage.set(entries, bytes, now)
	return noteUsage(ctx, m, entries, bytes, now)
}

// usageName is the key of what was counted last. It has no colon in it, so no
// entry has that key.
const usageName = "usage"

// recallUsage takes over what another process has counted later.
func (c *Cache) recallUsage(ctx context.Context, m *ltm.Memory) {
	e, err := m.Get(ctx, usageName)
	if err != nil {
		return // it will be counted
	}
	ms, _ := e.Value.At("counted_ms").AsInt()
	entries, _ := e.Value.At("entries").AsInt()
	bytes, _ := e.Value.At("bytes").AsInt()
	at := time.UnixMilli(ms)
	u := &c.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if at.After(u.counted) && !at.After(c.now()) {
		u.counted, u.entries, u.bytes = at, entries, bytes
	}
}

func noteUsage(ctx context.Context, m *ltm.Memory, entries, bytes int64, now time.Time) error {
	_, err := m.Put(ctx, usageName, value.Object(
		value.M("counted_ms", value.Int(now.UnixMilli())),
		value.M("entries", value.Int(entries)),
		value.M("bytes", value.Int(bytes)),
	), nil)
	return err
}

// renewMAC stores the key for digests of secrets once more, if there is one, so
// that it is not the least recently used.
func (s shelf) renewMAC(ctx context.Context, m *ltm.Memory) error {
	e, err := m.Get(ctx, macName)
	if errors.Is(err, ltm.ErrNotFound) || errors.Is(err, ltm.ErrCorrupt) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = m.Put(ctx, macName, e.Value, &ltm.PutOptions{IfRevision: e.Revision})
	if errors.Is(err, ltm.ErrConflict) {
		return nil // another process did
	}
	return err
}
