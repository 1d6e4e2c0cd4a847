package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm"
)

// waiting is a call that wants to lead among all processes.
type waiting struct {
	cache     *Cache
	call      *call
	id        string // of the lease
	contender *ltm.Contender
	lease     *ltm.Lease // once it leads
	seen      served     // of the last lookup
	tried     time.Time  // when it last asked for the lease

	holder    string // who leads, and until when
	until     time.Time
	fruitless int // leaders that ended and left nothing
}

// wait waits until the call leads, until it need not be run any more (final), or
// until it does best on its own. It returns the last lookup.
func (w *waiting) wait(ctx context.Context) (s served, final bool) {
	for {
		held, err := w.try(ctx)
		switch {
		case err != nil:
			return w.failed(ctx, err)
		case w.lease != nil:
			// The result may have been stored after the lookup.
			if s, final = w.cache.lookup(ctx, w.call); final {
				w.cache.inBackground(ctx, func(ctx context.Context) { w.cache.giveBack(ctx, w.lease) })
			}
			return s, final
		}
		w.note(held)
		switch {
		case w.call.nested:
			return w.seen, false
		case w.fruitless >= mostLeaders:
			return w.cache.lookup(ctx, w.call)
		}
		if free, final := w.watch(ctx); final || !free {
			return w.seen, final
		}
	}
}

// try asks for the lease once; held says who has it.
func (w *waiting) try(ctx context.Context) (held *ltm.HeldError, err error) {
	limit := 4 * pick(w.call.policy.LookupTimeout, w.cache.lookupTimeout)
	w.tried = w.cache.now()
	type bid struct {
		lease *ltm.Lease
		held  *ltm.HeldError
	}
	b, err := ask(ctx, w.cache.writes, limit, func(ctx context.Context) (bid, error) {
		lease, err := w.contender.Try(ctx)
		if held, ok := errors.AsType[*ltm.HeldError](err); ok {
			return bid{held: held}, nil
		}
		if errors.Is(err, ltm.ErrHeld) { // somebody took it this moment
			return bid{held: &ltm.HeldError{}}, nil
		}
		if lease != nil && ctx.Err() != nil { // too late: nobody would hold it
			return bid{}, errors.Join(ctx.Err(), lease.Release(context.WithoutCancel(ctx)))
		}
		return bid{lease: lease}, err
	})
	w.lease = b.lease
	return b.held, err
}

// failed says what becomes of a call that cannot ask for the lease: it runs
// without, as with any failure of the store.
func (w *waiting) failed(ctx context.Context, err error) (s served, final bool) {
	c, l := w.cache, w.call
	s = w.seen
	switch {
	case ctx.Err() != nil:
		return served{outcome: s.outcome, err: ended(ctx)}, true
	case errors.Is(err, errors.ErrUnsupported):
		s.outcome.Status, s.outcome.Reason = Error, errorReason(err)
		return served{outcome: s.outcome, err: fmt.Errorf("%w: %w", ErrLock, err)}, true
	}
	s.outcome = c.failed(ctx, l, s.outcome, err)
	if l.fails(err) {
		return served{outcome: s.outcome, err: fmt.Errorf("%w: %w", ErrStore, err)}, true
	}
	return s, false
}

// note notes who leads. One who left before the lease was over has ended, and as
// there is no entry, it left nothing.
func (w *waiting) note(held *ltm.HeldError) {
	if w.holder != "" && held.Owner != w.holder && w.until.After(w.cache.now()) {
		w.fruitless++
	}
	w.holder, w.until = held.Owner, held.Until
}

// watch waits until the lease may be free. It is final when meanwhile there is
// an entry, or ctx is over; otherwise, when it is not free, the store fails.
func (w *waiting) watch(ctx context.Context) (free, final bool) {
	c := w.cache
	failures := 0
	for pause := shortestPause; ; pause = min(pause*3/2, longestPause, c.leaseTTL/4+time.Millisecond) {
		if !sleep(ctx, pause+time.Duration(c.chance()*float64(pause)/2)) {
			w.seen = served{outcome: w.seen.outcome, err: ended(ctx)}
			return false, true
		}
		free := w.free(ctx) // before the lookup: a leader stores first, and then gives back
		s, final := c.lookup(ctx, w.call)
		if final {
			w.seen = s
			return false, true
		}
		if s.outcome.Status == Error {
			if failures++; failures >= mostErrors {
				w.seen = s
				return false, false
			}
			continue
		}
		failures, w.seen = 0, s
		if free {
			return true, false
		}
	}
}

// free tells whether it is worth to ask for the lease, by a look at it that
// changes nothing. Where clocks differ only asking again and again finds out.
func (w *waiting) free(ctx context.Context) bool {
	c := w.cache
	now := c.now()
	if !now.Before(w.until) || now.Sub(w.tried) >= c.leaseTTL/4 {
		return true
	}
	limit := pick(w.call.policy.LookupTimeout, c.lookupTimeout)
	owner, err := ask(ctx, c.lookups, limit, func(ctx context.Context) (string, error) {
		return c.shelf.holder(ctx, w.call.id.key.Namespace, w.id)
	})
	return err == nil && owner != w.holder
}

// sleep waits, and tells whether ctx is not over.
func sleep(ctx context.Context, d time.Duration) bool {
	pause, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-pause.Done()
	return ctx.Err() == nil
}
