package redisltm

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	q.Namespaces, q.Filters = slices.Clone(q.Namespaces), slices.Clone(q.Filters)
	return result(ctx, s.again, func(ctx context.Context) ([]driver.Record, error) {
		p, err := s.plan(ctx, &q)
		if err != nil {
			return nil, err
		}
		l := &listing{store: s, q: &q, whole: !q.KeysOnly && !narrow(&q) && p.ordered, seen: map[driver.Key]bool{}}
		if p.ordered {
			err = l.stream(ctx, p)
		} else {
			err = l.gather(ctx, p)
		}
		l.clean(ctx)
		return l.page, err
	})
}

// narrow tells that a query leaves out much of what it looks at.
func narrow(q *driver.Query) bool {
	i := strings.IndexByte(q.Glob, '*')
	glob := q.Glob != "" && (i < 0 || i < len(q.Glob)-1 || q.Namespaces == nil)
	prefix := q.Prefix != "" && q.Namespaces == nil
	return len(q.Filters) > 0 || q.ExpiredBy != 0 || glob || prefix ||
		q.Order != driver.ByKey && (q.Namespaces != nil || q.NamespacePrefix != "")
}

// listing is a List under way.
type listing struct {
	store *Store
	q     *driver.Query
	whole bool // values are read at once, not only those of what matches
	seen  map[driver.Key]bool
	page  []driver.Record
	stale []string // members of the index that lead nowhere
}

// stream reads the spans in order, until the page is full.
func (l *listing) stream(ctx context.Context, p plan) error {
	if l.q.Desc {
		slices.Reverse(p.spans)
	}
	for _, sp := range p.spans {
		for found, err := range l.scan(ctx, sp) {
			if err != nil {
				return err
			}
			if err := l.take(ctx, found); err != nil || len(l.page) >= l.q.Limit {
				return err
			}
		}
	}
	return nil
}

// gather reads the spans wholly and sorts what it finds.
func (l *listing) gather(ctx context.Context, p plan) error {
	var all []*driver.Record
	for _, sp := range p.spans {
		for found, err := range l.scan(ctx, sp) {
			if err != nil {
				return err
			}
			for i := range found {
				if !l.seen[found[i].Key] {
					l.seen[found[i].Key] = true
					all = append(all, &found[i])
				}
			}
		}
	}
	unlimited := *l.q
	unlimited.Limit = math.MaxInt
	sorted, err := unlimited.Select(all)
	if err != nil {
		return err
	}
	clear(l.seen)
	for part := range slices.Chunk(sorted, piped) {
		found := make([]driver.Record, len(part))
		for i, r := range part {
			found[i] = *r
		}
		if err := l.take(ctx, found); err != nil || len(l.page) >= l.q.Limit {
			return err
		}
	}
	return nil
}

// take adds those of found that match to the page, as far as it has room.
func (l *listing) take(ctx context.Context, found []driver.Record) error {
	found, err := l.match(found)
	if err != nil {
		return err
	}
	if l.q.KeysOnly || l.whole {
		l.add(found)
		return nil
	}
	for part := range slices.Chunk(found, piped) {
		room := l.q.Limit - len(l.page)
		for room > 0 && len(part) > 0 {
			n := min(room, len(part))
			if err := l.addWhole(ctx, part[:n]); err != nil {
				return err
			}
			part, room = part[n:], l.q.Limit-len(l.page)
		}
	}
	return nil
}

// addWhole reads records with their values. They may have changed since they
// were found.
func (l *listing) addWhole(ctx context.Context, found []driver.Record) error {
	keys := make([]driver.Key, len(found))
	for i := range found {
		keys[i] = found[i].Key
	}
	found, err := l.store.fetch(ctx, keys)
	if err != nil {
		return err
	}
	if found, err = l.match(found); err == nil {
		l.add(found)
	}
	return err
}

func (l *listing) match(found []driver.Record) ([]driver.Record, error) {
	kept := found[:0]
	for i := range found {
		ok, err := l.q.Match(&found[i])
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, found[i])
		}
	}
	return kept, nil
}

func (l *listing) add(found []driver.Record) {
	for _, r := range found {
		if len(l.page) == l.q.Limit {
			return
		}
		if l.seen[r.Key] {
			continue // it moved in the order meanwhile
		}
		l.seen[r.Key] = true
		if l.q.KeysOnly {
			r.Value, r.Metadata = nil, nil
		}
		l.page = append(l.page, r)
	}
}
