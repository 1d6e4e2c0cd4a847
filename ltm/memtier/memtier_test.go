package memtier_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/memtier"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		s, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: ":memory:"})
		if err != nil {
			t.Fatal(err)
		}
		return memtier.New(s, &memtier.Options{MaxStaleness: time.Hour})
	}, drivertest.Options{Checks: 10_000})
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	s := memtier.New(memltm.New(), &memtier.Options{MaxStaleness: time.Hour})
	drivertest.Linearizable(t, slices.Repeat([]driver.Store{s}, 8), drivertest.History{Operations: 400})
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

func put(t *testing.T, s driver.Store, key, v string) {
	t.Helper()
	r := driver.Record{Key: driver.Key{Key: key}, Value: []byte(v), Metadata: []byte("{}"), UpdatedAt: 1}
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

func TestWhatWasReadIsNotAskedForAgainWhileItIsFresh(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	inner := &counting{Layer: driver.Layer{Store: memltm.New()}}
	s := memtier.New(inner, &memtier.Options{MaxStaleness: time.Second, Now: func() time.Time { return now }})
	put(t, s, "k", "1")
	for range 5 {
		if got := get(t, s, "k"); got != "1" {
			t.Errorf("got %q", got)
		}
	}
	if n := inner.gets.Load(); n != 1 {
		t.Errorf("the store was asked %d times", n)
	}
	put(t, inner, "k", "2") // as another process would
	now = now.Add(time.Second - 1)
	if got := get(t, s, "k"); got != "1" {
		t.Errorf("a fresh copy is %q", got)
	}
	now = now.Add(1)
	if got := get(t, s, "k"); got != "2" {
		t.Errorf("an old copy is returned: %q", got)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	inner := &counting{Layer: driver.Layer{Store: memltm.New()}}
	s := memtier.New(inner, &memtier.Options{MaxBytes: 10_000})
	for i := range 100 {
		put(t, s, fmt.Sprint(i), "v")
		get(t, s, fmt.Sprint(i))
		get(t, s, "0")
	}
	put(t, s, "big", string(make([]byte, 5000)))
	inner.gets.Store(0)
	for _, key := range []string{"99", "98", "0"} {
		get(t, s, key)
	}
	if n := inner.gets.Load(); n != 0 {
		t.Errorf("recently used records are gone: %d gets", n)
	}
	for _, key := range []string{"1", "2", "big", "big"} {
		get(t, s, key)
	}
	if n := inner.gets.Load(); n != 4 {
		t.Errorf("more is kept than fits: %d gets of 4", n)
	}
}
