package actiontest

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// Env returns an environment in which nothing is real: memory in the process,
// files in a directory of the test's own, no network, a clock that jumps instead of waiting, a constant for chance, a
// text for every secret, and an Invoke that goes straight to the actions of r.
// It is closed at the end of the test.
func Env(tb testing.TB, r *actions.Registry) actions.Env {
	tb.Helper()
	clock := NewClock()
	memory := ltm.New(memltm.New(), &ltm.Options{Now: clock.Now})
	half := func() float64 { return 0.5 }
	results := cache.New(memory, &cache.Options{Now: clock.Now, Rand: half})
	set, err := filters.NewSet()
	if err != nil {
		tb.Fatalf("the filters: %v", err)
	}
	client := &http.Client{Transport: offline{}}
	storage := blob.New(&blob.Options{HTTP: client, Dir: tb.TempDir()})
	tb.Cleanup(func() {
		if err := errors.Join(results.Close(), memory.Close(), storage.Close()); err != nil {
			tb.Errorf("closing the environment: %v", err)
		}
	})
	env := actions.Env{
		Memory:    memory,
		Cache:     results,
		Storage:   storage,
		Namespace: "test",
		AgentID:   "test",
		HTTP:      client,
		Secrets:   func(name string) (string, error) { return "secret-" + name, nil },
		Clock:     clock,
		Rand:      half,
		Scratch:   new(actions.Scratch),
		Registry:  r,
		Filters:   set,
	}
	return env.WithInvoker(Direct(r, env))
}

// Direct returns a handler that hands every call to its action in r, with env
// and nothing around it but the cache, where the call has a policy for it.
func Direct(r *actions.Registry, env actions.Env) actions.Handler {
	var handle actions.Handler
	handle = func(ctx context.Context, c *actions.Call) (actions.Result, error) {
		a, ok := r.Lookup(c.Action)
		if !ok {
			return actions.Result{}, actions.Errorf(actions.CodeNotFound, "unknown action %q", c.Action)
		}
		run := func(ctx context.Context) (value.Value, error) {
			result, err := a.Handle(ctx, env.WithInvoker(handle), c)
			return result.Output, err
		}
		if c.Policy.Cache == nil || env.Cache == nil {
			out, err := run(ctx)
			return actions.Result{Output: out}, err
		}
		out, outcome, err := env.Cache.Do(ctx, request(a, env, c), *c.Policy.Cache, run)
		return actions.Result{Output: out, Meta: actions.Meta{Cache: &outcome}}, err
	}
	return handle
}

// request describes a call to the cache.
func request(a actions.Action, env actions.Env, c *actions.Call) cache.Request {
	req := cache.Request{
		Action: c.Action, Version: a.Spec().Version, Args: a.Input().Normalize(c.Input),
		Namespace: env.Namespace, AgentID: env.AgentID, Secret: env.Secrets,
	}
	if env.Storage != nil {
		req.HashFile = func(ctx context.Context, uri string) (cache.FileHash, error) {
			sum, size, err := env.Storage.Hash(ctx, uri, "sha256")
			return cache.FileHash{Hash: sum, Size: size}, err
		}
	}
	return req
}

// offline is the way to no server.
type offline struct{}

// RoundTrip implements http.RoundTripper.
func (offline) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("there is no network in this test")
}

// Clock is a clock that stands still but for those who sleep. It is safe for
// concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows the morning of the first of January 2030.
func NewClock() *Clock {
	return &Clock{now: time.Date(2030, 1, 1, 8, 0, 0, 0, time.UTC)}
}

// Now implements [actions.Clock].
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep implements [actions.Clock]: it moves the clock and returns.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.Advance(max(d, 0))
	return nil
}

// Advance moves the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
