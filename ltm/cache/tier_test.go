package cache_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func TestRepeatedHitsDoNotReadTheEntryAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.do(request(options{}), policy(t, options{}))
	b.do(request(options{}), policy(t, options{}))
	gets := b.store.Gets.Load()
	for range 5 {
		b.want(cache.Hit, "", request(options{}), policy(t, options{}))
	}
	if n := b.store.Gets.Load() - gets; n != 0 {
		t.Errorf("the entry was read %d times", n)
	}
}

func TestMemoryIsNeverOlderThanTheStore(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cache.db")
	open := func() *bench {
		b := newBench(t)
		b.on(openFile(t, file, "", b.clock))
		return b
	}
	here, there := open(), open()
	p := policy(t, options{"key": "k"})
	here.do(request(options{}), p)
	here.want(cache.Hit, "", request(options{}), p)
	there.runs.Store(41)
	there.do(request(options{}), policy(t, options{"key": "k", "skip_cache": true}))
	if v, o := here.do(request(options{}), p); o.Status != cache.Hit || !value.Equal(v, value.Must(options{"n": 42})) {
		t.Errorf("after another process stored: %v %+v", v, o)
	}
	if _, err := there.Invalidate(t.Context(), cache.Selector{Agent: "me", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	here.want(cache.Miss, "not_found", request(options{}), p)
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *cache.Options) { o.MemoryBytes = 5 << 10 }) // room for two entries
	read := func(i int) int64 {
		before := b.store.Gets.Load()
		b.want(cache.Hit, "", request(options{}), policy(t, options{"key": fmt.Sprint("k:", i)}))
		return b.store.Gets.Load() - before
	}
	b.fill("k", 3, "1h")
	for _, i := range []int{0, 1, 2} {
		read(i)
	}
	for _, tt := range []struct {
		i    int
		want int64
	}{{2, 0}, {1, 0}, {0, 1}, {1, 0}, {2, 1}} {
		if got := read(tt.i); got != tt.want {
			t.Errorf("entry %d: read %d times from the store, want %d", tt.i, got, tt.want)
		}
	}
	none := newBench(t, func(o *cache.Options) { o.MemoryBytes = -1 })
	none.do(request(options{}), policy(t, options{}))
	for range 2 {
		before := none.store.Gets.Load()
		none.want(cache.Hit, "", request(options{}), policy(t, options{}))
		if none.store.Gets.Load() != before+1 {
			t.Error("an entry was kept in memory all the same")
		}
	}
}

func TestResultsSurviveTheProcess(t *testing.T) {
	t.Parallel()
	url := "sqlite://" + filepath.Join(t.TempDir(), "cache.db")
	for i, want := range []cache.Status{cache.Miss, cache.Hit} {
		mem, err := builtin.Mux().Open(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := cache.New(mem, nil)
		v, o, err := c.Do(t.Context(), request(options{}), policy(t, options{}), func(context.Context) (value.Value, error) {
			return value.Int(int64(i)), nil
		})
		if err != nil || o.Status != want || !value.Equal(v, value.Int(0)) {
			t.Errorf("%v %+v %v", v, o, err)
		}
		if err := errors.Join(c.Close(), mem.Close()); err != nil {
			t.Error(err)
		}
	}
}
