package llmcache_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// usual is a usual call: 2 KB of messages.
func usual(n int) llmcache.Request {
	return llmcache.Request{Provider: "openai", Model: "gpt-4o", Identity: value.Must(options{
		"operation": "chat", "provider": "openai", "model": "gpt-4o", "temperature": 0.7, "seed": n,
		"messages": []any{
			options{"role": "system", "content": "You are a careful translator."},
			options{"role": "user", "content": strings.Repeat("Translate to Spanish: good morning. ", 55)},
		},
	})}
}

// usualAnswer has 1 KB of text, and the provider's bytes around it.
func usualAnswer() llmcache.Response {
	text := strings.Repeat("buenos dias ", 85)
	return llmcache.Response{
		Result: value.Must(options{"content": text, "model": "gpt-4o", "finish_reason": "stop"}),
		Raw: fmt.Appendf(nil, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":%q}}],`+
			`"usage":{"prompt_tokens":500,"completion_tokens":200,"total_tokens":700}}`, text),
		Usage:   value.Must(options{"prompt_tokens": 500, "completion_tokens": 200, "total_tokens": 700}),
		CostUSD: 0.01, Priced: true,
	}
}

// stock fills a store with 1,000 answers.
func stock(b *testing.B, c *llmcache.Cache) {
	b.Helper()
	for i := range 1000 {
		_, _, err := c.Wrap(b.Context(), usual(i), llmcache.Both, func(context.Context) (llmcache.Response, error) {
			return usualAnswer(), nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func openBench(b *testing.B) *ltm.Memory {
	b.Helper()
	mem, err := builtin.Mux().Open(b.Context(), "sqlite://"+filepath.Join(b.TempDir(), "llm.db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { mem.Close() })
	return mem
}

// BenchmarkHit is a hit, its key included, which is made anew each time. "Read"
// reads the entry from the file each time, as with a store that changes all the
// time.
func BenchmarkHit(b *testing.B) {
	base := usual(500)
	fresh := func() llmcache.Request { // with no digest remembered
		req := base
		req.Identity = base.Identity.With("seed", value.Int(500))
		return req
	}
	wrap := func(b *testing.B, c *llmcache.Cache) {
		b.Helper()
		req := fresh()
		if _, o, err := c.Wrap(b.Context(), req, llmcache.Both, nil); err != nil || o.Status != cache.Hit {
			b.Fatal(o, err)
		}
	}
	get := func(b *testing.B, c *llmcache.Cache) {
		b.Helper()
		key, err := llmcache.Key(fresh().Identity)
		if err != nil {
			b.Fatal(err)
		}
		if e, err := c.Get(b.Context(), key); err != nil || e == nil {
			b.Fatal(e, err)
		}
	}
	memory := func(*testing.B) *ltm.Memory { return ltm.New(memltm.New(), nil) }
	for _, bm := range []struct {
		name  string
		open  func(*testing.B) *ltm.Memory
		bytes int64
		hit   func(*testing.B, *llmcache.Cache)
	}{
		{"Memory", memory, 0, wrap}, {"MemoryGet", memory, 0, get},
		{"SQLite", openBench, 0, wrap}, {"SQLiteGet", openBench, 0, get},
		{"SQLiteRead", openBench, -1, wrap}, {"SQLiteReadGet", openBench, -1, get},
	} {
		b.Run(bm.name, func(b *testing.B) {
			c := llmcache.New(bm.open(b), &llmcache.Options{MemoryBytes: bm.bytes})
			defer c.Close()
			stock(b, c)
			b.ReportAllocs()
			for b.Loop() {
				bm.hit(b, c)
			}
		})
	}
}
