package cache_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// slow returns a run that takes a second, counts itself and ends with its
// context.
func slow(runs *atomic.Int64, err error) func(context.Context) (value.Value, error) {
	return func(ctx context.Context) (value.Value, error) {
		n := runs.Add(1)
		select {
		case <-time.After(time.Second):
			return value.Int(n), err
		case <-ctx.Done():
			return value.Null(), context.Cause(ctx)
		}
	}
}

func TestEqualCallsShareOneExecution(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var runs atomic.Int64
		var wg sync.WaitGroup
		var hits, shared atomic.Int64
		for range 50 {
			wg.Go(func() {
				v, o, err := b.Do(t.Context(), request(options{}), policy(t, options{}), slow(&runs, nil))
				if err != nil || !value.Equal(v, value.Int(1)) {
					t.Errorf("%v, %v", v, err)
				}
				if o.Status == cache.Hit {
					hits.Add(1)
				}
				if o.Reason == "shared: an equal call was under way" {
					shared.Add(1)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 1 || hits.Load() != 0 || shared.Load() != 49 {
			t.Errorf("%d runs, %d hits, %d shared", runs.Load(), hits.Load(), shared.Load())
		}
	})
}

func TestErrorsAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var runs atomic.Int64
		fails := errors.New("no")
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				_, o, err := b.Do(t.Context(), request(options{}), policy(t, options{}), slow(&runs, fails))
				if !errors.Is(err, fails) || o.Status != cache.Miss {
					t.Errorf("%v, %v", o, err)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
		if stats, _ := b.Stats(t.Context()); stats.Served[cache.Miss] != 5 {
			t.Errorf("counted %v", stats.Served)
		}
	})
}

func TestDifferentIdentitiesUnderOneKeyDoNotShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var runs atomic.Int64
		var wg sync.WaitGroup
		for _, action := range []string{"http.get", "web.search"} {
			wg.Go(func() {
				req := request(options{})
				req.Action = action
				b.Do(t.Context(), req, policy(t, options{"key": "k"}), slow(&runs, nil))
			})
		}
		wg.Wait()
		if runs.Load() != 2 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

func TestALeaderThatLeavesDoesNotEndTheFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var runs atomic.Int64
		leader, cancel := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		gone := errors.New("the user pressed a key")
		wg.Go(func() {
			if _, _, err := b.Do(leader, request(options{}), policy(t, options{}), slow(&runs, nil)); !errors.Is(err, gone) || !errors.Is(err, context.Canceled) {
				t.Errorf("the leader got %v", err)
			}
			if since := time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)); since != 500*time.Millisecond {
				t.Errorf("the leader left after %v", since)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			v, _, err := b.Do(t.Context(), request(options{}), policy(t, options{}), slow(&runs, nil))
			if err != nil || !value.Equal(v, value.Int(1)) {
				t.Errorf("the follower got %v, %v", v, err)
			}
		})
		time.Sleep(500 * time.Millisecond)
		cancel(gone)
		wg.Wait()
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

func TestTheLastToLeaveEndsTheFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var ended atomic.Bool
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, _, err := b.Do(ctx, request(options{}), policy(t, options{}), func(ctx context.Context) (value.Value, error) {
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond)
			ended.Store(true)
			return value.Null(), ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || !ended.Load() {
			t.Errorf("%v; run has ended: %v", err, ended.Load())
		}
		b.want(cache.Miss, "not_found", request(options{}), policy(t, options{}))
	})
}

func TestALeadersOwnTimeoutIsNotShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var runs atomic.Int64
		short := func(ctx context.Context) (value.Value, error) {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
			defer cancel()
			return slow(&runs, nil)(ctx)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, _, err := b.Do(t.Context(), request(options{}), policy(t, options{}), short); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the leader got %v", err)
			}
		})
		synctest.Wait()
		for range 3 {
			wg.Go(func() {
				v, _, err := b.Do(t.Context(), request(options{}), policy(t, options{}), slow(&runs, nil))
				if err != nil || !value.Equal(v, value.Int(2)) {
					t.Errorf("a follower got %v, %v", v, err)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 2 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

func TestNestedEqualCallsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		p := policy(t, options{})
		one, other := request(options{"q": 1}), request(options{"q": 2})
		v, _, err := b.Do(t.Context(), one, p, func(ctx context.Context) (value.Value, error) {
			v, _, err := b.Do(ctx, other, p, func(ctx context.Context) (value.Value, error) {
				v, _, err := b.Do(ctx, one, p, b.answer)
				return v, err
			})
			return v, err
		})
		if err != nil || !value.Equal(v, value.Must(options{"n": 1})) {
			t.Errorf("%v, %v", v, err)
		}
	})
}

func TestCrossedNestedCallsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		p := policy(t, options{})
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				outer, inner := request(options{"q": i}), request(options{"q": 1 - i})
				_, _, err := b.Do(t.Context(), outer, p, func(ctx context.Context) (value.Value, error) {
					time.Sleep(time.Second) // now both flights are under way
					v, _, err := b.Do(ctx, inner, p, b.answer)
					return v, err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestAPanicReachesEveryCallerAndHangsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var wg sync.WaitGroup
		var caught atomic.Int64
		for range 3 {
			wg.Go(func() {
				defer func() {
					if recover() == "boom" {
						caught.Add(1)
					}
				}()
				b.Do(t.Context(), request(options{}), policy(t, options{}), func(context.Context) (value.Value, error) {
					time.Sleep(time.Second)
					panic("boom")
				})
			})
		}
		wg.Wait()
		if caught.Load() != 3 {
			t.Errorf("%d callers saw the panic", caught.Load())
		}
		b.want(cache.Miss, "not_found", request(options{}), policy(t, options{}))
	})
}

func TestASecondLookupFindsWhatWasStoredMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				b.Do(t.Context(), request(options{"q": i}), p, b.answer)
			}
		})
	}
	wg.Wait()
	if runs := b.runs.Load(); runs != 200 {
		t.Errorf("%d runs for 200 different calls", runs)
	}
}

func TestAResultOnItsWayToTheStoreIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, punctual)
		b.store.HangsOnPut.Store(true)
		p := policy(t, options{})
		b.want(cache.Error, "timeout", request(options{}), p)
		v, _ := b.do(request(options{}), p)
		if b.runs.Load() != 1 || !value.Equal(v, value.Must(options{"n": 1})) {
			t.Errorf("%v after %d runs", v, b.runs.Load())
		}
		b.Do(t.Context(), request(options{"q": 1}), p, func(ctx context.Context) (value.Value, error) {
			v, _, err := b.Do(ctx, request(options{}), p, b.answer) // from inside of a flight too
			return v, err
		})
		if b.runs.Load() != 1 {
			t.Errorf("%d runs", b.runs.Load())
		}
		v, _ = b.do(request(options{}), policy(t, options{"skip_cache": true}))
		if b.runs.Load() != 2 || !value.Equal(v, value.Must(options{"n": 2})) {
			t.Errorf("a fresh result was asked for: %v after %d runs", v, b.runs.Load())
		}
		close(b.store.Release)
		synctest.Wait()
		b.want(cache.Hit, "", request(options{}), p)
	})
}

func TestAResultIsNotSharedForeverWhenTheStoreHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, punctual)
		b.store.HangsOnPut.Store(true)
		p := policy(t, options{})
		b.do(request(options{}), p)
		time.Sleep(10 * time.Second)
		b.do(request(options{}), p)
		if b.runs.Load() != 2 {
			t.Errorf("%d runs", b.runs.Load())
		}
		close(b.store.Release)
	})
}
