package ltm

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// Contender wants a lease. It is not for concurrent use.
type Contender struct {
	view *Memory
	key  string
	o    LeaseOptions

	seen  int64     // the revision of the lease when it was seen first
	since time.Time // when that was
}

// Contend returns a contender for the lease under key in the view's namespace.
// It asks nobody yet.
func (m *Memory) Contend(key string, o *LeaseOptions) *Contender {
	c := &Contender{view: m.In(driver.Lease, m.namespace), key: key}
	if o != nil {
		c.o = *o
	}
	if c.o.TTL == 0 {
		c.o.TTL = DefaultLeaseTTL
	}
	return c
}

// Try takes the lease if it is free, else it returns a *HeldError at once.
func (c *Contender) Try(ctx context.Context) (*Lease, error) {
	l := &Lease{view: c.view, key: c.key, id: rand.Text(), o: c.o}
	err := l.take(ctx, &PutOptions{IfAbsent: true})
	if !errors.Is(err, ErrHeld) {
		return l.orNil(err)
	}
	e, err := c.view.Get(ctx, c.key)
	switch {
	case errors.Is(err, ErrNotFound): // it was given back this moment
		return l.orNil(l.take(ctx, &PutOptions{IfAbsent: true}))
	case err != nil:
		return nil, err
	}
	held := &HeldError{Owner: e.Value.At("owner").Text(), Until: e.ExpiresAt}
	ttl, _ := e.Value.At("ttl_ms").AsInt()
	now := c.view.now()
	if e.Revision != c.seen {
		c.seen, c.since = e.Revision, now
		return nil, held
	}
	if now.Sub(c.since) < time.Duration(ttl)*time.Millisecond {
		return nil, held
	}
	return l.orNil(l.take(ctx, &PutOptions{IfRevision: e.Revision}))
}

// Wait tries until it has the lease, or ctx is over.
func (c *Contender) Wait(ctx context.Context) (*Lease, error) {
	const shortest, longest = 10 * time.Millisecond, 250 * time.Millisecond
	for pause := shortest; ; pause = min(2*pause, longest) {
		l, err := c.Try(ctx)
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		rest(ctx, min(pause, c.o.TTL/4+time.Millisecond))
		if ctx.Err() != nil {
			return nil, errors.Join(context.Cause(ctx), err)
		}
	}
}

// rest waits for a while, or until ctx is over.
func rest(ctx context.Context, d time.Duration) {
	pause, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-pause.Done()
}
