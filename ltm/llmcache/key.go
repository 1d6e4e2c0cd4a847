package llmcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/value"
)

// ErrKey is the error of a key that is not 64 hex digits in lower case.
var ErrKey = errors.New("llmcache: not a key: want 64 hex digits in lower case")

// Key returns the key of a request: the SHA-256, in hex, of the canonical JSON
// of its identity. Neither the order of keys nor the way a number is written
// counts, every other difference does. The error, a *value.NotJSONError, says
// why there is no canonical form. A secret has none: see [Cache.Key].
func Key(identity value.Value) (string, error) {
	sum, err := identity.Digest()
	if err != nil {
		return "", fmt.Errorf("no key: %w", err)
	}
	return hex.EncodeToString(sum[:]), nil
}

// Key returns the key of a request whose identity may hold secrets. They take
// part by a digest that only who has the store can make, so the key is the same
// for all that share the store, and tells nothing to those who see only keys.
// Without secrets it is that of the function Key.
func (c *Cache) Key(ctx context.Context, req Request) (string, error) {
	hidden, places, err := c.inner.Hide(ctx, req.Secret, req.Identity)
	if err != nil {
		return "", err
	}
	if places.Len() > 0 {
		hidden = value.Object(value.M("identity", hidden), value.M("secrets", places))
	}
	return Key(hidden)
}

// checkKey refuses what cannot be a key.
func checkKey(key string) error {
	digits, err := hex.DecodeString(key)
	if err != nil || len(digits) != sha256.Size || hex.EncodeToString(digits) != key {
		return fmt.Errorf("%w, have %q", ErrKey, key)
	}
	return nil
}

// masked returns v as it may be stored and shown: a secret is its masked text.
func masked(v value.Value) value.Value {
	if len(value.SecretNames(v)) == 0 {
		return v
	}
	switch v.Kind() {
	case value.KindList:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = masked(item)
		}
		return value.List(items...)
	case value.KindObject:
		members := make([]value.Member, 0, v.Len())
		for name, m := range v.Members() {
			members = append(members, value.M(name, masked(m)))
		}
		return value.Object(members...)
	default:
		text, _ := v.Any().(string)
		return value.String(text)
	}
}
