package chain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

func TestARefreshIsNeitherToldNorStreamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil)
		p := actions.Policy{Cache: &cache.Policy{Mode: cache.Both, TTL: time.Second, StaleWhileRevalidate: time.Hour}}
		chunks := 0
		call := func() *cache.Outcome {
			r, err := f.handler(t.Context(), &actions.Call{
				ID: "n", Node: "n", Action: "t.outer", Input: value.Must(map[string]any{"text": "a"}), Policy: p,
				Sink: func(actions.Chunk) { chunks++ },
			})
			if err != nil {
				t.Fatal(err)
			}
			return r.Meta.Cache
		}
		call()
		told, streamed, hits := len(f.events), chunks, f.hits
		time.Sleep(time.Minute)
		if o := call(); o.Status != cache.Stale {
			t.Errorf("%+v", o)
		}
		synctest.Wait()
		if len(f.events) != told || chunks != streamed {
			t.Errorf("%d events and %d chunks of a refresh", len(f.events)-told, chunks-streamed)
		}
		if f.hits != hits+1 {
			t.Errorf("%d hits, want %d", f.hits, hits+1)
		}
		if o := call(); o.Status != cache.Hit {
			t.Errorf("after the refresh: %+v", o)
		}
	})
}

// leaseless is a store without leases.
type leaseless struct{ driver.Layer }

func (s leaseless) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if c != (driver.Condition{}) {
		return false, fmt.Errorf("conditions: %w", errors.ErrUnsupported)
	}
	return s.Layer.Put(ctx, r, c)
}

func TestErrorsOfTheCacheHaveCodes(t *testing.T) {
	t.Parallel()
	runs := 0
	registry, err := actions.NewRegistry(actions.Define(actions.Spec{Name: "t.fail", Version: 1, Summary: "Fails."},
		func(context.Context, actions.Env, struct{}) (value.Value, error) {
			runs++
			return value.Null(), actions.Errorf(actions.CodeDenied, "not for you")
		}))
	if err != nil {
		t.Fatal(err)
	}
	call := func(s driver.Store, p cache.Policy) error {
		store := ltm.New(s, nil)
		c := cache.New(store, nil)
		handler, _ := chain.New(chain.Config{
			Env:   actions.Env{Registry: registry, Clock: actions.SystemClock{}, Namespace: "ns"},
			Cache: c, Scrubber: &chain.Scrubber{}, Observer: &observer{},
		})
		p.Mode, p.TTL = cache.Both, time.Hour
		_, err := handler(t.Context(), &actions.Call{ID: "n", Node: "n", Action: "t.fail", Input: value.Object(), Policy: actions.Policy{Cache: &p}})
		return errors.Join(err, c.Close())
	}
	if err := call(leaseless{driver.Layer{Store: memltm.New()}}, cache.Policy{Lease: true}); actions.CodeOf(err) != actions.CodeUnsupported || runs != 0 {
		t.Errorf("a lock that cannot be: %v (%s)", err, actions.CodeOf(err))
	}
	shared := memltm.New()
	for range 3 {
		err := call(shared, cache.Policy{NegativeTTL: time.Hour, NegativeCodes: []string{"denied"}})
		if actions.CodeOf(err) != actions.CodeDenied || err.Error() != "not for you" {
			t.Errorf("%v (%s)", err, actions.CodeOf(err))
		}
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}
