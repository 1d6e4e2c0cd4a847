package cache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// link is the way of one process to a store that several share.
type link struct {
	driver.Layer
	cut      atomic.Bool // what concerns leases fails
	refuses  atomic.Pointer[error]
	hold     atomic.Pointer[chan struct{}] // entries are stored when it is closed
	reached  atomic.Bool                   // an entry was about to be stored
	leasePut atomic.Int64
	onLease  atomic.Pointer[func()] // called before a lease is taken
}

func (s *link) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if r.Key.Space == driver.Lease {
		s.leasePut.Add(1)
		if f := s.onLease.Load(); f != nil {
			(*f)()
		}
		if err := s.refuses.Load(); err != nil {
			return false, *err
		}
		if s.cut.Load() {
			return false, driver.ErrUnavailable
		}
	} else if hold := s.hold.Load(); hold != nil {
		s.reached.Store(true)
		<-*hold
	}
	return s.Layer.Put(ctx, r, c)
}

func (s *link) Close() error { return nil } // the store is shared

// process is a cache as another process has it.
type process struct {
	*cache.Cache
	link *link
}

const leaseTTL = 5 * time.Second

// processes returns caches on one store, in a bubble of synctest.
func processes(t *testing.T, n int) []process {
	t.Helper()
	store := memltm.New()
	all := make([]process, n)
	for i := range all {
		l := &link{Layer: driver.Layer{Store: store}}
		mem := ltm.New(l, nil)
		o := &cache.Options{Known: known, LeaseTTL: leaseTTL}
		patient(o)
		all[i] = process{cache.New(mem, o), l}
		t.Cleanup(func() { all[i].Close() })
	}
	return all
}

func leased(t *testing.T, o options) cache.Policy {
	t.Helper()
	o["lock"] = "lease"
	return policy(t, o)
}

func TestEqualCallsOfManyProcessesRunOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs, hits atomic.Int64
		var wg sync.WaitGroup
		start := time.Now()
		for _, p := range processes(t, 20) {
			for range 3 {
				wg.Go(func() {
					v, o, err := p.Do(t.Context(), request(options{}), leased(t, options{}), slow(&runs, nil))
					if err != nil || !value.Equal(v, value.Int(1)) {
						t.Errorf("%v, %v", v, err)
					}
					if o.Status == cache.Hit {
						hits.Add(1)
					}
				})
			}
		}
		wg.Wait()
		if runs.Load() != 1 || hits.Load() != 57 {
			t.Errorf("%d runs, %d hits", runs.Load(), hits.Load())
		}
		if took := time.Since(start); took > 1500*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	})
}

func TestWhatWasStoredBeforeTheLeaseIsServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ps := processes(t, 2)
		store := func() {
			if _, _, err := ps[0].Do(t.Context(), request(options{}), policy(t, options{}), returns(value.Int(1))); err != nil {
				t.Error(err)
			}
		}
		ps[1].link.onLease.Store(&store)
		v, o, err := ps[1].Do(t.Context(), request(options{}), leased(t, options{}), fails(errors.New("it ran")))
		if o.Status != cache.Hit || err != nil || !value.Equal(v, value.Int(1)) {
			t.Errorf("%v %+v %v", v, o, err)
		}
		ps[1].Settle()
		if _, o, err := ps[0].Do(t.Context(), request(options{"i": 2}), leased(t, options{}), returns(value.Int(2))); !o.Stored || err != nil {
			t.Errorf("%+v %v", o, err)
		}
	})
}

func TestALongCallKeepsItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ps := processes(t, 3)
		var runs atomic.Int64
		var wg sync.WaitGroup
		for _, p := range ps {
			wg.Go(func() {
				_, _, err := p.Do(t.Context(), request(options{}), leased(t, options{}), func(context.Context) (value.Value, error) {
					time.Sleep(10 * leaseTTL)
					return value.Int(runs.Add(1)), nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

func TestACallThatLeavesNothingHoldsNobodyUpForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		var wg sync.WaitGroup
		start := time.Now()
		for _, p := range processes(t, 12) {
			wg.Go(func() {
				_, _, err := p.Do(t.Context(), request(options{}), leased(t, options{}), slow(&runs, coded("failed")))
				if !errors.Is(err, coded("failed")) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took > 5*time.Second || runs.Load() != 12 {
			t.Errorf("%d runs took %v", runs.Load(), took)
		}
	})
}

func TestAFailureThatIsStoredIsSharedByProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		var wg sync.WaitGroup
		for _, p := range processes(t, 12) {
			wg.Go(func() {
				_, _, err := p.Do(t.Context(), codedRequest(options{}), leased(t, options{"negative_ttl": "30s"}), slow(&runs, coded("not_found")))
				if err == nil {
					t.Error("no failure")
				}
			})
		}
		wg.Wait()
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

// die takes the lease away from whatever runs in p, as if p had died.
func (p process) die() { p.link.cut.Store(true) }

func TestADeadLeaderIsTakenOverAndItsWriteLoses(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"dead", "heir"} { // who stores first
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ps := processes(t, 2)
				dead, heir := ps[0], ps[1]
				hold := make(chan struct{})
				dead.link.hold.Store(&hold)
				var wg sync.WaitGroup
				wg.Go(func() {
					_, o, err := dead.Do(t.Context(), request(options{}), leased(t, options{}), returns(value.String("dead")))
					if err != nil || o.Stored != (first == "dead") || first == "heir" && !strings.HasPrefix(o.Reason, "overtaken: ") {
						t.Errorf("the dead: %+v, %v", o, err)
					}
				})
				synctest.Wait()
				if !dead.link.reached.Load() {
					t.Fatal("it is not about to store")
				}
				dead.die()
				start := time.Now()
				var took time.Duration
				wg.Go(func() {
					_, o, err := heir.Do(t.Context(), request(options{}), leased(t, options{}), func(context.Context) (value.Value, error) {
						took = time.Since(start)
						if first == "dead" {
							close(hold)
							time.Sleep(time.Second)
						}
						return value.String("heir"), nil
					})
					if err != nil || !o.Stored {
						t.Errorf("the heir: %+v, %v", o, err)
					}
					if first == "heir" {
						close(hold)
					}
				})
				wg.Wait()
				if took > leaseTTL+time.Second {
					t.Errorf("the takeover took %v", took)
				}
				dead.link.hold.Store(nil)
				for _, p := range ps {
					if v, o, err := p.Do(t.Context(), request(options{}), policy(t, options{}), nil); v.Text() != "heir" || err != nil {
						t.Errorf("%v %+v %v", v, o, err)
					}
				}
			})
		})
	}
}

func TestACallThatLostItsLeaseStoresNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := processes(t, 1)[0]
		v, o, err := p.Do(t.Context(), request(options{}), leased(t, options{}), func(ctx context.Context) (value.Value, error) {
			p.die()
			time.Sleep(2 * leaseTTL)
			return value.Int(1), ctx.Err()
		})
		if err != nil || !value.Equal(v, value.Int(1)) || o.Stored || !strings.HasPrefix(o.Reason, "lease_lost: ") {
			t.Errorf("%v %+v %v", v, o, err)
		}
	})
}

func TestANestedCallWaitsForNoOtherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ps := processes(t, 2)
		var wg sync.WaitGroup
		start := time.Now()
		for i, p := range ps { // each leads what the other one needs
			wg.Go(func() {
				_, _, err := p.Do(t.Context(), request(options{"of": i}), leased(t, options{}), func(ctx context.Context) (value.Value, error) {
					time.Sleep(time.Second)
					v, _, err := p.Do(ctx, request(options{"of": 1 - i}), leased(t, options{}), returns(value.Int(int64(i))))
					return v, err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestProcessesRefreshOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ps := processes(t, 8)
		o := options{"ttl_seconds": 10, "stale_while_revalidate": "1m"}
		var runs atomic.Int64
		if _, _, err := ps[0].Do(t.Context(), request(options{}), leased(t, o), slow(&runs, nil)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		for range 3 {
			for _, p := range ps {
				if v, o, err := p.Do(t.Context(), request(options{}), leased(t, o), slow(&runs, nil)); o.Status != cache.Stale || err != nil || !value.Equal(v, value.Int(1)) {
					t.Errorf("%v %+v %v", v, o, err)
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
		for _, p := range ps {
			p.Settle()
		}
		if runs.Load() != 2 {
			t.Errorf("%d runs", runs.Load())
		}
		if _, o, _ := ps[3].Do(t.Context(), request(options{}), leased(t, o), slow(&runs, nil)); o.Status != cache.Hit {
			t.Errorf("%+v", o)
		}
	})
}

func TestAWaitingCallLeavesWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ps := processes(t, 2)
		var wg sync.WaitGroup
		var runs atomic.Int64
		wg.Go(func() {
			ps[0].Do(t.Context(), request(options{}), leased(t, options{}), func(context.Context) (value.Value, error) {
				time.Sleep(time.Minute)
				return value.Int(runs.Add(1)), nil
			})
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		_, _, err := ps[1].Do(ctx, request(options{}), leased(t, options{}), slow(&runs, nil))
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 5*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		wg.Wait()
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

func TestALeaseIsOnlyForCallsThatLookUpAndStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := processes(t, 1)[0]
		var runs atomic.Int64
		for _, mode := range []string{"read", "write", "off"} {
			p.Do(t.Context(), request(options{}), leased(t, options{"mode": mode}), slow(&runs, nil))
		}
		if n := p.link.leasePut.Load(); n != 0 {
			t.Errorf("%d leases", n)
		}
	})
}

func TestAStoreThatGrantsNoLease(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err   error
		want  error
		words string
	}{
		{fmt.Errorf("a conditional put: %w", errors.ErrUnsupported), cache.ErrLock, "lock: lease needs a store with an atomic conditional put"},
		{driver.ErrUnavailable, nil, ""},
		{driver.ErrReadOnly, nil, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := processes(t, 1)[0]
			p.link.refuses.Store(&tt.err)
			var runs atomic.Int64
			v, o, err := p.Do(t.Context(), request(options{}), leased(t, options{}), slow(&runs, nil))
			if o.Status != cache.Error || !errors.Is(err, tt.want) {
				t.Errorf("%v: %+v, %v", tt.err, o, err)
			}
			if tt.want == nil && !value.Equal(v, value.Int(1)) || tt.want != nil && !strings.Contains(err.Error(), tt.words) {
				t.Errorf("%v: %v, %v", tt.err, v, err)
			}
		})
	}
}

func TestAPanicGivesTheLeaseBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ps := processes(t, 2)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			ps[0].Do(t.Context(), request(options{}), leased(t, options{}), func(context.Context) (value.Value, error) { panic("oops") })
		}()
		ps[0].Settle()
		start := time.Now()
		var runs atomic.Int64
		if _, _, err := ps[1].Do(t.Context(), request(options{}), leased(t, options{}), slow(&runs, nil)); err != nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
