package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// coded is an error with a code.
type coded string

func (c coded) Error() string { return "it is " + string(c) }

func codeOf(err error) string {
	if c, ok := errors.AsType[coded](err); ok {
		return string(c)
	}
	return "failed"
}

// codedRequest is a request whose errors have codes.
func codedRequest(args any) cache.Request {
	req := request(args)
	req.Code = codeOf
	return req
}

// failing makes a run that counts itself and fails.
func (b *bench) failing(err error) func(context.Context) (value.Value, error) {
	return func(context.Context) (value.Value, error) {
		b.runs.Add(1)
		return value.Null(), err
	}
}

func TestAStaleResultIsServedAtOnceAndRefreshed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		p := policy(t, options{"ttl_seconds": 10, "stale_while_revalidate": "20s"})
		var runs atomic.Int64
		run := slow(&runs, nil)
		if _, _, err := b.Do(t.Context(), request(options{}), p, run); err != nil {
			t.Fatal(err)
		}
		b.clock.Add(15 * time.Second)
		start := time.Now()
		for range 5 { // while the refresh is under way
			v, o, err := b.Do(t.Context(), request(options{}), p, run)
			if err != nil || o.Status != cache.Stale || !value.Equal(v, value.Int(1)) || !strings.HasPrefix(o.Reason, "stale_while_revalidate: expired at ") {
				t.Errorf("%v %+v %v", v, o, err)
			}
			if cache.FormatTime(o.CreatedAt) != "2026-02-22T10:00:00.000Z" {
				t.Errorf("created at %v", o.CreatedAt)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("serving took %v", took)
		}
		b.Settle()
		v, o, _ := b.Do(t.Context(), request(options{}), p, run)
		if o.Status != cache.Hit || !value.Equal(v, value.Int(2)) || runs.Load() != 2 {
			t.Errorf("%v %+v after %d runs", v, o, runs.Load())
		}
		b.clock.Add(30 * time.Second)
		if _, o, _ := b.Do(t.Context(), request(options{}), p, run); o.Status != cache.Expired || runs.Load() != 3 {
			t.Errorf("at the end of the window: %+v", o)
		}
	})
}

func TestARefreshOutlivesItsCallAndKnowsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		p := policy(t, options{"ttl_seconds": 10, "stale_while_revalidate": "20s"})
		b.do(request(options{}), p)
		b.clock.Add(15 * time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		_, o, err := b.Do(ctx, request(options{}), p, func(ctx context.Context) (value.Value, error) {
			if !cache.InBackground(ctx) {
				t.Error("it was not run in the background")
			}
			time.Sleep(time.Second)
			return value.String("fresh"), ctx.Err()
		})
		cancel()
		if o.Status != cache.Stale || err != nil {
			t.Fatal(o, err)
		}
		b.Settle()
		if v, o := b.do(request(options{}), p); o.Status != cache.Hit || v.Text() != "fresh" {
			t.Errorf("%v %+v", v, o)
		}
	})
}

func TestARefreshThatFailsLeavesTheStaleResult(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(context.Context) (value.Value, error){
		"error":   func(context.Context) (value.Value, error) { return value.Null(), coded("not_found") },
		"failure": func(context.Context) (value.Value, error) { return value.Must(options{"success": false}), nil },
		"panic":   func(context.Context) (value.Value, error) { panic("oops") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p := policy(t, options{"ttl_seconds": 10, "stale_while_revalidate": "20s", "negative_ttl": "1h"})
			first, _ := b.do(codedRequest(options{}), p)
			b.clock.Add(15 * time.Second)
			for range 3 {
				v, o, err := b.Do(t.Context(), codedRequest(options{}), p, fail)
				if err != nil || o.Status != cache.Stale || !value.Equal(v, first) {
					t.Errorf("%v %+v %v", v, o, err)
				}
				b.Settle()
			}
		})
	}
}

func TestAProcessThatEndsWaitsASecondForARefresh(t *testing.T) {
	t.Parallel()
	for takes, want := range map[time.Duration]time.Duration{300 * time.Millisecond: 300 * time.Millisecond, time.Minute: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			p := policy(t, options{"ttl_seconds": 10, "stale_while_revalidate": "20s"})
			b.do(request(options{}), p)
			b.clock.Add(15 * time.Second)
			b.Do(t.Context(), request(options{}), p, func(ctx context.Context) (value.Value, error) {
				select {
				case <-time.After(takes):
				case <-ctx.Done():
				}
				return value.Null(), ctx.Err()
			})
			start := time.Now()
			if err := b.Close(); err != nil || time.Since(start) != want {
				t.Errorf("a refresh of %v: %v after %v", takes, err, time.Since(start))
			}
			synctest.Wait()
		})
	}
}

func TestARefreshIsBoundedByTheDeadlineOfItsCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		p := policy(t, options{"ttl_seconds": 10, "stale_while_revalidate": "20s"})
		b.do(request(options{}), p)
		b.clock.Add(15 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start, ended := time.Now(), make(chan time.Duration, 1)
		b.Do(ctx, request(options{}), p, func(ctx context.Context) (value.Value, error) {
			<-ctx.Done()
			ended <- time.Since(start)
			return value.Null(), ctx.Err()
		})
		if took := <-ended; took != 3*time.Second {
			t.Errorf("it ended after %v", took)
		}
		b.Settle()
	})
}

func TestStaleIfError(t *testing.T) {
	t.Parallel()
	failed := value.Must(options{"success": false, "error": "gone", "error_type": "unavailable"})
	for _, tt := range []struct {
		name   string
		after  time.Duration
		mode   string
		run    func(context.Context) (value.Value, error)
		status cache.Status
		reason string
		fails  bool
	}{
		{"an error", 15 * time.Second, "both", fails(coded("unavailable")), cache.Stale, "stale_if_error: unavailable: it is unavailable", false},
		{"a result that tells of one", 15 * time.Second, "both", returns(failed), cache.Stale, "stale_if_error: unavailable: gone", false},
		{"reading only", 15 * time.Second, "read", fails(coded("timeout")), cache.Stale, "stale_if_error: timeout: ", false},
		{"a timeout of its own", 15 * time.Second, "both", fails(fmt.Errorf("asking: %w", context.DeadlineExceeded)), cache.Stale, "stale_if_error: failed: ", false},
		{"success", 15 * time.Second, "both", returns(value.Int(1)), cache.Expired, "expired: ", false},
		{"the end of the window", 30 * time.Second, "both", fails(coded("unavailable")), cache.Expired, "expired: ", true},
		{"just before", 30*time.Second - time.Millisecond, "both", fails(coded("unavailable")), cache.Stale, "stale_if_error: ", false},
		{"no lookup", 15 * time.Second, "write", fails(coded("unavailable")), cache.Refreshed, "", true},
		{"a replay miss", 15 * time.Second, "both", fails(coded("replay_miss")), cache.Expired, "expired: ", true},
		{"cancellation", 15 * time.Second, "both", fails(coded("canceled")), cache.Expired, "expired: ", true},
		{"cancellation of a context", 15 * time.Second, "both", fails(context.Canceled), cache.Expired, "expired: ", true},
		{"nothing is run", 15 * time.Second, "require", fails(coded("unavailable")), cache.Expired, "expired: ", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			first, _ := b.do(codedRequest(options{}), policy(t, options{"ttl_seconds": 10, "stale_if_error": "20s"}))
			b.clock.Add(tt.after)
			v, o, err := b.Do(t.Context(), codedRequest(options{}), policy(t, options{"ttl_seconds": 10, "stale_if_error": "20s", "mode": tt.mode}), tt.run)
			if o.Status != tt.status || !strings.HasPrefix(o.Reason, tt.reason) || (err != nil) != tt.fails {
				t.Errorf("%+v, %v", o, err)
			}
			if tt.status == cache.Stale && (!value.Equal(v, first) || o.CreatedAt.IsZero() || o.Stored) {
				t.Errorf("%v, %+v", v, o)
			}
		})
	}
}

func fails(err error) func(context.Context) (value.Value, error) {
	return func(context.Context) (value.Value, error) { return value.Null(), err }
}

func returns(v value.Value) func(context.Context) (value.Value, error) {
	return func(context.Context) (value.Value, error) { return v, nil }
}

func TestACancelledCallIsNotHiddenByAStaleResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		p := policy(t, options{"ttl_seconds": 10, "stale_if_error": "1h"})
		b.do(codedRequest(options{}), p)
		b.clock.Add(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, o, err := b.Do(ctx, codedRequest(options{}), p, func(ctx context.Context) (value.Value, error) {
			<-ctx.Done()
			return value.Null(), coded("unavailable")
		})
		if err == nil || o.Status == cache.Stale {
			t.Errorf("%+v %v", o, err)
		}
	})
}

func TestCleanupRespectsTheStaleWindow(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		p := policy(t, options{"ttl_seconds": 10, "stale_while_revalidate": "5s", "stale_if_error": "20s"})
		b.do(request(options{}), p)
		key := b.key(request(options{}), options{})
		b.clock.Add(15 * time.Second)
		n, err := b.GC(t.Context())
		found, err2 := b.Get(t.Context(), "me", key)
		if n != 0 || err != nil || err2 != nil || !found.Found || !found.Expired || cache.FormatTime(found.Entry.ExpiresAt) != "2026-02-22T10:00:10.000Z" {
			t.Errorf("%s: within the window: %d, %v, %+v, %v", name, n, err, found, err2)
		}
		b.clock.Add(15 * time.Second)
		n, err = b.GC(t.Context())
		found, err2 = b.Get(t.Context(), "me", key)
		if n != 1 || err != nil || err2 != nil || found.Found {
			t.Errorf("%s: after it: %d, %v, %+v, %v", name, n, err, found, err2)
		}
	}
}

// model is what a cache of one entry must do.
type model struct {
	there, failed bool
	n             int64
	fresh, gone   time.Duration
}

func (m *model) lookup(p cache.Policy, now time.Duration) cache.Status {
	switch {
	case p.Mode == cache.Write:
		return cache.Refreshed
	case !m.there:
		return cache.Miss
	case now < m.fresh && m.failed && p.NegativeTTL == 0:
		return cache.Miss
	case now < m.fresh:
		return cache.Hit
	case !m.failed && now < m.fresh+p.StaleWhileRevalidate:
		return cache.Stale
	}
	return cache.Expired
}

func (m *model) store(p cache.Policy, now time.Duration, n int64) {
	window := max(p.StaleWhileRevalidate, p.StaleIfError)
	*m = model{there: true, n: n, fresh: now + p.TTL, gone: now + p.TTL + window}
}

// call returns the status, the number that is served (0: it fails) and whether
// the action ran.
func (m *model) call(p cache.Policy, now time.Duration, next int64, code string) (status cache.Status, served int64, ran bool) {
	status = m.lookup(p, now)
	stores := p.Mode == cache.Both || p.Mode == cache.Write
	switch {
	case status == cache.Hit && m.failed:
		return status, 0, false
	case status == cache.Hit:
		return status, m.n, false
	case status == cache.Stale:
		served = m.n
		if stores && code == "" {
			m.store(p, now, next)
		}
		return status, served, stores
	case p.Mode == cache.Require:
		return status, 0, false
	case code == "":
		if stores {
			m.store(p, now, next)
		}
		return status, next, true
	case status == cache.Expired && !m.failed && now < m.fresh+p.StaleIfError && code != "replay_miss":
		return cache.Stale, m.n, true
	}
	free := !m.there || status == cache.Expired || status == cache.Refreshed && now >= m.gone
	if stores && code == "not_found" && p.NegativeTTL > 0 && free {
		*m = model{there: true, failed: true, fresh: now + p.NegativeTTL, gone: now + p.NegativeTTL}
	}
	return status, 0, true
}

func TestStaleAndStoredFailuresAsTheModelSays(t *testing.T) {
	t.Parallel()
	seconds := func(rt *rapid.T, name string, of ...int) time.Duration {
		return time.Duration(rapid.SampledFrom(of).Draw(rt, name)) * time.Second
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		defer b.Close()
		var m model
		var now time.Duration
		for range rapid.IntRange(1, 12).Draw(rt, "calls") {
			step := seconds(rt, "step", 0, 1, 2, 5, 10, 20)
			now += step
			b.clock.Add(step)
			p := cache.Policy{
				Mode: rapid.SampledFrom([]cache.Mode{cache.Both, cache.Both, cache.Read, cache.Write, cache.Require}).Draw(rt, "mode"),
				TTL:  seconds(rt, "ttl", 1, 5, 10), StaleWhileRevalidate: seconds(rt, "swr", 0, 5, 20),
				StaleIfError: seconds(rt, "sie", 0, 5, 20), NegativeTTL: seconds(rt, "negative", 0, 3, 10),
				NegativeCodes: []string{"not_found"},
				Lease:         rapid.Bool().Draw(rt, "lease"),
			}
			code := rapid.SampledFrom([]string{"", "", "not_found", "failed", "replay_miss"}).Draw(rt, "code")
			next := b.runs.Load() + 1
			status, served, ran := m.call(p, now, next, code)
			v, o, err := b.Do(t.Context(), codedRequest(options{}), p, func(context.Context) (value.Value, error) {
				n := b.runs.Add(1)
				if code != "" {
					return value.Null(), coded(code)
				}
				return value.Int(n), nil
			})
			b.Settle()
			got, _ := v.AsInt()
			if o.Status != status || got != served || (err == nil) != (served != 0) || (b.runs.Load() == next) != ran {
				rt.Fatalf("at %v: %+v, %d, %v, ran: %v; want %s, %d, ran: %v", now, o, got, err, b.runs.Load() == next, status, served, ran)
			}
		}
	})
}
