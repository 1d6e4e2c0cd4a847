package ltm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tea-agents/tea/value"
)

// DefaultLeaseTTL is how long a lease lasts unless it is renewed.
const DefaultLeaseTTL = 15 * time.Second

var (
	// ErrHeld says that somebody else holds the lease. The error is a *HeldError.
	ErrHeld = errors.New("the lease is held by somebody else")
	// ErrLost says that the lease is ours no more: it ran out, and may have been taken.
	ErrLost = errors.New("the lease is lost")
)

// HeldError says who holds a lease.
type HeldError struct {
	Owner string    // as its LeaseOptions say
	Until time.Time // when it runs out unless it is renewed, by its holder's clock
}

// Error implements error.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%v: %q, until %s", ErrHeld, e.Owner, e.Until.Format(time.RFC3339Nano))
}

// Unwrap returns ErrHeld.
func (e *HeldError) Unwrap() error { return ErrHeld }

// LeaseOptions are the choices of Contend. A nil *LeaseOptions is all defaults.
type LeaseOptions struct {
	Owner string        // who it is, for people to read
	TTL   time.Duration // how long the lease lasts without being renewed; 0 is DefaultLeaseTTL
}

// Lease is the exclusive right to do something, under a key, among all programs
// that use the store. It is a record in the Lease space that its holder renews;
// it needs nothing of a store but a Put with a condition, so every store has it.
//
// Clocks of different machines may differ. A contender takes a lease over once
// it has run out by the contender's clock, or once the contender itself saw it
// unchanged for all of its TTL. So two may believe to hold it for as long as
// their clocks differ; the token, which grows with each holder, lets whatever
// they write to refuse the older one.
//
// A Lease may be used concurrently.
type Lease struct {
	view  *Memory // of the Lease space
	key   string
	id    string
	o     LeaseOptions
	token int64

	mu       sync.Mutex
	revision int64
	until    time.Time
}

func (l *Lease) orNil(err error) (*Lease, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// take stores the lease as ours, on a condition of o. It returns ErrHeld if
// that does not hold.
func (l *Lease) take(ctx context.Context, o *PutOptions) error {
	since := l.view.now()
	created, err := l.put(ctx, o)
	if errors.Is(err, ErrConflict) || err == nil && o.IfAbsent && !created {
		return ErrHeld
	}
	if errors.Is(err, ErrInvalid) {
		return err
	}
	// Only the record tells its revision, and after a failure whether it is ours.
	e, lost := l.read(ctx)
	if lost != nil {
		return errors.Join(err, lost)
	}
	l.token, l.revision, l.until = e.Revision, e.Revision, since.Add(l.o.TTL)
	return nil
}

func (l *Lease) put(ctx context.Context, o *PutOptions) (bool, error) {
	o.TTL = l.o.TTL
	return l.view.Put(ctx, l.key, value.Object(
		value.M("id", value.String(l.id)),
		value.M("owner", value.String(l.o.Owner)),
		value.M("ttl_ms", value.Int(l.o.TTL.Milliseconds())),
	), o)
}

// read returns the record if it is ours, else ErrLost.
func (l *Lease) read(ctx context.Context) (Entry, error) {
	e, err := l.view.Get(ctx, l.key)
	if errors.Is(err, ErrNotFound) || err == nil && e.Value.At("id").Text() != l.id {
		return e, ErrLost
	}
	return e, err
}

// Token tells holders of the lease apart: whoever takes it later has a higher
// one. It stays when the lease is renewed.
func (l *Lease) Token() int64 { return l.token }

// Until returns when the lease runs out unless it is renewed.
func (l *Lease) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// Renew makes the lease last for its TTL from now. ErrLost says that it is over;
// after another error it may be tried again.
func (l *Lease) Renew(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := l.view.now()
	_, err := l.put(ctx, &PutOptions{IfRevision: l.revision})
	if err != nil && !errors.Is(err, ErrConflict) {
		return err
	}
	conflict := err != nil
	e, err := l.read(ctx)
	if err != nil {
		return err
	}
	l.revision = e.Revision
	if conflict { // with an earlier renewal of ours, whose answer was lost
		return fmt.Errorf("%w: try again", ErrUnavailable)
	}
	l.until = since.Add(l.o.TTL)
	return nil
}

// Release gives the lease back, so that others need not wait for its end. It
// returns ErrLost if it was ours no more.
func (l *Lease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, err := l.read(ctx)
	if err != nil {
		return err
	}
	s, err := l.view.use(ctx)
	if err != nil {
		return l.view.fail("release", l.key, err)
	}
	k, err := l.view.key(l.key)
	if err != nil {
		return err
	}
	deleted, err := s.Delete(ctx, k, e.Revision)
	if err == nil && !deleted {
		return ErrLost
	}
	return l.view.fail("release", l.key, err)
}

// Keep renews the lease until stop is called or ctx is over. The context that
// it returns ends then, or, with ErrLost as its cause, as soon as the lease is
// lost or could not be renewed in time. Call stop once; it waits for a renewal
// under way and does not release the lease.
func (l *Lease) Keep(ctx context.Context) (kept context.Context, stop func()) {
	kept, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for kept.Err() == nil {
			rest(kept, l.o.TTL/3)
			l.keepOnce(kept, cancel)
		}
	}()
	return kept, func() {
		cancel(context.Canceled)
		<-done
	}
}

// keepOnce renews the lease, again and again until it runs out.
func (l *Lease) keepOnce(ctx context.Context, cancel context.CancelCauseFunc) {
	for ctx.Err() == nil {
		left := l.Until().Sub(l.view.now())
		if left <= 0 {
			cancel(ErrLost)
			return
		}
		attempt, over := context.WithTimeout(ctx, left)
		err := l.Renew(attempt)
		over()
		switch {
		case err == nil || ctx.Err() != nil:
			return
		case errors.Is(err, ErrLost):
			cancel(ErrLost)
			return
		}
		rest(ctx, min(left, l.o.TTL/10+time.Millisecond))
	}
}
