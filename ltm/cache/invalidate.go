package cache

import (
	"context"
	"fmt"
	"iter"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// AllNamespaces in Selector.Namespace is every namespace.
const AllNamespaces = "*"

// MaxDeletedKeys is how many keys Invalidate returns at most.
const MaxDeletedKeys = 1000

// Selector says which entries are meant. All that is set must hold.
type Selector struct {
	// Agent is the namespace of the agent that asks. It is where keys and
	// patterns look, unless Namespace or Shared say otherwise.
	Agent string
	// Namespace is another one, or AllNamespaces.
	Namespace string
	// Shared looks at the entries without a namespace.
	Shared bool
	// Key is read as ReadKey does.
	Key string
	// Pattern has "*" for any characters. It is held against the user's own
	// words, {action}:{rest} and the full key.
	Pattern string
	// Metadata holds what the metadata must be, by key: an object, as for
	// ltm.ParseFilters. Alone, it selects from every namespace, unless Namespace or Shared say otherwise.
	Metadata value.Value
}

// Invalidated is the answer of Invalidate.
type Invalidated struct {
	Count     int64
	Keys      []string // in full, the first MaxDeletedKeys
	Truncated bool     // whether there were more
}

func (i *Invalidated) add(k Key) {
	i.Count++
	if len(i.Keys) == MaxDeletedKeys {
		i.Truncated = true
		return
	}
	i.Keys = append(i.Keys, k.String())
}

// Invalidate deletes all entries that the selector selects, expired ones too.
// One without key, pattern and metadata is an error and deletes nothing. On an
// error the answer tells what was deleted so far.
func (c *Cache) Invalidate(ctx context.Context, s Selector) (Invalidated, error) {
	var done Invalidated
	for k, err := range c.selected(ctx, s) {
		if err != nil {
			return done, err
		}
		removed, err := c.shelf.remove(ctx, k)
		if err != nil {
			return done, err
		}
		if removed {
			done.add(k)
		}
	}
	return done, nil
}

// selected iterates over the keys that a selector selects, sorted.
func (c *Cache) selected(ctx context.Context, s Selector) iter.Seq2[Key, error] {
	return func(yield func(Key, error) bool) {
		for h, err := range c.heads(ctx, s) {
			if !yield(h.Key, err) || err != nil {
				return
			}
		}
	}
}

// query turns a selector into what the store finds and what is left to match.
func (c *Cache) query(s Selector) (q ltm.Query, match func(Key) bool, err error) {
	if err := s.check(); err != nil {
		return q, nil, err
	}
	filters, err := ltm.ParseFilters(s.Metadata)
	if err != nil {
		return q, nil, fmt.Errorf("%w: %w", ErrSelector, err)
	}
	q = ltm.Query{IncludeExpired: true, Metadata: filters}
	namespace, all := s.where()
	if all {
		q.AllNamespaces = true
	} else {
		q.Namespaces = []string{namespace}
	}
	if s.Key != "" && !all {
		k, err := c.readKey(namespace, s.Key)
		if err != nil {
			return q, nil, err
		}
		q.Namespaces, q.Glob = []string{k.Namespace}, k.inNamespace()
	}
	match = func(k Key) bool {
		if s.Key != "" && all && ReadKey(s.Key, k.Namespace, c.known) != k {
			return false
		}
		return s.Pattern == "" || matches(s.Pattern, k)
	}
	return q, match, nil
}

func (s Selector) check() error {
	switch {
	case s.all():
		return fmt.Errorf("%w: nothing selects an entry: give key, pattern or metadata_filter", ErrSelector)
	case s.Namespace != "" && s.Shared:
		return fmt.Errorf("%w: both a namespace and none (key_prefix: false) are asked for", ErrSelector)
	}
	return nil
}

// where returns the namespace to look in, or that it is all of them.
func (s Selector) where() (namespace string, all bool) {
	switch {
	case s.Shared:
		return Shared, false
	case s.Namespace == AllNamespaces:
		return "", true
	case s.Namespace != "":
		return s.Namespace, false
	case s.Key == "" && s.Pattern == "":
		return "", true
	default:
		return s.Agent, false
	}
}
