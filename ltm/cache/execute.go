package cache

import (
	"context"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/ltm"
)

// execute runs the call, stores what came out, and may clean up. seen is what
// the lookup found.
func (c *Cache) execute(ctx context.Context, l *call, seen served) served {
	started := c.now()
	v, err := l.run(ctx)
	stores := l.policy.Mode.stores()
	if stores {
		defer c.maybeCleanup(ctx, l.policy)
	}
	if kept, ok := c.keepStale(ctx, l, seen, v, err); ok {
		return kept
	}
	s := served{value: v, outcome: seen.outcome, err: err}
	took := max(0, c.now().Sub(started))
	switch {
	case err != nil:
		s.outcome.Stored = c.storeFailure(ctx, l, seen, err, took)
		return s
	case !stores:
		return s
	}
	size, reason := c.refusal(ctx, l, v)
	if reason != "" {
		s.outcome.Reason = reason
		return s
	}
	return c.keep(ctx, l, s, seen.entry, c.newRecord(l, v, size, took))
}

// keep stores the result that is served.
func (c *Cache) keep(ctx context.Context, l *call, s served, seen *ltm.Entry, r record) served {
	going, err := c.store(ctx, l, r, c.put(l, r.value, seen))
	switch {
	case errors.Is(err, errLeaseLost):
		s.outcome.Reason = "lease_lost: " + err.Error()
		return s
	case errors.Is(err, errOvertaken):
		s.outcome.Reason = "overtaken: " + err.Error()
		return s
	case err != nil:
		s.outcome = c.failed(ctx, l, s.outcome, err)
		if l.fails(err) {
			return served{outcome: s.outcome, err: fmt.Errorf("%w: %w", ErrStore, err)}
		}
	default:
		s.outcome.Stored = true
		c.stored(ctx, l.req.Quota, r.size)
	}
	if l.policy.Mode.looksUp() {
		s.storing = going
	}
	return s
}

// maybeCleanup removes expired entries in the background, as likely as the
// policy says.
func (c *Cache) maybeCleanup(ctx context.Context, p Policy) {
	if p.CleanupLimit <= 0 || p.CleanupProbability <= 0 {
		return
	}
	if p.CleanupProbability < 1 && c.chance() >= p.CleanupProbability {
		return
	}
	if !c.writes.allows() {
		return
	}
	c.inBackground(ctx, func(ctx context.Context) {
		_, err := c.shelf.removeExpired(ctx, p.CleanupLimit)
		c.writes.report(err == nil)
	})
}
