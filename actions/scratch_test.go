package actions_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

func TestScratchUpdatesDoNotGetLost(t *testing.T) {
	t.Parallel()
	var s actions.Scratch
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			s.Update("n", func(old value.Value, _ bool) (value.Value, bool) {
				n, _ := old.AsInt()
				return value.Int(n + 1), true
			})
		})
	}
	wg.Wait()
	if v, ok := s.Get("n"); !ok || !value.Equal(v, value.Int(50)) {
		t.Errorf("got %s", v)
	}
}

func TestScratchKeepsNullApartFromNothing(t *testing.T) {
	t.Parallel()
	var s actions.Scratch
	if _, ok := s.Get("k"); ok || s.Delete("k") {
		t.Error("found what was never set")
	}
	s.Set("k", value.Null())
	s.Set("a", value.Int(1))
	if _, ok := s.Get("k"); !ok || !slices.Equal(s.Keys(), []string{"a", "k"}) {
		t.Errorf("got %v", s.Keys())
	}
	if !s.Delete("k") || !slices.Equal(s.Keys(), []string{"a"}) {
		t.Errorf("got %v", s.Keys())
	}
}

func TestSystemClockSleeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var clock actions.SystemClock
		start := clock.Now()
		if err := clock.Sleep(t.Context(), time.Hour); err != nil || clock.Now().Sub(start) != time.Hour {
			t.Errorf("slept %s, %v", clock.Now().Sub(start), err)
		}
		if err := clock.Sleep(t.Context(), -1); err != nil {
			t.Error(err)
		}
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, why)
		defer cancel()
		if err := clock.Sleep(ctx, time.Hour); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		if err := clock.Sleep(ctx, 0); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
}
