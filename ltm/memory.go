package ltm

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// Memory is long-term memory on a store, seen through one space and one
// namespace. It is safe for concurrent use. Its errors are of type *Error.
type Memory struct {
	*core
	space     driver.Space
	namespace string
}

// core is what all views of one store share.
type core struct {
	opener
	url   string
	close func() error
}

// Options are the choices of New, Mux.Open and Mux.Lazy. A nil *Options is all defaults.
type Options struct {
	Now       func() time.Time // nil is the system's clock
	Namespace string           // of the first view
	Space     driver.Space     // of the first view; zero is driver.User
	// Disposable says that the store holds nothing that cannot be made again,
	// such as a cache. A damaged file is then set aside and begun anew, of
	// which Warn, if not nil, is told; else it is left as it is, and is
	// ErrCorrupt.
	Disposable bool
	Warn       func(text string)
	// Existing says that a file that is missing is ErrUnavailable, where it else
	// would be made: for what is read from. SQLite's store knows it.
	Existing bool
	// Getenv looks up the environment variables that a URL names, such as the
	// one of an encryption key. Nil is os.LookupEnv.
	Getenv func(name string) (text string, ok bool)
}

// New returns a memory on s. It owns s from now on: see Close.
func New(s driver.Store, o *Options) *Memory {
	m := newMemory(nil, "", o)
	m.store.Store(&s)
	return m
}

// newMemory returns a memory on the store that open opens.
func newMemory(open func(context.Context) (driver.Store, error), url string, o *Options) *Memory {
	if o == nil {
		o = &Options{}
	}
	c := &core{opener: opener{open: open, now: o.Now}, url: url}
	c.close = sync.OnceValue(c.shut)
	if c.now == nil {
		c.now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	return &Memory{core: c, space: o.Space, namespace: o.Namespace}
}

// In returns a view of the same store in another space and namespace. The
// namespace is a plain name ("" is the default one); "*" is no name, and every
// call on such a view fails with ErrInvalid.
func (m *Memory) In(space driver.Space, namespace string) *Memory {
	return &Memory{core: m.core, space: space, namespace: namespace}
}

// Space returns the space of this view.
func (m *Memory) Space() driver.Space { return m.space }

// Namespace returns the namespace of this view.
func (m *Memory) Namespace() string { return m.namespace }

// URL says where the store is, without credentials. It is "" for a memory made
// by New.
func (m *Memory) URL() string { return m.url }

// Now returns the time by the memory's clock.
func (m *Memory) Now() time.Time { return m.now() }

// Ready waits until the store was tried to open for the first time, which it
// begins if nobody did, for at most 10 seconds. It returns why the last attempt
// failed, nil when the store is open. Only the calls that need the store repeat
// an attempt that failed, for as long as their own context allows.
func (m *Memory) Ready(ctx context.Context) error {
	if m.store.Load() != nil {
		return nil
	}
	return m.fail("open", "", m.await(ctx, false))
}

// Close closes the store, and so all views of it. One that was never needed is
// not opened for that. Only the first call counts.
func (m *Memory) Close() error {
	return m.fail("close", "", m.close())
}

// Get returns the entry under key, an expired one too as long as it was not
// deleted (see Entry.Expired). It returns ErrNotFound when there is none, and
// ErrCorrupt when what is stored is not what was put.
func (m *Memory) Get(ctx context.Context, key string) (Entry, error) {
	k, err := m.key(key)
	if err != nil {
		return Entry{}, m.fail("get", key, err)
	}
	s, err := m.use(ctx)
	if err != nil {
		return Entry{}, m.fail("get", key, err)
	}
	r, err := s.Get(ctx, k)
	if err != nil {
		return Entry{}, m.fail("get", key, err)
	}
	if r.Key != k {
		return Entry{}, m.fail("get", key, ErrCorrupt)
	}
	e, err := open(&r)
	return e, m.fail("get", key, err)
}

// PutOptions are the choices of Put. A nil *PutOptions is all defaults.
type PutOptions struct {
	// Metadata is an object to find the entry by; null is the empty one.
	Metadata value.Value
	// TTL is how long the entry lives from now; 0 is for ever. It is rounded
	// up to milliseconds.
	TTL time.Duration
	// ExpiresAt is when the entry expires, to the millisecond. Zero leaves it
	// to TTL; setting both is an error.
	ExpiresAt time.Time
	// IfAbsent stores only where there is no entry, or only an expired one.
	// Otherwise Put changes nothing and returns false and no error.
	IfAbsent bool
	// IfRevision, when not 0, overwrites only an entry of that revision.
	// Otherwise Put changes nothing and returns ErrConflict.
	IfRevision int64
}

// Put stores v under key, over whatever was there, atomically. It tells whether
// it created the entry: there was none, or an expired one. What is not JSON (a
// secret, NaN) is refused with ErrInvalid.
func (m *Memory) Put(ctx context.Context, key string, v value.Value, o *PutOptions) (created bool, err error) {
	if o == nil {
		o = &PutOptions{}
	}
	r, err := m.record(key, v, o)
	if err != nil {
		return false, m.fail("put", key, err)
	}
	s, err := m.use(ctx)
	if err != nil {
		return false, m.fail("put", key, err)
	}
	created, err = s.Put(ctx, r, driver.Condition{Absent: o.IfAbsent, Revision: o.IfRevision})
	if o.IfAbsent && o.IfRevision == 0 && errors.Is(err, ErrConflict) {
		return false, nil
	}
	return created, m.fail("put", key, err)
}

// Delete removes the entry under key and tells whether there was one.
func (m *Memory) Delete(ctx context.Context, key string) (bool, error) {
	k, err := m.key(key)
	if err != nil {
		return false, m.fail("delete", key, err)
	}
	s, err := m.use(ctx)
	if err != nil {
		return false, m.fail("delete", key, err)
	}
	deleted, err := s.Delete(ctx, k, 0)
	return deleted, m.fail("delete", key, err)
}

// Touch notes that the entries under keys were read now, for Query.Order
// driver.ByAccessed. It does nothing on a store that keeps no such note.
func (m *Memory) Touch(ctx context.Context, keys ...string) error {
	s, err := m.use(ctx)
	if err != nil {
		return m.fail("touch", "", err)
	}
	ks := make([]driver.Key, len(keys))
	for i, key := range keys {
		k, err := m.key(key)
		if err != nil {
			return m.fail("touch", key, err)
		}
		ks[i] = k
	}
	err = driver.Touch(ctx, s, ks, m.now().UnixMilli())
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return m.fail("touch", "", err)
}

// Revision returns a number that is equal to an earlier one only if nothing in
// the store changed in between, whichever process might have changed it. On a
// store without a change counter it fails with errors.ErrUnsupported.
func (m *Memory) Revision(ctx context.Context) (int64, error) {
	s, err := m.use(ctx)
	if err != nil {
		return 0, m.fail("revision", "", err)
	}
	n, err := driver.Revision(ctx, s)
	return n, m.fail("revision", "", err)
}
