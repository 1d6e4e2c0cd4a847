package llmcache

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Request is a call of a model.
type Request struct {
	// Identity is all that makes the call what it is: an object. It may hold
	// secrets.
	Identity value.Value
	// Provider and Model are what the entry is listed under.
	Provider, Model string
	// Secret returns the text of a secret. Nil: a call with secrets has no key.
	Secret func(name string) (string, error)
	// Cost tells what an answer costs at today's prices, if that is known: so
	// much is saved by a hit. Nil: what it cost when it was stored.
	Cost func(r *Response) (usd float64, known bool)
	// Warnings are those of the run that the call belongs to. Nil: the Cache
	// warns once for all such calls.
	Warnings *cache.Warnings
}

// Outcome tells what the cache did for a call; its Key is that of the function
// Key.
type Outcome = cache.Outcome

// actionName stands in the key of an entry's material where package cache has
// an action; formatVersion is the version of what is stored.
const (
	actionName    = "llm"
	formatVersion = 1
)

// Wrap serves a call from the cache or makes it, and stores the answer if it is
// a success.
//
// The error is that of call or of ctx, or ltm.ErrConfig; a failure of the cache
// itself is told by the outcome alone. A call that was cut off must return an
// error: what it returns without one is taken as whole. Equal calls that meet
// share one execution, as package cache says: only the caller whose call was made
// has seen the chunks as they came, the others find them in their Response.
func (c *Cache) Wrap(ctx context.Context, req Request, mode Mode, call func(ctx context.Context) (Response, error)) (Response, Outcome, error) {
	if mode == Off {
		r, err := call(ctx)
		return r, Outcome{Status: cache.Bypass, Reason: "off"}, err
	}
	key, err := c.Key(ctx, req)
	switch {
	case errors.Is(err, ltm.ErrConfig):
		return Response{}, Outcome{Status: cache.Error, Reason: "config: " + err.Error()}, err
	case err != nil:
		r, failure := call(ctx)
		return r, Outcome{Status: cache.Uncacheable, Reason: err.Error()}, failure
	}
	v, outcome, err := c.inner.Do(ctx, cacheRequest(req.Warnings), c.policy(cache.Shared, key, mode), c.making(req, key, mode, call))
	outcome.Key = key
	if err != nil {
		return Response{}, outcome, err
	}
	var e Entry
	if !e.decode(v) { // stored by another program: its checksum holds
		r, err := call(ctx)
		return r, Outcome{Status: cache.Error, Key: key, Reason: "corrupt: the entry is no answer of a model"}, err
	}
	if outcome.Status == cache.Hit {
		outcome.Saved = e.Duration
	}
	outcome.SavedUSD = c.note(req, key, &e.Response, outcome)
	return e.Response, outcome, nil
}

// making makes the call, stores its request if it succeeds, and returns what is
// to be stored as its answer.
func (c *Cache) making(req Request, key string, mode Mode, call func(context.Context) (Response, error)) func(context.Context) (value.Value, error) {
	return func(ctx context.Context) (value.Value, error) {
		began := c.now()
		r, err := call(ctx)
		if err != nil {
			return value.Null(), err
		}
		e := Entry{Provider: req.Provider, Model: req.Model, Response: r}
		e.Duration = max(0, c.now().Sub(began))
		if mode != Read && !cache.Failed(r.Result) {
			c.storeRequest(ctx, key, req.Identity, req.Warnings)
		}
		return e.encode(), nil
	}
}

func cacheRequest(w *cache.Warnings) cache.Request {
	return cache.Request{Action: actionName, Version: formatVersion, Args: value.Object(), Warnings: w}
}

// requests is the namespace in which the requests of entries stand; the answers
// are in the shared one.
const requests = "requests"

// policy caches under a key that is ready, for ever.
func (c *Cache) policy(namespace, key string, mode Mode) cache.Policy {
	return cache.Policy{
		Mode: mode, TTL: cache.Never, MaxEntryBytes: c.largest,
		Key: cache.KeyPolicy{
			Strategy: cache.ByCustom, Custom: cache.Operand{Value: value.String(key)},
			Namespace: namespace, Shared: namespace == cache.Shared,
		},
	}
}

// storeRequest stores the request of an answer. Like the answer it is not
// missed if the store fails, of which one warning tells.
func (c *Cache) storeRequest(ctx context.Context, key string, identity value.Value, w *cache.Warnings) {
	_, _, _ = c.inner.Do(ctx, cacheRequest(w), c.policy(requests, key, Write),
		func(context.Context) (value.Value, error) {
			return value.Object(value.M("request", masked(identity))), nil
		})
}

// note counts what became of a call, and returns how many dollars that saved.
func (c *Cache) note(req Request, key string, r *Response, o Outcome) (usd float64) {
	s := served{
		key: key, model: modelName{req.Provider, req.Model}, at: c.instant(),
		hit: o.Status == cache.Hit, stored: o.Stored,
		lookup: o.Status == cache.Hit || o.Status == cache.Miss,
	}
	if s.hit {
		s.saves(r, req.Cost)
	}
	if s.lookup || s.stored {
		c.count(s)
	}
	return s.usd
}
