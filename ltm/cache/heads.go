package cache

import (
	"context"
	"iter"
	"time"

	"github.com/tea-agents/tea/ltm"
)

// Head is what can be told of an entry without reading it.
type Head struct {
	Key      Key
	StoredAt time.Time
	Bytes    int64 // that its value takes in the store
}

// Heads iterates over the entries that the selector selects, like List, but
// reads none of them: so it is quick, and does not notice a damaged one.
func (c *Cache) Heads(ctx context.Context, s Selector) iter.Seq2[Head, error] {
	if s.all() {
		s.Pattern = "*"
	}
	return c.heads(ctx, s)
}

// heads is Heads for a selector that selects something.
func (c *Cache) heads(ctx context.Context, s Selector) iter.Seq2[Head, error] {
	return func(yield func(Head, error) bool) {
		q, match, err := c.query(s)
		if err != nil {
			yield(Head{}, err)
			return
		}
		for e, err := range c.shelf.heads(ctx, q) {
			if err != nil {
				yield(Head{}, err)
				return
			}
			k, ok := parseInNamespace(e.Namespace, e.Key)
			if ok && match(k) && !yield(Head{Key: k, StoredAt: e.UpdatedAt, Bytes: e.Size}, nil) {
				return
			}
		}
	}
}

// all tells whether nothing selects single entries.
func (s Selector) all() bool { return s.Key == "" && s.Pattern == "" && s.Metadata.Len() == 0 }

// heads iterates over what q selects, expired entries too, without reading it.
func (s shelf) heads(ctx context.Context, q ltm.Query) iter.Seq2[ltm.Entry, error] {
	q.KeysOnly, q.Limit = true, pageSize
	return func(yield func(ltm.Entry, error) bool) {
		m, err := s.in(Shared)
		for more := true; more; more = q.Cursor != "" {
			var page ltm.Page
			if err == nil {
				page, err = m.Search(ctx, q)
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
