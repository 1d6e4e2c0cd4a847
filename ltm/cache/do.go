package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// ErrMiss is the error of a call with mode Require that has no entry.
var ErrMiss = errors.New("cache: no stored result")

// ErrStore is the error of a call with FailOnError when the store fails.
var ErrStore = errors.New("cache: the store fails")

// call is one call that goes through the cache.
type call struct {
	req    Request
	policy Policy
	id     *identity
	run    func(context.Context) (value.Value, error)

	nested     bool            // inside a flight: it waits for nobody
	background bool            // a refresh: nobody waits for it
	window     time.Duration   // of a refresh: the stale window of the call that began it
	lease      *ltm.Lease      // under which it runs; nil: it has none
	kept       context.Context // over when the lease is lost
}

// Do serves a call from the cache or runs it, and stores what came out.
//
// The error is that of run, a *Failure, ErrMiss, ErrStore, ErrLock,
// ltm.ErrConfig, or that of ctx; a
// failure of the cache itself is told by the outcome alone. Calls of equal key and mode that
// meet share one execution: run then belongs to one of them, and its context,
// which has the values of that call's, ends when all of them have left.
func (c *Cache) Do(ctx context.Context, req Request, p Policy, run func(context.Context) (value.Value, error)) (value.Value, Outcome, error) {
	s := c.do(ctx, req, p, run)
	c.counts.add(s.outcome.Status)
	return s.value, s.outcome, s.err
}

func (c *Cache) do(ctx context.Context, req Request, p Policy, run func(context.Context) (value.Value, error)) served {
	if p.Mode == Off {
		v, err := run(ctx)
		return served{value: v, outcome: Outcome{Status: Bypass, Reason: "off"}, err: err}
	}
	if err := c.shelf.ready(ctx); err != nil {
		return served{outcome: Outcome{Status: Error, Reason: errorReason(err)}, err: err}
	}
	id, err := c.identify(ctx, req, p.Key)
	if err != nil {
		outcome := Outcome{Status: Uncacheable, Reason: err.Error()}
		if p.Mode == Require {
			return served{outcome: outcome, err: fmt.Errorf("%w for %s: %w", ErrMiss, req.Action, err)}
		}
		v, err := run(ctx)
		return served{value: v, outcome: outcome, err: err}
	}
	return c.serve(ctx, &call{req: req, policy: p, id: id, run: run, nested: ctx.Value(inFlight{}) != nil})
}

// serve looks up, and then leads or joins the flight of the call.
func (c *Cache) serve(ctx context.Context, l *call) served {
	for {
		seen := c.flights.count()
		s, final := c.lookup(ctx, l)
		if final {
			return s
		}
		f, role := c.flights.join(ctx, l.flightKey())
		switch role {
		case alone:
			return c.execute(ctx, l, s)
		case leads:
			c.flights.start(ctx, f, func(ctx context.Context) served {
				if c.flights.count() != seen {
					// The result may have been stored after the lookup.
					if again, final := c.lookup(ctx, l); final {
						return again
					}
				}
				return c.lead(ctx, l, s)
			})
			return c.flights.wait(ctx, f)
		}
		if s := c.flights.wait(ctx, f); !private(s.err) || ctx.Err() != nil {
			return s.shared()
		}
		// Another call was cancelled or out of time: not this one's affair.
	}
}

// shared returns the result as a call gets it that did not run it.
func (s served) shared() served {
	if s.err == nil && s.outcome.Status == Miss {
		s.outcome.Reason = "shared: an equal call was under way"
	}
	s.outcome.Stored = false
	return s
}

// flightKey tells apart calls that must not share an execution.
func (l *call) flightKey() string {
	key := l.policy.Mode.String() + "\x00" + l.id.text
	for _, p := range l.id.who {
		key += "\x00" + p.name + "\x00" + p.digest()
	}
	return key
}

// lookup looks the call up. It is final when the call need not be run: where the
// entry is served, and where it must not be. Otherwise its outcome says why there
// is no hit.
func (c *Cache) lookup(ctx context.Context, l *call) (s served, final bool) {
	if !l.policy.Mode.looksUp() {
		return served{outcome: Outcome{Status: Refreshed, Key: l.id.text}}, false
	}
	e, outcome, err := c.find(ctx, l)
	if err != nil {
		if ctx.Err() != nil {
			return served{outcome: outcome, err: ended(ctx)}, true
		}
		outcome = c.failed(ctx, l, outcome, err)
		if l.fails(err) {
			return served{outcome: outcome, err: fmt.Errorf("%w: %w", ErrStore, err)}, true
		}
	}
	switch {
	case outcome.Status == Hit && isFailure(e):
		return served{outcome: outcome, err: failureOf(e)}, true
	case outcome.Status == Hit:
		return served{value: e.Value, outcome: outcome}, true
	case outcome.Status == Stale:
		c.refresh(ctx, l, served{outcome: outcome, entry: e})
		return served{value: e.Value, outcome: outcome}, true
	case l.policy.Mode == Require:
		return served{outcome: outcome, err: fmt.Errorf("%w for %s under %s (%s)", ErrMiss, l.req.Action, l.id.text, outcome.Reason)}, true
	default:
		return served{outcome: outcome, entry: e}, false
	}
}

// fails tells whether a failure of the store is one of the call: where the
// policy says so, and where no store can ever be opened.
func (l *call) fails(err error) bool {
	return l.policy.FailOnError || errors.Is(err, ltm.ErrConfig)
}

// failed returns the outcome of a call for which the store failed.
func (c *Cache) failed(ctx context.Context, l *call, o Outcome, err error) Outcome {
	c.warn(ctx, l.req.Warnings, err)
	o.Status, o.Reason = Error, errorReason(err)
	return o
}
