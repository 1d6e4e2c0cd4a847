package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// opening returns a cache on a store that takes a while to open, and fails then
// with what failure holds.
func opening(t *testing.T, takes time.Duration, failure *error) *cache.Cache {
	t.Helper()
	mux := &ltm.Mux{}
	mux.Handle("slow", nil, func(*url.URL, *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return func(context.Context) (driver.Store, error) {
			time.Sleep(takes)
			return memltm.New(), *failure
		}, nil
	})
	m, err := mux.Lazy("slow:", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := cache.New(m, nil)
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func one(context.Context) (value.Value, error) { return value.Int(1), nil }

func TestOpeningIsNotHeldToTheLookupDeadline(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]cache.Status{"both": cache.Miss, "write": cache.Refreshed, "off": cache.Bypass} {
		synctest.Test(t, func(t *testing.T) {
			c := opening(t, 9*time.Second, new(error))
			start := time.Now()
			_, o, err := c.Do(t.Context(), request(options{}), policy(t, options{"mode": mode}), one)
			if err != nil || o.Status != want || o.Reason != "" && mode == "write" {
				t.Errorf("%s: %+v %v", mode, o, err)
			}
			if took := time.Since(start); mode == "off" && took != 0 {
				t.Errorf("off took %v", took)
			}
		})
	}
}

func TestAnotherAttemptToOpenIsHeldToTheLookupDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failure := io.ErrUnexpectedEOF
		c := opening(t, 2*time.Second, &failure)
		do := func(most time.Duration, want cache.Status) {
			t.Helper()
			start := time.Now()
			_, o, err := c.Do(t.Context(), request(options{}), policy(t, options{}), one)
			if took := time.Since(start); err != nil || o.Status != want || took > most {
				t.Errorf("%+v %v after %v", o, err, took)
			}
		}
		do(2*time.Second, cache.Error)
		time.Sleep(time.Minute)
		failure = nil
		do(2*cache.DefaultLookupTimeout, cache.Error)
		time.Sleep(time.Minute) // it has opened meanwhile, and stored what waited for that
		do(0, cache.Hit)
	})
}

func TestAMemoryThatCanNeverBeFailsTheCalls(t *testing.T) {
	t.Parallel()
	never := fmt.Errorf("%w: no such database", driver.ErrConfig)
	for _, mode := range []string{"both", "write", "require"} {
		synctest.Test(t, func(t *testing.T) {
			c := opening(t, 0, &never)
			for range 5 { // more often than the breaker lets through
				_, o, err := c.Do(t.Context(), request(options{}), policy(t, options{"mode": mode}), one)
				if !errors.Is(err, ltm.ErrConfig) || o.Status != cache.Error || !strings.HasPrefix(o.Reason, "config: ") {
					t.Errorf("%s: %+v %v", mode, o, err)
				}
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		failure := io.ErrUnexpectedEOF
		c := opening(t, 0, &failure)
		if _, o, err := c.Do(t.Context(), request(options{}), policy(t, options{}), one); err != nil || o.Status != cache.Error {
			t.Errorf("out of reach: %+v %v", o, err)
		}
		time.Sleep(time.Minute)
		failure = never // it answers, and has no such database
		if _, o, err := c.Do(t.Context(), request(options{}), policy(t, options{}), one); !errors.Is(err, ltm.ErrConfig) {
			t.Errorf("within reach again: %+v %v", o, err)
		}
	})
}
