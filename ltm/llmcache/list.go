package llmcache

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
)

// Info tells of an entry without its answer.
type Info struct {
	Key             string
	Provider, Model string
	Bytes           int64 // that it takes in the store
	Usefulness
}

// LastUsed is when the entry was hit last, or else stored.
func (i *Info) LastUsed() time.Time {
	if i.LastHitAt.After(i.CachedAt) {
		return i.LastHitAt
	}
	return i.CachedAt
}

// List returns all entries, the last used ones first, with the counts that this
// cache has gathered. Answers are not read, so one that is damaged is listed
// until somebody asks for it.
func (c *Cache) List(ctx context.Context) ([]Info, error) {
	l, err := c.inventory(ctx)
	if err != nil {
		return nil, err
	}
	infos := l.entries
	for i := range infos {
		if infos[i].Model != "" {
			continue
		}
		// The process that stored it ended before it could note the model.
		if e, err := c.read(ctx, infos[i].Key); err != nil {
			return nil, err
		} else if e != nil {
			infos[i].Provider, infos[i].Model = e.Provider, e.Model
		}
	}
	slices.SortFunc(infos, func(a, b Info) int {
		return cmp.Or(b.LastUsed().Compare(a.LastUsed()), cmp.Compare(a.Key, b.Key))
	})
	return infos, nil
}

// inventory is what the store holds.
type inventory struct {
	entries []Info   // by key
	orphans []string // keys of what stands beside an entry that is gone
}

// inventory lists the store. Requests and marks are listed before entries, so
// that one without an entry belongs to one that is gone.
func (c *Cache) inventory(ctx context.Context) (inventory, error) {
	if c.marks == nil {
		return inventory{}, cache.ErrNoMemory
	}
	if err := c.Flush(ctx); err != nil {
		return inventory{}, err
	}
	beside, err := c.beside(ctx)
	if err != nil {
		return inventory{}, err
	}
	var l inventory
	for h, err := range c.inner.Heads(ctx, cache.Selector{Shared: true}) {
		if err != nil {
			return l, err
		}
		i := Info{Key: h.Key.Rest, Bytes: h.Bytes, Usefulness: Usefulness{CachedAt: h.StoredAt}}
		if b := beside[i.Key]; b != nil {
			i.Bytes += b.bytes
			i.Provider, i.Model = b.Provider, b.Model
			i.LastHitAt, i.HitCount, i.Pinned = b.lastHit, b.hits, b.pinned
			b.found = true
		}
		l.entries = append(l.entries, i)
	}
	for key, b := range beside {
		if !b.found {
			l.orphans = append(l.orphans, key)
		}
	}
	return l, nil
}

// companion is what stands beside an entry.
type companion struct {
	mark
	bytes int64 // of the request
	found bool  // the entry is there
}

// beside lists what stands beside the entries, by key.
func (c *Cache) beside(ctx context.Context) (map[string]*companion, error) {
	all := map[string]*companion{}
	of := func(key string) *companion {
		if all[key] == nil {
			all[key] = &companion{}
		}
		return all[key]
	}
	for e, err := range records(ctx, c.marks) {
		if err != nil {
			return nil, err
		}
		of(e.Key).mark = markOf(e.Value)
	}
	for h, err := range c.inner.Heads(ctx, cache.Selector{Namespace: requests}) {
		if err != nil {
			return nil, err
		}
		of(h.Key.Rest).bytes = h.Bytes
	}
	return all, nil
}

// records iterates over what stands in a view.
func records(ctx context.Context, m *ltm.Memory) iter.Seq2[ltm.Entry, error] {
	return func(yield func(ltm.Entry, error) bool) {
		q := ltm.Query{Limit: 500}
		for more := true; more; more = q.Cursor != "" {
			page, err := m.Search(ctx, q)
			if errors.Is(err, ltm.ErrCorrupt) {
				if err = repair(ctx, m, q); err == nil {
					page, err = m.Search(ctx, q)
				}
			}
			if err != nil {
				yield(ltm.Entry{}, err)
				return
			}
			for _, e := range page.Entries {
				if !yield(e, nil) {
					return
				}
			}
			q.Cursor = page.Next
		}
	}
}

// repair deletes what is damaged on a page: it holds counts only.
func repair(ctx context.Context, m *ltm.Memory, q ltm.Query) error {
	q.KeysOnly = true
	page, err := m.Search(ctx, q)
	if err != nil {
		return err
	}
	for _, e := range page.Entries {
		_, err := m.Get(ctx, e.Key)
		if errors.Is(err, ltm.ErrCorrupt) {
			_, err = m.Delete(ctx, e.Key)
		}
		if err != nil && !errors.Is(err, ltm.ErrNotFound) {
			return err
		}
	}
	return nil
}
