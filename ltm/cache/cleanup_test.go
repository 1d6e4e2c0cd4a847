package cache_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/cache"
)

// fill stores n entries with a lifetime.
func (b *bench) fill(prefix string, n int, ttl string) {
	b.t.Helper()
	for i := range n {
		b.do(request(options{}), policy(b.t, options{"key": fmt.Sprintf("%s:%d", prefix, i), "ttl": ttl, "cleanup_probability": 0}))
	}
}

func (b *bench) entries() (n int64) {
	b.t.Helper()
	stats, err := b.Stats(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, ns := range stats.Namespaces {
		n += ns.Entries
	}
	return n
}

func TestCleanupProbability(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		probability float64
		chance      float64
		want        bool
	}{
		{0, 0, false}, {1, 0.9999, true}, {0.05, 0.0499, true}, {0.05, 0.05, false},
	} {
		b := newBench(t, func(o *cache.Options) { o.Rand = func() float64 { return tt.chance } })
		b.do(request(options{}), policy(t, options{"cleanup_probability": tt.probability}))
		b.Close()
		if got := b.store.ExpiredDeletes.Load() == 1; got != tt.want {
			t.Errorf("probability %v, chance %v: cleanup %v", tt.probability, tt.chance, got)
		}
	}
}

func TestCleanupRunsAboutAsOftenAsItShould(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	b := newBench(t, func(o *cache.Options) {
		o.Rand = func() float64 { return float64(n.Add(1)%1000) / 1000 } // every thousandth once
	})
	for i := range 1000 {
		b.do(request(options{"i": i}), policy(t, options{}))
	}
	b.Close()
	if got := b.store.ExpiredDeletes.Load(); got != 50 {
		t.Errorf("%d cleanups in 1000 misses", got)
	}
}

func TestCleanupDeletesExpiredEntriesUpToItsLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fill("live", 50, "never")
	b.fill("old", 7, "1m")
	b.clock.Add(time.Minute)
	b.do(request(options{"q": 1}), policy(t, options{"cleanup_probability": 1, "cleanup_limit": 5}))
	b.do(request(options{"q": 1}), policy(t, options{"cleanup_probability": 1})) // a hit cleans nothing
	b.do(request(options{"q": 1}), policy(t, options{"cleanup_probability": 1, "mode": "off"}))
	b.Close()
	if n := b.entries(); n != 50+2+1 {
		t.Errorf("%d entries are left", n)
	}
	if n, err := b.GC(t.Context()); err != nil || n != 2 {
		t.Errorf("GC deleted %d, %v", n, err)
	}
}

func TestCleanupLimitZeroDeletesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fill("old", 3, "1m")
	b.clock.Add(time.Minute)
	b.do(request(options{}), policy(t, options{"cleanup_probability": 1, "cleanup_limit": 0}))
	b.Close()
	if n := b.entries(); n != 4 {
		t.Errorf("%d entries are left", n)
	}
}
