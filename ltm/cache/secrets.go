package cache

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/tea-agents/tea/value"
)

// hider replaces secrets by digests that need a key to be made.
type hider struct {
	lookup func(name string) (string, error)
	key    []byte
	paths  []value.Value // where secrets stood
}

// hide returns v with every secret replaced. The paths of the secrets take
// part in the key too, so that no text can pass for one.
func (h *hider) hide(path string, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.KindSecret:
		return h.digest(path, v)
	case value.KindList:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			hidden, err := h.hide(fmt.Sprintf("%s[%d]", path, i), item)
			if err != nil {
				return value.Null(), err
			}
			items[i] = hidden
		}
		return value.List(items...), nil
	case value.KindObject:
		members := make([]value.Member, 0, v.Len())
		for name, m := range v.Members() {
			hidden, err := h.hide(fmt.Sprintf("%s.%q", path, name), m)
			if err != nil {
				return value.Null(), err
			}
			members = append(members, value.M(name, hidden))
		}
		return value.Object(members...), nil
	default:
		return v, nil
	}
}

func (h *hider) digest(path string, v value.Value) (value.Value, error) {
	text, err := value.Resolve(v, h.lookup)
	if err != nil {
		return value.Null(), fmt.Errorf("secret in %s: %w", path, err)
	}
	h.paths = append(h.paths, value.String(path))
	mac := hmac.New(sha256.New, h.key)
	mac.Write([]byte(text.Text()))
	return value.String("hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))), nil
}

// hider returns what hides the secrets of a request.
func (c *Cache) hider(ctx context.Context, req Request) (*hider, error) {
	if req.Secret == nil {
		return nil, errors.New("the call holds a secret that nobody resolves")
	}
	return &hider{lookup: req.Secret, key: c.macKey(ctx)}, nil
}

// macKey returns the key for digests of secrets: the store's, which is made
// when there is none yet. While the store fails, a key of this process stands
// in, so that equal calls still share their flight.
func (c *Cache) macKey(ctx context.Context) []byte {
	c.mac.mu.Lock()
	defer c.mac.mu.Unlock()
	if c.mac.stored != nil {
		return c.mac.stored
	}
	if c.mac.fresh == nil {
		fresh := make([]byte, sha256.Size)
		if _, err := io.ReadFull(c.entropy, fresh); err != nil {
			c.log.Warn("cache: no randomness for the digests of secrets", "error", err)
		}
		c.mac.fresh = fresh
	}
	fresh := c.mac.fresh
	stored, err := ask(ctx, c.lookups, c.lookupTimeout, func(ctx context.Context) ([]byte, error) {
		return c.shelf.macKey(ctx, fresh)
	})
	if err != nil {
		return c.mac.fresh
	}
	c.mac.stored = stored
	return stored
}

// Hide returns v with each secret in it replaced by its keyed digest, and the
// places where secrets stood, a list: both must take part in a key. Without a
// secret in it v stays as it is, and the list is empty. The error says which
// secret cannot be resolved, or is ltm.ErrConfig.
func (c *Cache) Hide(ctx context.Context, secret func(name string) (string, error), v value.Value) (hidden, places value.Value, err error) {
	if len(value.SecretNames(v)) == 0 {
		return v, value.List(), nil
	}
	if err := c.shelf.ready(ctx); err != nil {
		return value.Null(), value.Null(), err
	}
	h, err := c.hider(ctx, Request{Secret: secret})
	if err != nil {
		return value.Null(), value.Null(), err
	}
	hidden, err = h.hide("identity", v)
	return hidden, value.List(h.paths...), err
}
