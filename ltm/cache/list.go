package cache

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm"
)

// List iterates over the entries that the selector selects, expired ones too,
// by namespace and key. A selector without key, pattern and metadata selects
// every entry of its namespace. Damaged entries are deleted and left out.
func (c *Cache) List(ctx context.Context, s Selector) iter.Seq2[*Entry, error] {
	if s.all() {
		s.Pattern = "*"
	}
	return func(yield func(*Entry, error) bool) {
		for k, err := range c.selected(ctx, s) {
			var e *ltm.Entry
			if err == nil {
				e, err = c.fetch(ctx, k)
			}
			switch {
			case err != nil:
				yield(nil, err)
				return
			case e != nil && !yield(entryOf(k, e), nil):
				return
			}
		}
	}
}

// Stats tells what the cache holds and how it served.
type Stats struct {
	Namespaces []NamespaceStats // sorted by name
	Expired    int64            // entries whose time is over, in all namespaces
	Served     map[Status]int64 // calls of this Cache, by how they ended
}

// NamespaceStats counts the entries of a namespace.
type NamespaceStats struct {
	Namespace string // Shared is ""
	Entries   int64  // expired ones included
	Bytes     int64  // that their values take in the store
	Actions   []ActionStats
}

// ActionStats counts the entries of an action (or Custom).
type ActionStats struct {
	Action  string
	Entries int64
}

// Stats counts all entries.
func (c *Cache) Stats(ctx context.Context) (Stats, error) {
	stats := Stats{Served: c.counts.snapshot()}
	m, err := c.shelf.in(Shared)
	if err != nil {
		return stats, err
	}
	q := ltm.Query{AllNamespaces: true, IncludeExpired: true, KeysOnly: true, Limit: pageSize}
	now := c.now()
	for more := true; more; more = q.Cursor != "" {
		page, err := m.Search(ctx, q)
		if err != nil {
			return stats, err
		}
		for i := range page.Entries {
			stats.add(&page.Entries[i], now)
		}
		q.Cursor = page.Next
	}
	return stats, nil
}

// add counts an entry; they come sorted by namespace.
func (s *Stats) add(e *ltm.Entry, now time.Time) {
	k, ok := parseInNamespace(e.Namespace, e.Key)
	if !ok {
		return
	}
	if n := len(s.Namespaces); n == 0 || s.Namespaces[n-1].Namespace != k.Namespace {
		s.Namespaces = append(s.Namespaces, NamespaceStats{Namespace: k.Namespace})
	}
	ns := &s.Namespaces[len(s.Namespaces)-1]
	ns.Entries++
	ns.Bytes += e.Size
	i, found := slices.BinarySearchFunc(ns.Actions, k.Action, func(a ActionStats, name string) int {
		return strings.Compare(a.Action, name)
	})
	if !found {
		ns.Actions = slices.Insert(ns.Actions, i, ActionStats{Action: k.Action})
	}
	ns.Actions[i].Entries++
	if e.Expired(now) {
		s.Expired++
	}
}

// GC deletes all expired entries and returns how many there were.
func (c *Cache) GC(ctx context.Context) (int64, error) {
	var total int64
	for {
		n, err := c.shelf.removeExpired(ctx, pageSize)
		total += int64(n)
		if err != nil || n == 0 {
			return total, err
		}
	}
}
