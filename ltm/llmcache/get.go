package llmcache

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Get returns the answer under a key, or nil if there is none, and counts a
// lookup, and a hit. A damaged entry is deleted and is none. What is returned is
// the caller's; of Request and Usefulness it has CachedAt only, see Inspect. The
// error is ErrKey or one of the memory's: unlike Wrap, Get does not hide that
// the store fails.
func (c *Cache) Get(ctx context.Context, key string) (*Entry, error) {
	e, err := c.read(ctx, key)
	if err != nil {
		return nil, err
	}
	s := served{key: key, at: c.instant(), lookup: true}
	if e != nil {
		s.model, s.hit = modelName{e.Provider, e.Model}, true
		s.saves(&e.Response, nil)
	}
	c.count(s)
	return e, nil
}

// Inspect returns all that is known of the entry under a key, the counts that
// this cache has gathered too, or nil. It counts nothing.
func (c *Cache) Inspect(ctx context.Context, key string) (*Entry, error) {
	e, err := c.read(ctx, key)
	if e == nil || err != nil {
		return nil, err
	}
	request, err := c.inner.Get(ctx, requests, key)
	if err != nil {
		return nil, err
	}
	m, err := c.mark(ctx, key)
	if err != nil {
		return nil, err
	}
	e.Request = request.Value.At("request")
	e.HitCount, e.LastHitAt, e.Pinned = m.hits, m.lastHit, m.pinned
	return e, nil
}

// read returns an entry without its request and mark.
func (c *Cache) read(ctx context.Context, key string) (*Entry, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	found, err := c.inner.Get(ctx, cache.Shared, key)
	if !found.Found || err != nil {
		return nil, err
	}
	e := &Entry{Key: key, Usefulness: Usefulness{CachedAt: found.Entry.CreatedAt}}
	if !e.decode(found.Value) {
		return nil, nil //nolint:nilnil // no answer of a model stands there
	}
	return e, nil
}

// mark returns what an entry went through, with what is not written yet.
func (c *Cache) mark(ctx context.Context, key string) (mark, error) {
	stored, err := c.marks.Get(ctx, key)
	if err != nil && !errors.Is(err, ltm.ErrNotFound) && !errors.Is(err, ltm.ErrCorrupt) {
		return mark{}, err
	}
	return markOf(stored.Value).plus(c.tally.since(key)), nil
}

// Put stores an answer under a key, over what was there. It takes Provider,
// Model, Request, Response and Duration of e; it was cached now, and keeps the
// hits and the pin that the key has.
func (c *Cache) Put(ctx context.Context, key string, e Entry) error {
	if err := checkKey(key); err != nil {
		return err
	}
	p := c.policy(cache.Shared, key, Write)
	p.FailOnError = true
	_, outcome, err := c.inner.Do(ctx, cacheRequest(nil), p,
		func(context.Context) (value.Value, error) { return e.encode(), nil })
	switch {
	case err != nil:
		return err
	case !outcome.Stored:
		return fmt.Errorf("llmcache: not stored: %s", outcome.Reason)
	}
	c.storeRequest(ctx, key, e.Request, nil)
	c.count(served{key: key, model: modelName{e.Provider, e.Model}, at: c.instant(), stored: true})
	return nil
}

// ErrNotFound is the error of Pin for a key without an entry.
var ErrNotFound = errors.New("llmcache: no entry under that key")

// Pin keeps an entry from being evicted, or no longer so.
func (c *Cache) Pin(ctx context.Context, key string, pinned bool) error {
	e, err := c.read(ctx, key)
	switch {
	case err != nil:
		return err
	case e == nil:
		return ErrNotFound
	}
	return merge(ctx, c.marks, key, func(old value.Value) value.Value {
		m := markOf(old).plus(mark{modelName: modelName{e.Provider, e.Model}})
		m.pinned = pinned
		return m.value()
	})
}

// Delete removes the entry under a key, a pinned one too, and tells whether
// there was one.
func (c *Cache) Delete(ctx context.Context, key string) (bool, error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	gone, err := c.inner.Invalidate(ctx, cache.Selector{Shared: true, Key: key})
	if err != nil {
		return false, err
	}
	return gone.Count > 0, c.removeBeside(ctx, key)
}

// removeBeside removes what stands beside an answer.
func (c *Cache) removeBeside(ctx context.Context, key string) error {
	c.tally.forget(key)
	if _, err := c.inner.Invalidate(ctx, cache.Selector{Namespace: requests, Key: key}); err != nil {
		return err
	}
	_, err := c.marks.Delete(ctx, key)
	return err
}

// Find returns the keys that begin with the given digits, sorted.
func (c *Cache) Find(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	for h, err := range c.inner.Heads(ctx, cache.Selector{Shared: true}) {
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(h.Key.Rest, prefix) {
			keys = append(keys, h.Key.Rest)
		}
	}
	return keys, nil
}
