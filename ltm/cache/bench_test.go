package cache_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// prompt is a call with 2 KB of arguments.
func prompt() cache.Request {
	return request(options{
		"model":    "gpt-4o",
		"messages": []any{options{"role": "user", "content": strings.Repeat("Translate to Spanish: good morning. ", 55)}},
		"options":  options{"temperature": 0.5, "seed": 7},
	})
}

func benchmarkHit(b *testing.B, mem *ltm.Memory) {
	b.Helper()
	c := cache.New(mem, nil)
	defer c.Close()
	answer := value.Must(options{"text": strings.Repeat("buenos dias ", 80), "usage": options{"in": 500, "out": 200}})
	run := func(context.Context) (value.Value, error) { return answer, nil }
	p := cache.Policy{Mode: cache.Both, TTL: cache.DefaultTTL}
	for i := range 1000 {
		req := request(options{"i": i})
		if _, _, err := c.Do(b.Context(), req, p, run); err != nil {
			b.Fatal(err)
		}
	}
	req := prompt()
	req.Quota = ltm.Quota{MaxBytes: cache.DefaultMaxBytes} // as in a run
	c.Do(b.Context(), req, p, run)
	b.ReportAllocs()
	for b.Loop() {
		if _, o, err := c.Do(b.Context(), req, p, run); err != nil || o.Status != cache.Hit {
			b.Fatal(o, err)
		}
	}
}

func BenchmarkHitMemory(b *testing.B) {
	mem := ltm.New(memltm.New(), nil)
	defer mem.Close()
	benchmarkHit(b, mem)
}

func BenchmarkHitSQLite(b *testing.B) {
	mem, err := builtin.Mux().Open(b.Context(), "sqlite://"+filepath.Join(b.TempDir(), "cache.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mem.Close()
	benchmarkHit(b, mem)
}

func BenchmarkKey2KB(b *testing.B) {
	mem := ltm.New(memltm.New(), nil)
	defer mem.Close()
	c := cache.New(mem, nil)
	defer c.Close()
	p := cache.Policy{Mode: cache.Require, TTL: cache.DefaultTTL}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		req := prompt() // with no digest remembered
		b.StartTimer()
		c.Do(b.Context(), req, p, nil)
	}
}

func BenchmarkInvalidateSQLite(b *testing.B) {
	mem, err := builtin.Mux().Open(b.Context(), "sqlite://"+filepath.Join(b.TempDir(), "cache.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer mem.Close()
	c := cache.New(mem, nil)
	defer c.Close()
	p := cache.Policy{Mode: cache.Write, TTL: cache.DefaultTTL}
	run := func(context.Context) (value.Value, error) { return value.Int(1), nil }
	for b.Loop() {
		b.StopTimer()
		for i := range 1500 {
			c.Do(b.Context(), request(options{"i": fmt.Sprint(i)}), p, run)
		}
		b.StartTimer()
		if done, err := c.Invalidate(b.Context(), cache.Selector{Agent: "me", Pattern: "*"}); err != nil || done.Count != 1500 {
			b.Fatal(done.Count, err)
		}
	}
}
