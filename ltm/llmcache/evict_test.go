package llmcache_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/llmcache"
)

const day = 24 * time.Hour

// aged fills a bench: an entry for each name, whose age and idleness in days
// and hits it takes from the table.
func aged(b *bench, table map[string]struct{ age, idle, hits int }) map[string]string {
	b.t.Helper()
	names := map[string]string{}
	oldest := 0
	for _, e := range table {
		oldest = max(oldest, e.age)
	}
	for d := oldest; d >= 0; d-- {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			e := table[name]
			if e.age == d {
				names[b.stored(options{"name": name})] = name
			}
			if e.hits > 0 && e.idle == d {
				b.hit(options{"name": name}, e.hits)
			}
		}
		if d > 0 {
			b.clock.Add(day)
		}
	}
	return names
}

// left are the names of the entries that are there.
func (b *bench) left(names map[string]string) string {
	b.t.Helper()
	var left []string
	for key := range b.keys() {
		left = append(left, names[key])
	}
	slices.Sort(left)
	return fmt.Sprint(left)
}

func TestEvict(t *testing.T) {
	t.Parallel()
	table := map[string]struct{ age, idle, hits int }{
		"new":        {age: 0},
		"young":      {age: 89},
		"just":       {age: 90},
		"unhit":      {age: 91},
		"hit":        {age: 200, idle: 100, hits: 1},
		"idle":       {age: 400, idle: 366, hits: 5},
		"almostidle": {age: 400, idle: 365, hits: 5},
		"pinned":     {age: 400},
	}
	for name, tt := range map[string]struct {
		options             llmcache.EvictOptions
		left                string
		unhit, idle, oversz int64
	}{
		"defaults":      {left: "[almostidle hit just new pinned young]", unhit: 1, idle: 1},
		"30 days":       {options: llmcache.EvictOptions{OlderThan: 30 * day}, left: "[almostidle hit new pinned]", unhit: 3, idle: 1},
		"only unhit":    {options: llmcache.EvictOptions{Unhit: true}, left: "[almostidle hit idle just new pinned young]", unhit: 1},
		"idle 50 days":  {options: llmcache.EvictOptions{OlderThan: -1, Idle: 95 * day}, left: "[just new pinned unhit young]", idle: 3},
		"all rules off": {options: llmcache.EvictOptions{OlderThan: -1, Idle: -1, MaxBytes: -1}, left: "[almostidle hit idle just new pinned unhit young]"},
		"one byte":      {options: llmcache.EvictOptions{MaxBytes: 1}, left: "[pinned]", unhit: 1, idle: 1, oversz: 5},
		"one byte, unhit only": {
			options: llmcache.EvictOptions{MaxBytes: 1, OlderThan: -1, Unhit: true}, left: "[almostidle hit idle pinned]", oversz: 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			names := aged(b, table)
			for key, name := range names {
				if name == "pinned" {
					if err := b.Pin(t.Context(), key, true); err != nil {
						t.Fatal(err)
					}
				}
			}
			all := b.left(names)
			dry := tt.options
			dry.DryRun = true
			would, err := b.Evict(t.Context(), dry)
			if left := b.left(names); err != nil || left != all {
				t.Errorf("a dry run removes: left %s, %v", left, err)
			}
			did, err := b.Evict(t.Context(), tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if left := b.left(names); left != tt.left {
				t.Errorf("left %s, want %s", left, tt.left)
			}
			if fmt.Sprint(would) != fmt.Sprint(did) {
				t.Errorf("a dry run says %+v, but it did %+v", would, did)
			}
			if did.Unhit != tt.unhit || did.Idle != tt.idle || did.Oversize != tt.oversz || did.Entries != tt.unhit+tt.idle+tt.oversz || int(did.Entries) != len(did.Keys) {
				t.Errorf("%+v", did)
			}
			if again, err := b.Evict(t.Context(), tt.options); err != nil || again.Entries != 0 {
				t.Errorf("the second time: %+v %v", again, err)
			}
		})
	}
}

func TestEvictTakesTheLeastRecentlyUsedFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		const n = 6
		var order []int // by last use
		for i := range n {
			b.clock.Add(time.Second)
			b.stored(options{"n": i})
			order = append(order, i)
		}
		for range rapid.IntRange(0, 8).Draw(rt, "hits") {
			i := rapid.IntRange(0, n-1).Draw(rt, "hit")
			b.clock.Add(time.Second)
			b.hit(options{"n": i}, 1)
			order = append(slices.DeleteFunc(order, func(j int) bool { return j == i }), i)
		}
		s, err := b.Stats(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		each := s.Bytes / n
		keep := rapid.IntRange(1, n).Draw(rt, "keep")
		if _, err := b.Evict(t.Context(), llmcache.EvictOptions{MaxBytes: each*int64(keep) + each/2}); err != nil {
			rt.Fatal(err)
		}
		for rank, i := range order {
			want := cache.Hit
			if rank < n-keep {
				want = cache.Miss
			}
			if _, o := b.do(chat(options{"n": i}), llmcache.Read); o.Status != want {
				rt.Fatalf("keep %d of %v: %d is a %s", keep, order, i, o.Status)
			}
		}
	})
}

func TestEvictReachesAll(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		n := 1203
		if name == "sqlite" {
			n = 501 // more than a page
		}
		for i := range n {
			b.stored(options{"n": i})
		}
		b.clock.Add(91 * day)
		b.stored(options{"n": "new"})
		done, err := b.Evict(t.Context(), llmcache.EvictOptions{})
		if err != nil || done.Entries != int64(n) || len(done.Keys) != min(n, llmcache.MaxEvictedKeys) || done.Truncated != (n > llmcache.MaxEvictedKeys) || done.LeftEntries != 1 || done.LeftBytes <= 0 {
			t.Errorf("%s: %d entries, %d keys, %v left: %v", name, done.Entries, len(done.Keys), done.LeftEntries, err)
		}
		b.onlyBeside(name, 1)
	}
}

// onlyBeside checks that the requests and marks of so many entries are there.
func (b *bench) onlyBeside(name string, want int64) {
	b.t.Helper()
	stats, err := b.mem.In(driver.LLM, "").Stats(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, s := range stats {
		if s.Namespace != "days" && s.Entries != want {
			b.t.Errorf("%s: %d records in %q, want %d", name, s.Entries, s.Namespace, want)
		}
	}
}

func TestEvictRemovesWhatBelongsToNoEntry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := b.stored(options{"n": 1})
	b.hit(options{"n": 1}, 1)
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.mem.In(driver.LLM, "").Delete(t.Context(), "custom:"+key); err != nil {
		t.Fatal(err)
	}
	if done, err := b.Evict(t.Context(), llmcache.EvictOptions{DryRun: true}); err != nil || done.Entries != 0 {
		t.Errorf("%+v %v", done, err)
	}
	b.onlyBeside("dry run", 1)
	if _, err := b.Evict(t.Context(), llmcache.EvictOptions{}); err != nil {
		t.Fatal(err)
	}
	b.onlyBeside("evicted", 0)
}

func TestClear(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		for i := range 3 {
			b.stored(options{"n": i})
		}
		b.hit(options{"n": 0}, 2)
		if err := b.Pin(t.Context(), b.stored(options{"n": 0}), true); err != nil {
			t.Fatal(err)
		}
		n, err := b.Clear(t.Context())
		s, statsErr := b.Stats(t.Context())
		if err != nil || statsErr != nil || n != 3 || s.TotalEntries != 0 || s.Ever != (llmcache.Savings{}) {
			t.Errorf("%s: %d %v, %+v %v", name, n, err, s, statsErr)
		}
	}
}
