package chain

import (
	"context"
	"sync"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/ltm/cache"
)

// observe measures calls, counts what the cache did for them and, for inner
// calls, tells events.
func (l *links) observe(inner bool) actions.Middleware {
	return func(next actions.Handler) actions.Handler {
		return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
			if cache.InBackground(ctx) {
				return next(ctx, call) // the run that it belongs to may be over
			}
			at := event.Call{Node: call.Node, ID: call.ID}
			if inner {
				l.Observer.Tell(event.CallStarted{Call: at, Action: call.Action})
			}
			outer, _ := ctx.Value(nested{}).(*calls)
			within := &calls{}
			start := l.Clock.Now()
			r, err := next(context.WithValue(ctx, nested{}, within), call)
			r.Meta.Duration = l.Clock.Now().Sub(start)
			if r.Meta.Cache != nil {
				count(l.Observer, *r.Meta.Cache)
			}
			if r.Meta.Cache == nil && r.Meta.Answer == nil {
				r.Meta.Cache, r.Meta.Answer = within.only()
			} else if r.Meta.Answer != nil {
				count(l.Observer, *r.Meta.Answer)
			}
			outer.add(r.Meta)
			if inner {
				l.Observer.Tell(event.CallFinished{
					Call: at, Action: call.Action, DurationMS: r.Meta.Duration.Milliseconds(),
					Cache: event.CacheOf(r.Meta.Cache), LLMCache: event.CacheOf(r.Meta.Answer), Error: errorEvent(err),
				})
			}
			return r, err
		}
	}
}

func count(o Observer, outcome cache.Outcome) {
	switch outcome.Status {
	case cache.Hit, cache.Stale:
		o.Count(true, outcome.Saved, outcome.SavedUSD)
	case cache.Miss, cache.Expired, cache.Refreshed:
		o.Count(false, 0, 0)
	}
}

func errorEvent(err error) *event.Error {
	if err == nil {
		return nil
	}
	return &event.Error{Code: string(actions.CodeOf(err)), Message: err.Error()}
}

// nested is the context key of the calls of the call under way.
type nested struct{}

// calls notes the outcomes of the calls that one call made. A call whose only
// inner call was cached, as cache.wrap's is, shows that outcome as its own.
type calls struct {
	mu     sync.Mutex
	n      int
	cache  *cache.Outcome
	answer *cache.Outcome
}

// add notes one more call. It does nothing on nil.
func (c *calls) add(m actions.Meta) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.cache, c.answer = m.Cache, m.Answer
}

// only returns the outcomes of the only call, or nothing.
func (c *calls) only() (results, answers *cache.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n != 1 {
		return nil, nil
	}
	return c.cache, c.answer
}
