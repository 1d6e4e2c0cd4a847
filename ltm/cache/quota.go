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
	mu      sync.Mutex
	counted time.Time // zero: never
	total   amount    // then, and what was stored since as far as it is noted
	since   amount    // what this process stored that is not in total
	busy    bool
}

// amount is how much there is of entries.
type amount struct{ entries, bytes int64 }

func (a amount) plus(b amount) amount { return amount{a.entries + b.entries, a.bytes + b.bytes} }

// exceeds tells whether it is more than a quota allows.
func (a amount) exceeds(q ltm.Quota) bool {
	return q.MaxEntries > 0 && a.entries > q.MaxEntries || q.MaxBytes > 0 && a.bytes > q.MaxBytes
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
	u.since = u.since.plus(amount{1, int64(size)})
	due := !u.busy && !u.fits(q, now)
	u.busy = u.busy || due
	u.mu.Unlock()
	if !due {
		return
	}
	c.inBackground(ctx, func(ctx context.Context) {
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

// fits tells whether what is known is no reason to count; u is locked.
func (u *usage) fits(q ltm.Quota, now time.Time) bool {
	return now.Sub(u.counted) < quotaEvery && !u.total.plus(u.since).exceeds(q)
}

// set notes what was counted.
func (u *usage) set(a amount, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.counted, u.total, u.since = at, a, amount{}
}

// adopt takes over what another process has counted later, and tells whether
// all is well. If it did take it over, the sum with what this process stored is
// the new total.
func (u *usage) adopt(a amount, at time.Time, q ltm.Quota, now time.Time) (total amount, adopted, fits bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if adopted = at.After(u.counted) && !at.After(now); adopted {
		u.counted, u.total, u.since = at, a.plus(u.since), amount{}
	}
	return u.total, adopted, u.fits(q, now)
}

// enforce counts all entries, unless another process has just done so, and
// deletes some when there are too many: a tenth more than needed, so that not
// every store has to.
func (c *Cache) enforce(ctx context.Context, q ltm.Quota, now time.Time) error {
	m, err := c.shelf.in(Shared)
	if err != nil {
		return err
	}
	noted, fits, err := c.recallUsage(ctx, m, q, now)
	if err != nil || fits {
		return err
	}
	own := noted
	mac, err := m.Get(ctx, macName)
	if err == nil {
		own++
	}
	counts, err := m.Stats(ctx)
	if err != nil {
		return err
	}
	all := amount{entries: -own}
	for _, n := range counts {
		all = all.plus(amount{n.Entries, n.Bytes})
	}
	if all.exceeds(q) {
		// What is no entry is stored once more, so that it is not the least
		// recently used.
		if _, err := m.Put(ctx, usageName, noteUsage(all, now), nil); err != nil {
			return err
		}
		own += 1 - noted
		if all, err = trim(ctx, m, q, own, mac); err != nil {
			return err
		}
	}
	c.usage.set(all, now)
	_, err = m.Put(ctx, usageName, noteUsage(all, now), nil)
	return err
}

// trim deletes entries until a tenth of the quota is free, and returns what is
// left. own is how many records are no entries; the key for digests of secrets
// may be one of them.
func trim(ctx context.Context, m *ltm.Memory, q ltm.Quota, own int64, mac ltm.Entry) (left amount, err error) {
	if mac.Revision != 0 {
		_, err := m.Put(ctx, macName, mac.Value, &ltm.PutOptions{IfRevision: mac.Revision})
		if err != nil && !errors.Is(err, ltm.ErrConflict) { // another process did
			return amount{}, err
		}
	}
	q.MaxBytes -= q.MaxBytes / 10
	if q.MaxEntries > 0 {
		q.MaxEntries += own - q.MaxEntries/10
	}
	t, err := m.Trim(ctx, q)
	return amount{t.LeftEntries - own, t.LeftBytes}, err
}

// usageName is the key of what was counted last. It has no colon in it, so no
// entry has that key.
const usageName = "usage"

// noteUsage returns what is stored under it.
func noteUsage(a amount, counted time.Time) value.Value {
	return value.Object(
		value.M("counted_ms", value.Int(counted.UnixMilli())),
		value.M("entries", value.Int(a.entries)),
		value.M("bytes", value.Int(a.bytes)),
	)
}

// recallUsage takes over what another process has counted, and adds to it what
// this one has stored. It returns how many records that takes, and whether it is
// within the quota and not too long ago.
func (c *Cache) recallUsage(ctx context.Context, m *ltm.Memory, q ltm.Quota, now time.Time) (records int64, fits bool, err error) {
	e, err := m.Get(ctx, usageName)
	switch {
	case errors.Is(err, ltm.ErrNotFound) || errors.Is(err, ltm.ErrCorrupt):
		return 0, false, nil // it will be counted
	case err != nil:
		return 0, false, err
	}
	ms, _ := e.Value.At("counted_ms").AsInt()
	var a amount
	a.entries, _ = e.Value.At("entries").AsInt()
	a.bytes, _ = e.Value.At("bytes").AsInt()
	at := time.UnixMilli(ms)
	total, adopted, fits := c.usage.adopt(a, at, q, now)
	if !adopted || !fits {
		return 1, fits, nil
	}
	_, err = m.Put(ctx, usageName, noteUsage(total, at), &ltm.PutOptions{IfRevision: e.Revision})
	if errors.Is(err, ltm.ErrConflict) {
		err = nil // another process was faster; what this one stored will be counted
	}
	return 1, fits, err
}
