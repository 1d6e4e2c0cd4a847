package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// Codes of failures that the cache treats apart; see actions.Code.
const (
	codeCanceled          = "canceled"
	codeReplayMiss        = "replay_miss"
	codeInternal          = "internal"
	codeCredentialMissing = "credential_missing" //nolint:gosec // names the lack of one
	codeFailed            = "failed"
	codeNotFound          = "not_found"
)

// staleWindow is how long a row stays in the store after the time of its entry
// is over.
func (p *Policy) staleWindow() time.Duration {
	return max(0, p.StaleWhileRevalidate, p.StaleIfError)
}

// freshUntil returns when the time of a stored entry is over; zero is never.
// The store keeps its row for the stale window longer.
func freshUntil(e *ltm.Entry) time.Time {
	if e.ExpiresAt.IsZero() {
		return e.ExpiresAt
	}
	window, _ := e.Metadata.At(MetaStale).AsInt()
	return e.ExpiresAt.Add(-time.Duration(window) * time.Millisecond)
}

// within tells whether an entry whose time was over at the given time may still
// be served for so long.
func within(window time.Duration, freshUntil, now time.Time) bool {
	return window > 0 && now.Before(freshUntil.Add(window))
}

// keepStale returns the stale result that is served in the place of a failure,
// if the policy has it so. What was cancelled, and what a recording lacks, fails
// in any case.
func (c *Cache) keepStale(ctx context.Context, l *call, seen served, v value.Value, err error) (s served, kept bool) {
	if l.policy.StaleIfError <= 0 || seen.outcome.Status != Expired || ctx.Err() != nil {
		return served{}, false
	}
	code, message := l.failure(v, err)
	e, window := seen.entry, l.policy.StaleIfError
	if e == nil || isFailure(e) || code == "" || code == codeCanceled || code == codeReplayMiss || !within(window, freshUntil(e), c.now()) {
		return served{}, false
	}
	o := Outcome{Status: Stale, Key: l.id.text, Reason: "stale_if_error: " + code + ": " + message, CreatedAt: createdAt(e)}
	return served{value: e.Value, outcome: o}, true
}

// failure returns the code and the message of a failed execution; the code is ""
// when it has not failed.
func (l *call) failure(v value.Value, err error) (code, message string) {
	switch {
	case errors.Is(err, context.Canceled):
		return codeCanceled, err.Error()
	case err != nil && l.req.Code != nil:
		return l.req.Code(err), err.Error()
	case err != nil:
		return codeFailed, err.Error()
	case Failed(v):
		code, _ = v.At("error_type").AsString()
		return or(code, codeFailed), v.At("error").Text()
	}
	return "", ""
}

// refreshing marks the context of a refresh in the background.
type refreshing struct{}

// InBackground tells whether ctx is that of a refresh in the background: nobody
// waits for its result, and the run that began it may be over.
func InBackground(ctx context.Context) bool { return ctx.Value(refreshing{}) != nil }

// refresh runs a call in the background, whose stale result was served, unless
// an equal call is under way.
func (c *Cache) refresh(ctx context.Context, l *call, seen served) {
	if !l.policy.Mode.stores() || c.stop.Err() != nil {
		return
	}
	f := c.flights.claim(l.flightKey())
	if f == nil {
		return
	}
	again := *l
	again.nested, again.background = true, true
	// What is stale was served, and stays until there is something better.
	again.policy.StaleWhileRevalidate, again.policy.NegativeTTL = 0, 0
	again.window = l.policy.staleWindow()
	seen.outcome.Status = Expired
	deadline, bounded := ctx.Deadline()
	c.flights.start(context.WithValue(ctx, refreshing{}, true), f, func(ctx context.Context) served {
		if bounded {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline)
			defer cancel()
		}
		return c.lead(ctx, &again, seen)
	})
	release := context.AfterFunc(c.stop, func() { f.cancel(errClosed) })
	c.refreshes.Go(func() {
		<-f.done
		release()
		c.tellRefresh(l, f)
	})
}

var errClosed = errors.New("the cache was closed")

// tellRefresh logs a refresh that failed: nobody else learns of it.
func (c *Cache) tellRefresh(l *call, f *flight) {
	err := f.result.err
	if f.broke {
		err = fmt.Errorf("the call broke off: %v", f.problem)
	}
	if err != nil {
		c.log.Info("cache: a stale result could not be refreshed", "key", l.id.text, "error", err)
	}
}
