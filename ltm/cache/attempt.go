package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm"
)

var (
	errResting = errors.New("the store failed before and is left alone for a while")
	errTooSlow = errors.New("the store did not answer in time")
)

// ErrNoMemory is the error of a Cache that was made without a memory.
var ErrNoMemory = errors.New("cache: there is no long-term memory")

// answer is what an attempt gives.
type answer[T any] struct {
	value T
	err   error
}

// ask asks the store something, for at most the given time, even if the store
// does not care about contexts.
func ask[T any](ctx context.Context, b *breaker, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	var zero T
	if !b.allows() {
		return zero, errResting
	}
	asked, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan answer[T], 1)
	go func() {
		v, err := f(asked)
		done <- answer[T]{v, err}
	}()
	select {
	case a := <-done:
		if a.err != nil && asked.Err() != nil {
			a.err = b.late(ctx, limit)
			return zero, a.err
		}
		b.report(a.err == nil || errors.Is(a.err, ltm.ErrInvalid))
		return a.value, a.err
	case <-asked.Done():
		return zero, b.late(ctx, limit)
	}
}

// late reports that the store was too slow, unless it was the caller who left.
func (b *breaker) late(ctx context.Context, limit time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.report(false)
	return fmt.Errorf("%w: %v", errTooSlow, limit)
}

// tell changes the store. If that is slow, it goes on in the background and
// tell returns errTooSlow; going is then closed when it is over, or has taken
// so long that what is stored is of no use.
func (c *Cache) tell(ctx context.Context, use time.Duration, f func(context.Context) error) (going <-chan struct{}, err error) {
	if !c.writes.allows() {
		return nil, errResting
	}
	done := make(chan error, 1)
	write, over := context.WithTimeout(c.stop, min(writeLimit, use))
	c.inBackground(ctx, func(ctx context.Context) {
		defer over()
		err := f(ctx)
		c.writes.report(err == nil || errors.Is(err, ltm.ErrInvalid) || errors.Is(err, errOvertaken))
		done <- err
	})
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.storeTimeout)
	defer cancel()
	select {
	case err := <-done:
		return nil, err
	case <-patience.Done():
		c.writes.report(false)
		return write.Done(), fmt.Errorf("%w: %v", errTooSlow, c.storeTimeout)
	}
}

// inBackground runs f for at most writeLimit, whatever becomes of ctx, but not
// for long after Close.
func (c *Cache) inBackground(ctx context.Context, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	release := context.AfterFunc(c.stop, cancel)
	c.background.Go(func() {
		defer cancel()
		defer release()
		f(ctx)
	})
}
