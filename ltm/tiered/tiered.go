// Package tiered puts a near store in front of a far one: what was read from
// the far store, a database across the network, is read again from the near
// one, a local file, for as long as it counts as fresh.
//
// The far store is the truth. Every change goes to it, and is done when it says
// so; lists and searches are answered by it. The near store holds copies, in a
// space of its own, so that it may be any store. When the near store fails, is
// slow or damaged, it is left alone for a while, and nothing else happens.
package tiered

import (
	"context"
	"errors"
	"hash/maphash"
	"strconv"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/front"
)

// What Options are when they say nothing else.
const (
	DefaultMaxStaleness = 5 * time.Second
	DefaultTimeout      = 250 * time.Millisecond
)

const (
	pause   = 5 * time.Second // for which a near store that failed is left alone
	rounds  = 64              // copies between two clean-ups
	cleaned = 256             // how many copies a clean-up removes at most
)

// Options are the choices of New. A nil *Options is all defaults.
type Options struct {
	// Name tells this far store from others that share the near one.
	Name string
	// MaxStaleness is how long after another process has changed a record the
	// old one may still be returned; 0 is DefaultMaxStaleness. What this
	// process changes is seen at once.
	MaxStaleness time.Duration
	Timeout      time.Duration    // of a call of the near store; 0 is DefaultTimeout
	Now          func() time.Time // nil is the system's clock
}

// New returns far with copies of what is read from it in near. It owns both
// from now on.
func New(near, far driver.Store, o *Options) driver.Store {
	if o == nil {
		o = &Options{}
	}
	c := &copies{near: near, name: o.Name, fresh: o.MaxStaleness, timeout: o.Timeout, now: o.Now, seed: maphash.MakeSeed()}
	c.distrust(-1)
	if c.fresh <= 0 {
		c.fresh = DefaultMaxStaleness
	}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.now == nil {
		c.now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	return front.New(far, c)
}

// copies are records in the near store.
type copies struct {
	near    driver.Store
	name    string
	fresh   time.Duration
	timeout time.Duration
	now     func() time.Time

	mu      sync.Mutex
	resting time.Time // until when the near store is left alone
	made    int
	// trusted is until when a key must have been read for its copy to count, by
	// a hash of the key: what was read before it was changed may be what was
	// there before, whoever made the copy.
	trusted [256]int64
	seed    maphash.Seed
}

// key is where the copy of a record is.
func (c *copies) key(k driver.Key) driver.Key {
	return driver.Key{
		Space: driver.Near, Key: k.Key,
		Namespace: c.name + "/" + strconv.Itoa(int(k.Space)) + ":" + k.Namespace,
	}
}

// ask asks the near store, unless it rests. It tells whether all went well.
func (c *copies) ask(ctx context.Context, call func(context.Context) error) bool {
	c.mu.Lock()
	rests := c.now().Before(c.resting)
	c.mu.Unlock()
	if rests {
		return false
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- call(limited) }()
	var err error
	select {
	case err = <-done:
	case <-limited.Done(): // also of a store that does not care
		err = limited.Err()
	}
	if err == nil || errors.Is(err, driver.ErrNotFound) {
		return err == nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resting = c.now().Add(pause)
	c.distrust(c.now().UnixMilli()) // a copy on its way may still arrive
	return false
}

// distrust makes all copies of what was read until then worthless. The caller
// holds the lock, if anybody else knows c.
func (c *copies) distrust(until int64) {
	for i := range c.trusted {
		c.trusted[i] = until
	}
}

// trust is the part of trusted that a key has.
func (c *copies) trust(key driver.Key) *int64 {
	return &c.trusted[maphash.Comparable(c.seed, key)%uint64(len(c.trusted))]
}

// Get implements front.Copies.
func (c *copies) Get(ctx context.Context, key driver.Key) (r driver.Record, since int64, ok bool) {
	since = c.now().UnixMilli()
	found := make(chan driver.Record, 1)
	if !c.ask(ctx, func(ctx context.Context) error {
		r, err := c.near.Get(ctx, c.key(key))
		found <- r
		return err
	}) {
		return r, since, false
	}
	stored := <-found
	r, read, ok := decode(stored.Value)
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now().UnixMilli()
	if !ok || read <= *c.trust(key) || read > now || now-read >= c.fresh.Milliseconds() {
		return driver.Record{}, since, false
	}
	r.Key = key
	return r, since, true
}

// Put implements front.Copies.
func (c *copies) Put(ctx context.Context, r driver.Record, since int64) {
	now := c.now().UnixMilli()
	if r.Expired(now) {
		return
	}
	until := since + c.fresh.Milliseconds()
	if r.ExpiresAt != 0 {
		until = min(until, r.ExpiresAt)
	}
	c.ask(ctx, func(ctx context.Context) error {
		_, err := c.near.Put(ctx, driver.Record{
			Key: c.key(r.Key), Value: encode(&r, since), Metadata: []byte("{}"), UpdatedAt: now, ExpiresAt: until,
		}, driver.Condition{})
		return err
	})
	c.mu.Lock()
	c.made++
	clean := c.made%rounds == 0
	c.mu.Unlock()
	if clean {
		c.expire(ctx, now)
	}
}

// Drop implements front.Copies.
func (c *copies) Drop(ctx context.Context, keys ...driver.Key) {
	refs := make([]driver.Ref, len(keys))
	c.mu.Lock()
	now := c.now().UnixMilli()
	for i, key := range keys {
		refs[i].Key = c.key(key)
		*c.trust(key) = now
	}
	c.mu.Unlock()
	c.ask(ctx, func(ctx context.Context) error {
		_, err := driver.DeleteBatch(ctx, c.near, refs)
		return err
	})
}

// DropExpired implements front.Copies. There may be any number of them, so they
// are left to the clean-ups.
func (c *copies) DropExpired(context.Context, driver.Space, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.distrust(c.now().UnixMilli())
}

// expire deletes copies that are too old.
func (c *copies) expire(ctx context.Context, now int64) {
	c.ask(ctx, func(ctx context.Context) error {
		_, err := driver.DeleteExpired(ctx, c.near, driver.Near, now, cleaned)
		return err
	})
}

// Close implements front.Copies.
func (c *copies) Close() error {
	_ = c.near.Close() // its failures are nobody's
	return nil
}
