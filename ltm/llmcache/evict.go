package llmcache

import (
	"cmp"
	"context"
	"slices"
	"time"
)

const day = 24 * time.Hour

// What Evict removes where its options say nothing else.
const (
	DefaultOlderThan = 90 * day
	DefaultIdle      = 365 * day
	DefaultMaxBytes  = 2 << 30
)

// EvictOptions say what Evict removes. Less than 0 switches a rule off.
type EvictOptions struct {
	// OlderThan is the age from which an entry goes that never was hit; 0 is
	// DefaultOlderThan. One that was hit stays, however old it is.
	OlderThan time.Duration
	// Idle is for how long an entry may go without a hit, even though it had
	// some; 0 is DefaultIdle.
	Idle time.Duration
	// MaxBytes is how much all entries may take in the store; 0 is
	// DefaultMaxBytes. Above it the least recently used ones go.
	MaxBytes int64
	// Unhit leaves every entry alone that ever was hit, whatever the rule.
	Unhit bool
	// DryRun removes nothing: the answer tells what would be removed.
	DryRun bool
}

// Evicted tells what Evict removed, or would.
type Evicted struct {
	Entries, Bytes int64
	// How many went by which rule.
	Unhit, Idle, Oversize int64
	// Keys are those of the entries, the least recently used first, up to
	// MaxEvictedKeys of them; Truncated tells whether there were more.
	Keys      []string
	Truncated bool
	// What is left. Pinned ones are among it.
	LeftEntries, LeftBytes int64
}

// MaxEvictedKeys is how many keys Evict returns at most.
const MaxEvictedKeys = 1000

// Evict removes the entries that nobody asks for. It looks at all of them, and
// never removes a pinned one. On an error the answer tells what was removed so
// far.
func (c *Cache) Evict(ctx context.Context, o EvictOptions) (Evicted, error) {
	o = o.complete()
	l, err := c.inventory(ctx)
	if err != nil {
		return Evicted{}, err
	}
	var done Evicted
	for _, i := range l.entries {
		done.LeftEntries++
		done.LeftBytes += i.Bytes
	}
	slices.SortFunc(l.entries, func(a, b Info) int {
		return cmp.Or(a.LastUsed().Compare(b.LastUsed()), cmp.Compare(a.Key, b.Key))
	})
	now := c.now()
	for _, oversize := range []bool{false, true} {
		l.entries, err = c.sweep(ctx, l.entries, &done, o.DryRun, func(i *Info) *int64 {
			switch {
			case i.Pinned, o.Unhit && i.HitCount > 0:
				return nil
			case oversize && o.MaxBytes >= 0 && done.LeftBytes > o.MaxBytes:
				return &done.Oversize
			case oversize:
				return nil
			default:
				return o.rule(i, now, &done)
			}
		})
		if err != nil {
			return done, err
		}
	}
	return done, c.removeOrphans(ctx, l.orphans, o.DryRun)
}

func (o EvictOptions) complete() EvictOptions {
	o.OlderThan = cmp.Or(o.OlderThan, DefaultOlderThan)
	o.Idle = cmp.Or(o.Idle, DefaultIdle)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	return o
}

// rule returns the count of the rule of age by which an entry goes, or nil.
func (o EvictOptions) rule(i *Info, now time.Time, done *Evicted) *int64 {
	switch {
	case o.OlderThan >= 0 && i.HitCount == 0 && now.Sub(i.CachedAt) > o.OlderThan:
		return &done.Unhit
	case o.Idle >= 0 && now.Sub(i.LastUsed()) > o.Idle:
		return &done.Idle
	}
	return nil
}

// sweep removes the entries for which rule returns a count, adds them to it, and
// returns the others.
func (c *Cache) sweep(ctx context.Context, entries []Info, done *Evicted, dry bool, rule func(*Info) *int64) ([]Info, error) {
	left := entries[:0]
	for _, i := range entries {
		count := rule(&i)
		if count == nil {
			left = append(left, i)
			continue
		}
		if !dry {
			if _, err := c.Delete(ctx, i.Key); err != nil {
				return nil, err
			}
		}
		*count++
		done.add(&i)
	}
	return left, nil
}

func (e *Evicted) add(i *Info) {
	e.Entries++
	e.Bytes += i.Bytes
	e.LeftEntries--
	e.LeftBytes -= i.Bytes
	if len(e.Keys) == MaxEvictedKeys {
		e.Truncated = true
		return
	}
	e.Keys = append(e.Keys, i.Key)
}

// removeOrphans removes the requests and marks of entries that are gone.
func (c *Cache) removeOrphans(ctx context.Context, keys []string, dry bool) error {
	if dry {
		return nil
	}
	for _, key := range keys {
		if err := c.removeBeside(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// Clear removes all entries, pinned ones too, and all counts. It returns how
// many entries there were.
func (c *Cache) Clear(ctx context.Context) (int64, error) {
	l, err := c.inventory(ctx)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, i := range l.entries {
		gone, err := c.Delete(ctx, i.Key)
		if err != nil {
			return n, err
		}
		if gone {
			n++
		}
	}
	if err := c.removeOrphans(ctx, l.orphans, false); err != nil {
		return n, err
	}
	for e, err := range records(ctx, c.days) {
		if err == nil {
			_, err = c.days.Delete(ctx, e.Key)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
