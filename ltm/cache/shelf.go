package cache

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// shelf is where entries stand: a space of a memory. An entry of a namespace is
// kept in the memory's namespace of that name.
type shelf struct {
	mem   *ltm.Memory
	space driver.Space
}

// in returns the entries of a namespace.
func (s shelf) in(namespace string) (*ltm.Memory, error) {
	if s.mem == nil {
		return nil, ErrNoMemory
	}
	return s.mem.In(s.space, namespace), nil
}

// ready waits for the store to be opened, which has a time of its own. It fails
// only if that can never be; what else is wrong the calls themselves will tell.
func (s shelf) ready(ctx context.Context) error {
	if s.mem == nil {
		return nil
	}
	if err := s.mem.Ready(ctx); errors.Is(err, ltm.ErrConfig) {
		return err
	}
	return nil
}

// get returns the entry under a key, expired or not, and whether there is one.
func (s shelf) get(ctx context.Context, k Key) (*ltm.Entry, error) {
	m, err := s.in(k.Namespace)
	if err != nil {
		return nil, err
	}
	e, err := m.Get(ctx, k.inNamespace())
	if errors.Is(err, ltm.ErrNotFound) {
		return nil, nil //nolint:nilnil // no entry is an answer, not a failure
	}
	return &e, err
}

// revision returns the store's change counter, or errors.ErrUnsupported.
func (s shelf) revision(ctx context.Context) (int64, error) {
	if s.mem == nil {
		return 0, ErrNoMemory
	}
	return s.mem.Revision(ctx)
}

// put stores an entry.
func (s shelf) put(ctx context.Context, k Key, v value.Value, o *ltm.PutOptions) error {
	m, err := s.in(k.Namespace)
	if err != nil {
		return err
	}
	_, err = m.Put(ctx, k.inNamespace(), v, o)
	return err
}

// remove deletes the entry under a key and tells whether there was one.
func (s shelf) remove(ctx context.Context, k Key) (bool, error) {
	m, err := s.in(k.Namespace)
	if err != nil {
		return false, err
	}
	return m.Delete(ctx, k.inNamespace())
}

// removeExpired deletes at most limit expired entries of all namespaces.
func (s shelf) removeExpired(ctx context.Context, limit int) (int, error) {
	m, err := s.in(Shared)
	if err != nil {
		return 0, err
	}
	return m.DeleteExpired(ctx, limit)
}

// pageSize is how many keys are read at a time.
const pageSize = 500

// macName is the key of the key for digests of secrets. It has no colon in it,
// so no entry has that key.
const macName = "digest-key"

// macKey returns the store's key for digests of secrets; when it has none,
// or a damaged one, fresh becomes it.
func (s shelf) macKey(ctx context.Context, fresh []byte) ([]byte, error) {
	m, err := s.in(Shared)
	if err != nil {
		return nil, err
	}
	e, err := m.Get(ctx, macName)
	if errors.Is(err, ltm.ErrCorrupt) {
		if _, err = m.Delete(ctx, macName); err != nil {
			return nil, err
		}
		err = ltm.ErrNotFound
	}
	if errors.Is(err, ltm.ErrNotFound) {
		o := &ltm.PutOptions{IfAbsent: true}
		if _, err = m.Put(ctx, macName, value.String(hex.EncodeToString(fresh)), o); err != nil {
			return nil, err
		}
		e, err = m.Get(ctx, macName)
	}
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(e.Value.Text())
}
