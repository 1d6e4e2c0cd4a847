package tiered_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/ltm/tiered"
)

// near is a near store that may be broken.
type near struct {
	driver.Layer
	gets   atomic.Int64
	broken atomic.Bool // it fails
	stuck  atomic.Bool // it does not return until stuck is false, nor cares for its context
	liar   atomic.Bool // it returns other bytes
}

func newNear() *near { return &near{Layer: driver.Layer{Store: memltm.New()}} }

func (n *near) fault() error {
	for n.stuck.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	if n.broken.Load() {
		return errors.New("out of order")
	}
	return nil
}

func (n *near) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	n.gets.Add(1)
	if err := n.fault(); err != nil {
		return driver.Record{}, err
	}
	r, err := n.Layer.Get(ctx, k)
	if n.liar.Load() && len(r.Value) > 0 {
		r.Value[len(r.Value)-1] ^= 1
	}
	return r, err
}

func (n *near) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if err := n.fault(); err != nil {
		return false, err
	}
	return n.Layer.Put(ctx, r, c)
}

func (n *near) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	if err := n.fault(); err != nil {
		return nil, err
	}
	return n.Layer.DeleteBatch(ctx, refs)
}

func (n *near) Close() error { return errors.Join(n.Store.Close(), n.fault()) }

func far(t *testing.T) driver.Store {
	t.Helper()
	s, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: ":memory:"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		return tiered.New(newNear(), far(t), &tiered.Options{MaxStaleness: time.Hour})
	}, drivertest.Options{Checks: 10_000})
	for name, change := range map[string]func(*near){
		"sound":  func(*near) {},
		"broken": func(n *near) { n.broken.Store(true) },
		"liar":   func(n *near) { n.liar.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drivertest.Run(t, func(t *testing.T) driver.Store {
				t.Helper()
				n := newNear()
				change(n)
				return tiered.New(n, memltm.New(), &tiered.Options{MaxStaleness: time.Hour})
			}, drivertest.Options{Checks: 10_000})
		})
	}
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	n := newNear()
	s := tiered.New(n, memltm.New(), &tiered.Options{MaxStaleness: time.Hour, Timeout: time.Minute})
	drivertest.Linearizable(t, slices.Repeat([]driver.Store{s}, 8), drivertest.History{
		Operations: 400,
		Meanwhile: func(ctx context.Context) {
			for ctx.Err() == nil { // most of the time it works
				time.Sleep(5 * time.Millisecond)
				n.broken.Store(!n.broken.Load())
			}
		},
	})
}

func put(t *testing.T, s driver.Store, key, v string) {
	t.Helper()
	r := driver.Record{Key: driver.Key{Key: key}, Value: []byte(v), Metadata: []byte(`{"a":1}`), UpdatedAt: 1}
	if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s driver.Store, key string) string {
	t.Helper()
	r, err := s.Get(t.Context(), driver.Key{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Value)
}

// counting counts the gets of a store.
type counting struct {
	driver.Layer
	gets atomic.Int64
}

func (c *counting) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	c.gets.Add(1)
	return c.Store.Get(ctx, k)
}

func TestFreshCopiesAreReadFromNear(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, f := newNear(), &counting{Layer: driver.Layer{Store: memltm.New()}}
		s := tiered.New(n, f, &tiered.Options{MaxStaleness: time.Minute, Name: "f"})
		put(t, s, "k", "1")
		time.Sleep(time.Millisecond) // what is read at the time of a change may be older
		for range 4 {
			if got := get(t, s, "k"); got != "1" {
				t.Errorf("got %q", got)
			}
		}
		again := tiered.New(n, f, &tiered.Options{MaxStaleness: time.Minute, Name: "f"})
		time.Sleep(time.Second)
		get(t, again, "k") // the next process finds the copy too
		if f.gets.Load() != 1 {
			t.Errorf("the far store was asked %d times", f.gets.Load())
		}
		other := tiered.New(n, f, &tiered.Options{MaxStaleness: time.Minute, Name: "g"})
		get(t, other, "k")
		if f.gets.Load() != 2 {
			t.Error("another far store's copy was taken")
		}
		put(t, f, "k", "2")
		time.Sleep(time.Minute)
		if got := get(t, s, "k"); got != "2" {
			t.Errorf("an old copy is returned: %q", got)
		}
	})
}

// held is a far store that takes its time to answer.
type held struct {
	driver.Layer
	read, answer chan struct{}
}

func (h *held) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	r, err := h.Store.Get(ctx, k)
	h.read <- struct{}{}
	<-h.answer
	return r, err
}

// Processes may share a near store. What one has read before another one's change
// it may put there after it.
func TestAProcessSeesItsOwnChangesWhoeverMakesCopies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, f := newNear(), memltm.New()
		slow := &held{driver.Layer{Store: f}, make(chan struct{}), make(chan struct{})}
		own := tiered.New(n, f, &tiered.Options{MaxStaleness: time.Minute})
		other := tiered.New(n, slow, &tiered.Options{MaxStaleness: time.Minute})
		put(t, own, "k", "old")
		time.Sleep(time.Second)
		got := make(chan string)
		go func() { got <- get(t, other, "k") }()
		<-slow.read
		time.Sleep(time.Second)
		put(t, own, "k", "new")
		time.Sleep(time.Second)
		close(slow.answer)
		if v := <-got; v != "old" {
			t.Errorf("the other process reads %q", v)
		}
		if v := get(t, own, "k"); v != "new" {
			t.Errorf("the process that put %q reads %q", "new", v)
		}
	})
}

func TestANearStoreThatFailsOrHangsIsLeftAloneForAWhile(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*near) *atomic.Bool{
		"fails": func(n *near) *atomic.Bool { return &n.broken },
		"hangs": func(n *near) *atomic.Bool { return &n.stuck },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newNear()
				s := tiered.New(n, memltm.New(), &tiered.Options{MaxStaleness: time.Hour})
				put(t, s, "k", "1")
				get(t, s, "k")
				start := time.Now()
				fault(n).Store(true)
				put(t, s, "k", "2") // the near store still holds 1
				for range 10 {
					if got := get(t, s, "k"); got != "2" {
						t.Fatalf("got %q", got)
					}
				}
				if took := time.Since(start); took > 300*time.Millisecond {
					t.Errorf("it took %v", took)
				}
				if asked := n.gets.Load(); asked != 1 {
					t.Errorf("it was asked %d times", asked)
				}
				fault(n).Store(false)
				time.Sleep(time.Minute)
				for range 3 {
					if got := get(t, s, "k"); got != "2" {
						t.Fatalf("after it came back: %q", got)
					}
				}
				if asked := n.gets.Load(); asked != 4 {
					t.Errorf("it was asked %d times afterwards", asked-1)
				}
			})
		})
	}
}

func TestOldCopiesAreCleanedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNear()
		s := tiered.New(n, memltm.New(), &tiered.Options{MaxStaleness: time.Second})
		for i := range 500 {
			put(t, s, fmt.Sprint(i), "v")
			get(t, s, fmt.Sprint(i))
			time.Sleep(100 * time.Millisecond)
		}
		left, err := n.List(t.Context(), driver.Query{Space: driver.Near, Limit: 1000})
		if err != nil || len(left) > 100 {
			t.Errorf("%d copies are left, %v", len(left), err)
		}
	})
}
