package cache

import (
	"context"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/value"
)

// Found is the answer of Get.
type Found struct {
	Key     Key // that was looked for
	Found   bool
	Value   value.Value // the bare result
	Expired bool
	Entry   *Entry // nil if not found
}

// Get returns what is stored under a key that a person gave (see ReadKey), an
// expired entry too as long as nothing removed it. The full key of a shared
// entry is found from everywhere. A damaged entry is deleted and not found.
func (c *Cache) Get(ctx context.Context, namespace, key string) (Found, error) {
	k, err := c.readKey(namespace, key)
	if err != nil {
		return Found{}, err
	}
	e, err := c.recall(ctx, k)
	if e == nil || err != nil {
		return Found{Key: k}, err
	}
	entry := entryOf(k, e)
	return Found{Key: k, Found: true, Value: entry.Value, Expired: entry.Expired(c.now()), Entry: entry}, nil
}

// ErrSelector is the error of a key or selector that selects nothing sensible.
var ErrSelector = errors.New("cache")

// readKey reads a key for looking at an entry.
func (c *Cache) readKey(namespace, key string) (Key, error) {
	if k, ok := ParseKey(key); ok && k.Namespace == Shared && (k.Action == Custom || c.known(k.Action)) {
		return k, nil
	}
	k := ReadKey(key, namespace, c.known)
	if k.Rest == "" {
		return k, fmt.Errorf("%w: the key is empty", ErrSelector)
	}
	return k, nil
}
