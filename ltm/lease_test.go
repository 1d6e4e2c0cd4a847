package ltm_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
)

// at returns a memory on s whose clock differs from the real one.
func at(s driver.Store, ahead time.Duration) *ltm.Memory {
	return ltm.New(s, &ltm.Options{Now: func() time.Time { return time.Now().Add(ahead) }})
}

func take(t *testing.T, c *ltm.Contender) *ltm.Lease {
	t.Helper()
	l, err := c.Try(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func refused(t *testing.T, c *ltm.Contender) {
	t.Helper()
	if l, err := c.Try(t.Context()); !errors.Is(err, ltm.ErrHeld) {
		t.Fatalf("got %v, %v, want ErrHeld", l, err)
	}
}

func TestALeaseIsExclusiveUntilItIsReleasedOrRunsOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := at(memltm.New(), 0)
		o := &ltm.LeaseOptions{Owner: "a", TTL: 10 * time.Second}
		a := take(t, m.Contend("k", o))
		b := m.Contend("k", &ltm.LeaseOptions{Owner: "b", TTL: 10 * time.Second})
		var held *ltm.HeldError
		if _, err := b.Try(t.Context()); !errors.As(err, &held) || held.Owner != "a" {
			t.Fatalf("got %v", err)
		}
		take(t, m.Contend("other", o))
		take(t, m.In(driver.User, "elsewhere").Contend("k", o))
		if err := a.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		second := take(t, b)
		time.Sleep(9 * time.Second)
		refused(t, m.Contend("k", o))
		if err := second.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(9 * time.Second)
		refused(t, m.Contend("k", o))
		time.Sleep(time.Second)
		third := take(t, m.Contend("k", o))
		if a.Token() >= second.Token() || second.Token() >= third.Token() {
			t.Errorf("tokens %d, %d, %d do not grow", a.Token(), second.Token(), third.Token())
		}
		for name, err := range map[string]error{
			"renew": second.Renew(t.Context()), "release": second.Release(t.Context()),
			"release again": a.Release(t.Context()),
		} {
			if !errors.Is(err, ltm.ErrLost) {
				t.Errorf("%s: %v, want ErrLost", name, err)
			}
		}
		refused(t, m.Contend("k", o))
	})
}

func TestAHolderWhoseClockIsAheadIsTakenOverAllTheSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := memltm.New()
		o := &ltm.LeaseOptions{TTL: 10 * time.Second}
		holder := take(t, at(s, time.Hour).Contend("k", o))
		c := at(s, 0).Contend("k", o)
		refused(t, c)
		time.Sleep(6 * time.Second)
		if err := holder.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		refused(t, c)
		time.Sleep(6 * time.Second)
		refused(t, c) // it was renewed after it was seen first
		time.Sleep(4 * time.Second)
		if got := take(t, c); got.Token() <= holder.Token() {
			t.Errorf("token %d follows %d", got.Token(), holder.Token())
		}
	})
}

func TestKeepRenewsUntilItIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := at(memltm.New(), 0)
		o := &ltm.LeaseOptions{TTL: time.Second}
		l := take(t, m.Contend("k", o))
		kept, stop := l.Keep(t.Context())
		time.Sleep(time.Minute)
		refused(t, m.Contend("k", o))
		if kept.Err() != nil {
			t.Errorf("it ended: %v", context.Cause(kept))
		}
		stop()
		if kept.Err() == nil {
			t.Error("stop does not end the context")
		}
		start := time.Now()
		if _, err := m.Contend("k", o).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("the takeover took %v", took)
		}
	})
}

// flaky is a store that can be cut off.
type flaky struct {
	driver.Layer
	cut atomic.Bool
	// late lets Put happen, and then loses its answer.
	late atomic.Bool
}

func (f *flaky) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if f.cut.Load() {
		return false, driver.ErrUnavailable
	}
	created, err := f.Layer.Put(ctx, r, c)
	if f.late.Load() {
		return false, driver.ErrUnavailable
	}
	return created, err
}

func TestKeepSaysWhenTheLeaseIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &flaky{Layer: driver.Layer{Store: memltm.New()}}
		l := take(t, at(s, 0).Contend("k", &ltm.LeaseOptions{TTL: 3 * time.Second}))
		start := time.Now()
		kept, stop := l.Keep(t.Context())
		defer stop()
		s.cut.Store(true)
		<-kept.Done()
		if took := time.Since(start); took != 3*time.Second || !errors.Is(context.Cause(kept), ltm.ErrLost) {
			t.Errorf("after %v: %v", took, context.Cause(kept))
		}
	})
}

func TestALostAnswerLosesNoLease(t *testing.T) {
	t.Parallel()
	s := &flaky{Layer: driver.Layer{Store: memltm.New()}}
	s.late.Store(true)
	m := at(s, 0)
	l := take(t, m.Contend("k", nil))
	if err := l.Renew(t.Context()); !errors.Is(err, ltm.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	s.late.Store(false)
	if err := l.Renew(t.Context()); !errors.Is(err, ltm.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := l.Renew(t.Context()); err != nil {
		t.Error(err)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOfManyContendersOneHoldsTheLease(t *testing.T) {
	t.Parallel()
	s := memltm.New()
	var holders, most, turns atomic.Int64
	var last int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				l, err := at(s, 0).Contend("k", &ltm.LeaseOptions{TTL: time.Minute}).Wait(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), holders.Add(1)))
				if l.Token() <= last {
					t.Errorf("token %d follows %d", l.Token(), last)
				}
				last = l.Token()
				turns.Add(1)
				holders.Add(-1)
				if err := l.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 || turns.Load() != 80 {
		t.Errorf("%d held it at once, %d turns", most.Load(), turns.Load())
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := at(memltm.New(), 0)
		take(t, m.Contend("k", nil))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := m.Contend("k", nil).Wait(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ltm.ErrHeld) {
			t.Errorf("got %v", err)
		}
		if _, err := m.Contend("", nil).Try(t.Context()); !errors.Is(err, ltm.ErrInvalid) {
			t.Errorf("an empty key: %v", err)
		}
	})
}
