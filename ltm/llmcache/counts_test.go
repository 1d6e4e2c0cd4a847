package llmcache_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

func TestHitsAreCounted(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		key := b.stored(options{"prompt": "hi"})
		if e := b.inspect(key); e.HitCount != 0 || !e.LastHitAt.IsZero() {
			t.Errorf("%s: new: %+v", name, e.Usefulness)
		}
		for want := range int64(3) {
			b.clock.Add(time.Minute)
			b.hit(options{"prompt": "hi"}, 1)
			e := b.inspect(key)
			if e.HitCount != want+1 || !e.LastHitAt.Equal(b.clock.Now()) {
				t.Errorf("%s: %+v, want %d hits, the last one at %v", name, e.Usefulness, want+1, b.clock.Now())
			}
		}
		if _, err := b.Get(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e := b.inspect(key); e.HitCount != 4 {
			t.Errorf("%s: written: %+v", name, e.Usefulness)
		}
		b.stored(options{"prompt": "hi"})
		if e := b.inspect(key); e.HitCount != 4 {
			t.Errorf("%s: refreshed: %+v", name, e.Usefulness)
		}
	}
}

func TestCountsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "llm.db")
	var key string
	for i := range 3 {
		b := onFile(t, file)
		if i == 0 {
			key = b.stored(options{"prompt": "hi"})
		}
		b.hit(options{"prompt": "hi"}, 5)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b := onFile(t, file)
	s, err := b.Stats(t.Context())
	if e := b.inspect(key); err != nil || e.HitCount != 15 || s.Ever.Hits != 15 || s.Ever.Lookups != 15 {
		t.Errorf("%+v %+v %v", e.Usefulness, s.Ever, err)
	}
}

func TestTwoHandlesOnOneFileLoseNoCounts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "llm.db")
	handles := []*bench{onFile(t, file), onFile(t, file), onFile(t, file)}
	key := handles[0].stored(options{"prompt": "hi"})
	var work sync.WaitGroup
	const rounds, hits = 20, 3
	for _, b := range handles {
		work.Go(func() {
			for range rounds {
				b.hit(options{"prompt": "hi"}, hits)
				if err := b.Flush(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	want := int64(len(handles) * rounds * hits)
	s, err := handles[2].Stats(t.Context())
	if e := handles[1].inspect(key); err != nil || e.HitCount != want || s.Ever.Hits != want || s.Ever.Tokens != 10*want {
		t.Errorf("%d hits, %+v, want %d: %v", e.HitCount, s.Ever, want, err)
	}
}

func TestHitsDoNotWrite(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stored(options{"prompt": "hi"})
	before, err := b.mem.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.hit(options{"prompt": "hi"}, 500)
	if after, _ := b.mem.Revision(t.Context()); after != before {
		t.Errorf("%d changes of the store", after-before)
	}
}

func TestCountsAreWrittenInTheBackground(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hits  int
		sleep time.Duration
		want  int64
	}{
		"before the interval": {3, 4 * time.Second, 0},
		"after the interval":  {3, 6 * time.Second, 3},
		"enough of them":      {9, 0, 9}, // with the call that stored
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mem := ltm.New(memltm.New(), nil)
				c := llmcache.New(mem, &llmcache.Options{FlushAfter: 10})
				b := &bench{t: t, Cache: c, mem: mem, clock: ltmtest.NewClock()}
				key := b.stored(options{})
				b.hit(options{}, tt.hits)
				time.Sleep(tt.sleep)
				synctest.Wait()
				e, err := mem.In(driver.LLM, "marks").Get(t.Context(), key)
				if n, _ := e.Value.At("hit_count").AsInt(); n != tt.want {
					t.Errorf("%d hits are written, want %d: %v", n, tt.want, err)
				}
				if err := errors.Join(c.Close(), mem.Close()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestCountsWaitForAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := b.stored(options{"prompt": "hi"})
	b.hit(options{"prompt": "hi"}, 2)
	away := ltm.ErrUnavailable
	b.store.Fail(away)
	if err := b.Flush(t.Context()); !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
	b.store.Fail(nil)
	b.hit(options{"prompt": "hi"}, 1)
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := b.Stats(t.Context())
	if e := b.inspect(key); err != nil || e.HitCount != 3 || s.Ever.Hits != 3 {
		t.Errorf("%+v %+v %v", e.Usefulness, s.Ever, err)
	}
	b.hit(options{"prompt": "hi"}, 1)
	b.store.Fail(away)
	if err := b.Close(); !errors.Is(err, away) || !strings.Contains(err.Error(), "counts") {
		t.Errorf("Close hides that counts are lost: %v", err)
	}
}

func TestReadOnlyStoreCountsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stored(options{"prompt": "hi"})
	b.hit(options{"prompt": "hi"}, 1)
	readOnly := ltm.ErrReadOnly
	b.store.Fail(readOnly)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestDamagedCountsBeginAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := b.stored(options{"prompt": "hi"})
	b.hit(options{"prompt": "hi"}, 2)
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.hit(options{"prompt": "hi"}, 1)
	b.store.Corrupt.Store(true)
	if err := b.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	b.store.Corrupt.Store(false)
	if e := b.inspect(key); e.HitCount != 1 {
		t.Errorf("%+v", e.Usefulness)
	}
}

// hitNothing counts a lookup of what is not there.
func (b *bench) hitNothing() {
	b.t.Helper()
	if e, err := b.Get(b.t.Context(), strings.Repeat("0", 64)); e != nil || err != nil {
		b.t.Fatal(e, err)
	}
}

func TestPriceAtTheTimeOfTheHit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := b.stored(options{"prompt": "hi"})
	req := chat(options{"prompt": "hi"})
	for _, tt := range []struct {
		cost func(*llmcache.Response) (float64, bool)
		want float64
	}{
		{nil, 0.5}, // as stored
		{func(r *llmcache.Response) (float64, bool) {
			total, _ := r.Usage.At("total_tokens").AsInt()
			return float64(total) / 10, true
		}, 1},
		{func(*llmcache.Response) (float64, bool) { return 99, false }, 0},
		{func(*llmcache.Response) (float64, bool) { return math.NaN(), true }, 0},
	} {
		req.Cost = tt.cost
		if o := b.want(cache.Hit, req, llmcache.Both); o.SavedUSD != tt.want {
			t.Errorf("saved %v, want %v", o.SavedUSD, tt.want)
		}
	}
	if _, err := b.Get(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	s, err := b.Stats(t.Context())
	want := llmcache.Savings{Lookups: 5, Hits: 5, Tokens: 50, USD: 2, Unpriced: 2}
	if err != nil || s.Ever != want {
		t.Errorf("%+v, want %+v: %v", s.Ever, want, err)
	}
}

func TestTokensAreAddedUpWhereThereIsNoTotal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	call := func(context.Context) (llmcache.Response, error) {
		return llmcache.Response{Usage: value.Must(options{"prompt_tokens": 4, "completion_tokens": 5})}, nil
	}
	for range 2 {
		if _, _, err := b.Wrap(t.Context(), chat(options{}), llmcache.Both, call); err != nil {
			t.Fatal(err)
		}
	}
	s, err := b.Stats(t.Context())
	if usd, known := s.Ever.EstUSD(); err != nil || s.Ever.Tokens != 9 || known || usd != 0 {
		t.Errorf("%+v %v", s.Ever, err)
	}
}

func TestPinKeepsAndTells(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		key := b.stored(options{"prompt": "hi"})
		b.hit(options{"prompt": "hi"}, 2)
		for _, pinned := range []bool{true, false, true} {
			if err := b.Pin(t.Context(), key, pinned); err != nil {
				t.Fatal(err)
			}
			b.hit(options{"prompt": "hi"}, 1)
			if e := b.inspect(key); e.Pinned != pinned {
				t.Errorf("%s: %+v", name, e.Usefulness)
			}
		}
		b.stored(options{"prompt": "hi"})
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e := b.inspect(key); !e.Pinned || e.HitCount != 5 {
			t.Errorf("%s: after all: %+v", name, e.Usefulness)
		}
		if err := b.Pin(t.Context(), strings.Repeat("0", 64), true); !errors.Is(err, llmcache.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		for i := range 12 {
			b.stored(options{"n": i})
		}
		b.hit(options{"n": 0}, 4)
		b.clock.Add(8 * 24 * time.Hour)
		for i := range 12 {
			b.hit(options{"n": i}, i)
		}
		other := chat(options{"n": "x"})
		other.Provider, other.Model = "anthropic", "claude-4"
		b.want(cache.Miss, other, llmcache.Both)
		b.hitNothing()
		if err := b.Pin(t.Context(), b.stored(options{"n": 5}), true); err != nil {
			t.Fatal(err)
		}
		s, err := b.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rate, ok := s.Week.HitRate()
		if !ok || math.Abs(rate-66.0/68) > 1e-9 || s.Ever.Lookups != 72 || s.Ever.Hits != 70 || s.Pinned != 1 || s.TotalEntries != 13 || s.Bytes == 0 {
			t.Errorf("%s: %+v, rate %v", name, s, rate)
		}
		if usd, known := s.Ever.EstUSD(); !known || usd != 35 || s.Ever.Tokens != 700 {
			t.Errorf("%s: %v %v", name, usd, s.Ever)
		}
		if len(s.Top10) != 10 || s.Top10[0].HitCount != 11 || s.Top10[9].HitCount != 3 || s.Top10[0].Model != "gpt-4o" {
			t.Errorf("%s: top %+v", name, s.Top10)
		}
		var models []string
		for _, m := range s.ByModel {
			models = append(models, fmt.Sprint(m.Provider, "/", m.Model, " ", m.Entries, " ", m.Ever.Lookups, " ", m.Ever.Hits))
		}
		if got, want := strings.Join(models, ", "), "/ 0 1 0, anthropic/claude-4 1 1 0, openai/gpt-4o 12 70 70"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if s.ByModel[1].Bytes+s.ByModel[2].Bytes != s.Bytes {
			t.Errorf("%s: bytes %+v", name, s.ByModel)
		}
	}
}

func TestStatsOfNothing(t *testing.T) {
	t.Parallel()
	s, err := newBench(t).Stats(t.Context())
	_, rated := s.Week.HitRate()
	if usd, known := s.Ever.EstUSD(); err != nil || rated || s.TotalEntries != 0 || len(s.Top10) != 0 || usd != 0 || !known {
		t.Errorf("%+v %v", s, err)
	}
}

func TestModelOfAnEntryWhoseProcessWasKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "llm.db")
	killed := onFile(t, file)
	killed.stored(options{"prompt": "hi"}) // and its counts are never written
	infos, err := onFile(t, file).List(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Model != "gpt-4o" || infos[0].Provider != "openai" {
		t.Errorf("%+v %v", infos, err)
	}
}
