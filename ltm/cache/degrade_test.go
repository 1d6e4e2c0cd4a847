package cache_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/value"
)

func set(p *atomic.Pointer[error], err error) {
	if err == nil {
		p.Store(nil)
		return
	}
	err = fmt.Errorf("injected: %w", err)
	p.Store(&err)
}

func TestAFailingStoreNeverFailsTheAction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err          error
		onRead       bool
		onWrite      bool
		status       cache.Status
		reasonPrefix string
	}{
		{ltm.ErrUnavailable, true, true, cache.Error, "unavailable: "},
		{ltm.ErrUnavailable, true, false, cache.Error, "unavailable: "},
		{ltm.ErrReadOnly, false, true, cache.Error, "read_only: "},
		{ltm.ErrFull, false, true, cache.Error, "full: "},
		{ltm.ErrClosed, true, true, cache.Error, "closed: "},
		{ltm.ErrNewer, true, true, cache.Error, "newer: "},
		{errors.New("disk I/O error"), true, true, cache.Error, "unavailable: "},
	} {
		b := newBench(t)
		if tt.onRead {
			set(&b.store.Reads, tt.err)
		}
		if tt.onWrite {
			set(&b.store.Writes, tt.err)
		}
		for i := range 5 {
			v, o, err := b.Do(t.Context(), request(options{"i": i}), policy(t, options{}), b.answer)
			if err != nil || v.IsNull() || o.Status != tt.status {
				t.Errorf("%v: %v %+v %v", tt.err, v, o, err)
			}
			if i == 0 && !strings.HasPrefix(o.Reason, tt.reasonPrefix) {
				t.Errorf("%v: reason %q", tt.err, o.Reason)
			}
		}
		if n := b.log.Warnings(); n != 1 {
			t.Errorf("%v: %d warnings", tt.err, n)
		}
	}
}

func TestNoMemoryMeansNoCache(t *testing.T) {
	t.Parallel()
	c := cache.New(nil, nil)
	defer c.Close()
	v, o, err := c.Do(t.Context(), request(options{}), policy(t, options{}), func(context.Context) (value.Value, error) {
		return value.Int(1), nil
	})
	if err != nil || !value.Equal(v, value.Int(1)) || o.Status != cache.Error || !strings.HasPrefix(o.Reason, "no_memory") {
		t.Errorf("%v %+v %v", v, o, err)
	}
}

func TestAFailingStoreIsToldOfOncePerRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	down := func(c *cache.Cache, w *cache.Warnings) {
		for i := range 5 {
			req := request(options{"i": i})
			req.Warnings = w
			if _, o, err := c.Do(t.Context(), req, policy(t, options{}), b.answer); err != nil || o.Status != cache.Error {
				t.Errorf("%+v %v", o, err)
			}
		}
	}
	set(&b.store.Reads, ltm.ErrUnavailable)
	set(&b.store.Writes, ltm.ErrUnavailable)
	other := cache.New(nil, nil) // of a sub-agent in the same run
	defer other.Close()
	var runs [2]ltmtest.Log
	for i := range runs {
		w := &cache.Warnings{Log: slog.New(slog.NewTextHandler(&runs[i], nil))}
		down(b.Cache, w)
		down(other, w)
	}
	if one, two := runs[0].Warnings(), runs[1].Warnings(); one != 1 || two != 1 || b.log.Warnings() != 0 {
		t.Errorf("%d warnings in the first run, %d in the second, %d elsewhere", one, two, b.log.Warnings())
	}
	down(b.Cache, new(cache.Warnings))
	down(b.Cache, nil)
	down(b.Cache, nil)
	if n := b.log.Warnings(); n != 2 {
		t.Errorf("%d warnings in the log of the cache", n)
	}
}

func TestOnCacheErrorFail(t *testing.T) {
	t.Parallel()
	for _, onRead := range []bool{true, false} {
		b := newBench(t)
		if onRead {
			set(&b.store.Reads, ltm.ErrUnavailable)
		} else {
			set(&b.store.Writes, ltm.ErrUnavailable)
		}
		_, o, err := b.Do(t.Context(), request(options{}), policy(t, options{"on_cache_error": "fail"}), b.answer)
		if !errors.Is(err, cache.ErrStore) || !errors.Is(err, ltm.ErrUnavailable) || o.Status != cache.Error {
			t.Errorf("%+v %v", o, err)
		}
		if onRead && b.runs.Load() != 0 {
			t.Error("the action ran all the same")
		}
	}
}

func TestAHangingStoreCostsNoMoreThanItsDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, punctual)
		b.store.Hangs.Store(true)
		start := time.Now()
		v, o, err := b.Do(t.Context(), request(options{}), policy(t, options{"lookup_timeout": "100ms"}), b.answer)
		if took := time.Since(start); err != nil || v.IsNull() || o.Status != cache.Error || took != 350*time.Millisecond {
			t.Errorf("%v %+v %v after %v", v, o, err, took)
		}
		if !strings.HasPrefix(o.Reason, "timeout: ") {
			t.Errorf("reason %q", o.Reason)
		}
		b.store.Hangs.Store(false)
		close(b.store.Release)
		synctest.Wait() // the write that went on in the background is done
		b.want(cache.Hit, "", request(options{}), policy(t, options{}))
	})
}

func TestCloseWaitsASecondAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, punctual)
		b.store.Hangs.Store(true)
		b.do(request(options{}), policy(t, options{"skip_cache": true}))
		start := time.Now()
		if err := b.Close(); err == nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		close(b.store.Release)
	})
}

func TestTheBreakerLeavesTheStoreAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := policy(t, options{"mode": "read"})
	set(&b.store.Reads, ltm.ErrUnavailable)
	for range 3 {
		b.want(cache.Error, "unavailable", request(options{}), p)
	}
	asked := b.store.Asks.Load()
	b.want(cache.Error, "resting", request(options{}), p)
	b.clock.Add(30*time.Second - 1)
	b.want(cache.Error, "resting", request(options{}), p)
	if b.store.Asks.Load() != asked {
		t.Error("the store was asked")
	}
	b.clock.Add(1)
	b.want(cache.Error, "unavailable", request(options{}), p) // one attempt
	b.want(cache.Error, "resting", request(options{}), p)
	b.clock.Add(30 * time.Second)
	set(&b.store.Reads, nil)
	b.want(cache.Miss, "not_found", request(options{}), p)
	b.want(cache.Miss, "not_found", request(options{}), p)
}

func TestAReadOnlyStoreStillServesHits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do(request(options{}), policy(t, options{}))
	set(&b.store.Writes, ltm.ErrReadOnly)
	for i := range 6 {
		b.want(cache.Error, "", request(options{"i": i}), policy(t, options{}))
		b.want(cache.Hit, "", request(options{}), policy(t, options{}))
	}
}

func TestFlightsGuardWhileTheStoreIsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		set(&b.store.Reads, ltm.ErrUnavailable)
		set(&b.store.Writes, ltm.ErrUnavailable)
		var runs atomic.Int64
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, o, err := b.Do(t.Context(), request(options{}), policy(t, options{}), slow(&runs, nil)); err != nil || o.Status != cache.Error {
					t.Errorf("%+v %v", o, err)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

func TestACorruptEntryIsAMissAndDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.want(cache.Miss, "", request(options{}), policy(t, options{}))
	b.store.Corrupt.Store(true)
	b.want(cache.Miss, "not_found", request(options{}), policy(t, options{"mode": "read"}))
	b.store.Corrupt.Store(false)
	if found, err := b.Get(t.Context(), "me", o.Key); err != nil || found.Found {
		t.Errorf("the damaged entry is still there: %+v, %v", found, err)
	}
	if n := b.log.Warnings(); n != 1 {
		t.Errorf("%d warnings", n)
	}
}

func TestACallerWhoLeavesDuringTheLookupRunsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, punctual)
		b.store.Hangs.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, _, err := b.Do(ctx, request(options{}), policy(t, options{}), b.answer)
		if !errors.Is(err, context.DeadlineExceeded) || b.runs.Load() != 0 || b.log.Warnings() != 0 {
			t.Errorf("%v, %d runs, %d warnings", err, b.runs.Load(), b.log.Warnings())
		}
		close(b.store.Release)
	})
}
