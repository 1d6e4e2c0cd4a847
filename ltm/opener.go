package ltm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	openLimit  = 10 * time.Second // how long an attempt to open may take
	openPause  = time.Second      // from one that failed to the next
	closeLimit = time.Second      // how long Close waits for one under way
)

// opener opens a store when it is needed first.
type opener struct {
	open func(context.Context) (driver.Store, error)
	now  func() time.Time

	store atomic.Pointer[driver.Store] // nil until it is open

	mu     sync.Mutex
	last   *attempt // nil before the first
	closed bool
}

// attempt is one attempt to open the store. It belongs to all who wait for it.
type attempt struct {
	late   <-chan struct{} // closed when its time is over
	cancel context.CancelFunc
	done   chan struct{}
	// What follows is set before done is closed.
	err     error
	again   time.Time // from when on there may be another attempt
	closing error     // of closing the store at once, because Close came first
}

// use returns the store, and opens it if need be. The end of ctx ends the
// waiting, not the opening.
func (o *opener) use(ctx context.Context) (driver.Store, error) {
	if s := o.store.Load(); s != nil {
		return *s, nil
	}
	if err := o.await(ctx, true); err != nil {
		return nil, err
	}
	return *o.store.Load(), nil
}

// await waits for the last attempt to open the store, which it begins if there
// was none, or one that failed is to be repeated.
func (o *opener) await(ctx context.Context, repeat bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a, err := o.begin(ctx, repeat)
	if err != nil {
		return err
	}
	select {
	case <-a.done:
	case <-a.late:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-a.done:
		return a.err
	default: // the store does not care about its context
		return o.overdue()
	}
}

// begin returns the attempt to wait for.
func (o *opener) begin(ctx context.Context, repeat bool) (*attempt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return nil, driver.ErrClosed
	case o.last == nil, repeat && o.last.repeatable(o.now):
	default:
		return o.last, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openLimit)
	o.last = &attempt{late: ctx.Done(), cancel: cancel, done: make(chan struct{})}
	go o.run(ctx, o.last)
	return o.last, nil
}

// repeatable tells whether another attempt may do better by now.
func (a *attempt) repeatable(now func() time.Time) bool {
	select {
	case <-a.done:
		return a.err != nil && !errors.Is(a.err, driver.ErrConfig) && !now().Before(a.again)
	default:
		return false
	}
}

// run makes an attempt.
func (o *opener) run(ctx context.Context, a *attempt) {
	defer a.cancel()
	defer close(a.done)
	s, err := o.open(ctx)
	switch {
	case err == nil:
		a.closing, a.err = o.keep(s)
	case errors.Is(err, driver.ErrConfig), errors.Is(err, driver.ErrCorrupt), errors.Is(err, driver.ErrNewer):
		a.err = err
	case ctx.Err() != nil:
		a.err = o.overdue()
	case errors.Is(err, driver.ErrUnavailable):
		a.err = fmt.Errorf("it could not be opened: %w", err)
	default:
		a.err = fmt.Errorf("%w: it could not be opened: %w", driver.ErrUnavailable, err)
	}
	a.again = o.now().Add(openPause)
}

// keep makes an open store the one that all use. It closes it if it comes too
// late for that.
func (o *opener) keep(s driver.Store) (closing, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return s.Close(), driver.ErrClosed
	}
	o.store.Store(&s)
	return nil, nil
}

// overdue says why an attempt has no more time.
func (o *opener) overdue() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return driver.ErrClosed
	}
	return fmt.Errorf("%w: it did not open within %v", driver.ErrUnavailable, openLimit)
}

// shut closes the store if it is open, and sees to it that it does not open
// any more.
func (o *opener) shut() error {
	o.mu.Lock()
	o.closed = true
	a, s := o.last, o.store.Load()
	o.mu.Unlock()
	switch {
	case s != nil:
		return (*s).Close()
	case a == nil:
		return nil
	}
	a.cancel()
	limit, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	select {
	case <-a.done:
		return a.closing
	case <-limit.Done():
		return fmt.Errorf("it was still being opened after %v", closeLimit)
	}
}
