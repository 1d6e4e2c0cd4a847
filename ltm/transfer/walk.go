package transfer

import (
	"context"
	"errors"
	"iter"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
)

// How much is read or stored at a time, at most, unless one entry is larger.
const (
	chunkEntries = 200
	chunkBytes   = 4 << 20
	pageEntries  = 500
)

// Selection says which entries of a space are meant.
type Selection struct {
	Namespaces []string // nil is every one
	// Internal adds what is never moved: expired entries, and what a cache
	// notes for itself.
	Internal bool
}

// Found is an entry, or one that cannot be read: then Err says why, and of the
// entry Namespace and Key are set.
type Found struct {
	ltm.Entry
	Err error
}

// Walk reads the selected entries of m's space, sorted by namespace and key. A
// damaged entry ends nothing; every other failure does.
func Walk(ctx context.Context, m *ltm.Memory, s Selection) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		c := chunk{m: m}
		for e, err := range keys(ctx, m, s) {
			if err != nil {
				yield(Found{}, err)
				return
			}
			if c.full(&e) && !c.drain(ctx, s, yield) {
				return
			}
			c.add(&e)
		}
		c.drain(ctx, s, yield)
	}
}

// keys lists the selected entries without reading them.
func keys(ctx context.Context, m *ltm.Memory, s Selection) iter.Seq2[ltm.Entry, error] {
	q := ltm.Query{
		Namespaces: s.Namespaces, AllNamespaces: s.Namespaces == nil,
		KeysOnly: true, IncludeExpired: s.Internal, Limit: pageEntries,
	}
	return func(yield func(ltm.Entry, error) bool) {
		for e, err := range m.All(ctx, q) {
			if err == nil && !s.Internal && internal(m.Space(), &e) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// internal tells whether a row is what a cache notes for itself, such as the
// key by which it hides secrets: its key is no entry's.
func internal(space driver.Space, e *ltm.Entry) bool {
	if space == driver.User || space == driver.LLM && e.Namespace != cache.Shared {
		return false
	}
	_, ok := cache.ParseKey("cache::" + e.Key)
	return !ok
}

// chunk are entries of one namespace that are read together.
type chunk struct {
	m         *ltm.Memory
	namespace string
	keys      []string
	bytes     int64
}

// full tells whether e must go into another chunk.
func (c *chunk) full(e *ltm.Entry) bool {
	return len(c.keys) > 0 &&
		(c.namespace != e.Namespace || len(c.keys) == chunkEntries || c.bytes+e.Size > chunkBytes)
}

func (c *chunk) add(e *ltm.Entry) {
	c.namespace = e.Namespace
	c.keys = append(c.keys, e.Key)
	c.bytes += e.Size
}

// drain yields the entries of the chunk and empties it. What was deleted or has
// expired meanwhile is left out.
func (c *chunk) drain(ctx context.Context, s Selection, yield func(Found, error) bool) bool {
	view := c.m.In(c.m.Space(), c.namespace)
	found, err := readMany(ctx, view, c.keys)
	if err != nil {
		yield(Found{}, err)
		return false
	}
	for _, key := range c.keys {
		f, ok := found[key]
		if !ok || f.Err == nil && !s.Internal && f.Expired(c.m.Now()) {
			continue
		}
		if !yield(f, nil) {
			return false
		}
	}
	c.keys, c.bytes = c.keys[:0], 0
	return true
}

// readMany returns the entries under keys, damaged ones among them.
func readMany(ctx context.Context, view *ltm.Memory, keys []string) (map[string]Found, error) {
	found := make(map[string]Found, len(keys))
	if len(keys) == 0 {
		return found, nil
	}
	entries, err := view.GetMany(ctx, keys...)
	if err == nil {
		for key, e := range entries {
			found[key] = Found{Entry: e}
		}
		return found, nil
	}
	if !damaged(err) {
		return nil, err
	}
	for _, key := range keys { // which one is it?
		e, err := view.Get(ctx, key)
		switch {
		case err == nil:
			found[key] = Found{Entry: e}
		case damaged(err):
			found[key] = Found{Entry: ltm.Entry{Namespace: view.Namespace(), Key: key}, Err: err}
		case !errors.Is(err, ltm.ErrNotFound):
			return nil, err
		}
	}
	return found, nil
}

// damaged tells whether err is about one entry, which cannot be read.
func damaged(err error) bool { return errors.Is(err, ltm.ErrCorrupt) || errors.Is(err, ltm.ErrNewer) }
