package cache_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// counting counts what a quota costs a store.
type counting struct {
	driver.Layer
	stats, touches, touched atomic.Int64
}

func (s *counting) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	s.stats.Add(1)
	return s.Layer.Stats(ctx, space)
}

func (s *counting) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	s.touches.Add(1)
	s.touched.Add(int64(len(keys)))
	return s.Layer.Touch(ctx, keys, at)
}

func newCounting(t *testing.T) (*bench, *counting) {
	t.Helper()
	b := newBench(t)
	s := &counting{Layer: driver.Layer{Store: memltm.New()}}
	mem := ltm.New(s, &ltm.Options{Now: b.clock.Now})
	t.Cleanup(func() { mem.Close() })
	b.on(mem)
	return b, s
}

// bounded is call i under a quota.
func bounded(i int, q ltm.Quota) cache.Request {
	req := request(options{"i": i})
	req.Quota = q
	return req
}

// present tells which of the calls up to n are stored, and touches none.
func (b *bench) present(n int) string {
	b.t.Helper()
	var s strings.Builder
	for i := range n {
		found, err := b.Get(b.t.Context(), "me", b.key(request(options{"i": i}), options{}))
		if err != nil {
			b.t.Fatal(err)
		}
		if found.Found {
			s.WriteByte('1')
		} else {
			s.WriteByte('0')
		}
	}
	return s.String()
}

func TestTheLeastRecentlyUsedEntriesGoFirst(t *testing.T) {
	t.Parallel()
	file := newBench(t)
	file.on(openFile(t, filepath.Join(t.TempDir(), "cache.db"), "", file.clock))
	counted, _ := newCounting(t)
	for name, b := range map[string]*bench{"memory": counted, "sqlite": file} {
		p := policy(t, options{})
		q := ltm.Quota{MaxEntries: 5}
		for i := range 4 {
			b.do(bounded(i, q), p)
			b.clock.Add(time.Second)
		}
		b.clock.Add(2 * time.Minute)
		b.want(cache.Hit, "", bounded(0, q), p)
		b.want(cache.Hit, "", bounded(2, q), p)
		b.FlushTouches()
		for i := 4; i < 7; i++ {
			b.clock.Add(time.Minute)
			b.do(bounded(i, q), p)
			b.Settle()
		}
		if got := b.present(7); got != "1010111" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestATenthOfTheQuotaIsFreed(t *testing.T) {
	t.Parallel()
	b, _ := newCounting(t)
	p := policy(t, options{})
	for i, want := range []int{19: 20, 20: 18, 21: 19, 22: 20, 23: 18} {
		b.clock.Add(time.Second)
		b.do(bounded(i, ltm.Quota{MaxEntries: 20}), p)
		b.Settle()
		if got := strings.Count(b.present(24), "1"); want > 0 && got != want {
			t.Errorf("after %d: %d, want %d", i+1, got, want)
		}
	}
}

func TestBytesAreBoundedToo(t *testing.T) {
	t.Parallel()
	b, _ := newCounting(t)
	p := policy(t, options{})
	large := returns(value.String(strings.Repeat("x", 1000)))
	for i := range 30 {
		if _, _, err := b.Do(t.Context(), bounded(i, ltm.Quota{MaxBytes: 10_500}), p, large); err != nil {
			t.Fatal(err)
		}
		b.Settle()
		b.clock.Add(time.Second)
		stats, err := b.Stats(t.Context())
		if err != nil || stats.Namespaces[0].Bytes > 10_500 {
			t.Fatalf("after %d: %+v, %v", i, stats, err)
		}
	}
	if got := b.present(30); !strings.HasSuffix(got, "11111111") || strings.Count(got, "1") < 8 {
		t.Error(got)
	}
}

func TestEntriesAreCountedOnceAMinute(t *testing.T) {
	t.Parallel()
	b, s := newCounting(t)
	p := policy(t, options{})
	q := ltm.Quota{MaxEntries: 1000}
	for i := range 50 {
		b.do(bounded(i, q), p)
		b.Settle()
	}
	if n := s.stats.Load(); n != 1 {
		t.Errorf("counted %d times", n)
	}
	first := b.Cache
	b.on(ltm.New(driver.Layer{Store: s}, &ltm.Options{Now: b.clock.Now})) // another process
	b.do(bounded(50, q), p)
	b.Settle()
	if n := s.stats.Load(); n != 1 {
		t.Errorf("another process counted again: %d", n)
	}
	b.clock.Add(time.Minute)
	b.do(bounded(51, q), p)
	b.Settle()
	if n := s.stats.Load(); n != 2 {
		t.Errorf("after a minute: %d", n)
	}
	first.Settle()
}

func TestWithoutAQuotaNothingIsCountedOrNoted(t *testing.T) {
	t.Parallel()
	b, s := newCounting(t)
	p := policy(t, options{})
	b.do(request(options{}), p)
	b.clock.Add(time.Hour)
	b.want(cache.Hit, "", request(options{}), p)
	b.FlushTouches()
	if s.stats.Load()+s.touches.Load() != 0 {
		t.Errorf("%d counts, %d touches", s.stats.Load(), s.touches.Load())
	}
}

func TestItIsNotedOnceAMinuteThatAnEntryIsRead(t *testing.T) {
	t.Parallel()
	b, s := newCounting(t)
	p := policy(t, options{})
	q := ltm.Quota{MaxEntries: 1000}
	for i := range 3 {
		b.do(bounded(i, q), p)
	}
	for range 10 { // within a minute of being stored
		b.want(cache.Hit, "", bounded(0, q), p)
	}
	b.FlushTouches()
	if n := s.touched.Load(); n != 0 {
		t.Errorf("%d entries of this minute", n)
	}
	b.clock.Add(cache.TouchEvery)
	for range 100 {
		b.want(cache.Hit, "", bounded(0, q), p)
		b.want(cache.Hit, "", bounded(1, q), p)
	}
	b.Close() // writes what was gathered
	if calls, n := s.touches.Load(), s.touched.Load(); calls != 1 || n != 2 {
		t.Errorf("%d writes of %d entries", calls, n)
	}
}

func TestTheKeyForSecretsSurvivesTheQuota(t *testing.T) {
	t.Parallel()
	b, s := newCounting(t)
	p := policy(t, options{})
	q := ltm.Quota{MaxEntries: 5}
	secret := func() cache.Request {
		req := bounded(0, q)
		req.Args = value.Object(value.M("token", value.Secret("TOKEN")))
		req.Secret = func(string) (string, error) { return "s3cret", nil }
		return req
	}
	before := b.want(cache.Miss, "", secret(), p).Key
	for i := range 20 {
		b.clock.Add(time.Second)
		b.do(bounded(i, q), p)
		b.Settle()
	}
	if got := strings.Count(b.present(20), "1"); got > 5 {
		t.Fatalf("%d entries are left", got)
	}
	key := b.want(cache.Miss, "", secret(), p).Key
	b.Close()
	b.on(ltm.New(driver.Layer{Store: s}, &ltm.Options{Now: b.clock.Now})) // knows no key yet
	if o := b.want(cache.Hit, "", secret(), p); o.Key != key || key != before {
		t.Errorf("the digest of the secret has changed: %s, %s, %s", before, key, o.Key)
	}
}
