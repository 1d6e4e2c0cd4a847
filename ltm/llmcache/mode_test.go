package llmcache_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
)

func TestParseMode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]llmcache.Mode{"off": llmcache.Off, "read": llmcache.Read, "write": llmcache.Write, "both": llmcache.Both} {
		if m, err := llmcache.ParseMode(text); m != want || err != nil || m.String() != text {
			t.Errorf("%q: %v %v", text, m, err)
		}
	}
	for text, hint := range map[string]string{
		"boht": `did you mean "both"?`, "Read": `did you mean "read"?`, "": "known: both, off, read, write", "require": "known: both, off, read, write",
	} {
		if m, err := llmcache.ParseMode(text); m != llmcache.Off || err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v %v, want %s", text, m, err, hint)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode         llmcache.Mode
		empty, after cache.Status // status without an entry, and with one
		stores       bool
	}{
		{llmcache.Off, cache.Bypass, cache.Bypass, false},
		{llmcache.Read, cache.Miss, cache.Hit, false},
		{llmcache.Write, cache.Refreshed, cache.Refreshed, true},
		{llmcache.Both, cache.Miss, cache.Hit, true},
	} {
		b := newBench(t)
		req := chat(options{"prompt": "hi"})
		o := b.want(tt.empty, req, tt.mode)
		if n := len(b.keys()); o.Stored != tt.stores || (n == 1) != tt.stores {
			t.Errorf("%v: stored %v, %d entries", tt.mode, o.Stored, n)
		}
		b.stored(options{"prompt": "hi"})
		b.want(tt.after, req, tt.mode)
	}
}

func TestOffDoesNothingAtAll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := b.store.Asks.Load()
	for range 3 {
		if o := b.want(cache.Bypass, chat(options{"prompt": "hi"}), llmcache.Off); o.Key != "" {
			t.Errorf("a key was made: %+v", o)
		}
	}
	if n := b.store.Asks.Load() - before; n != 0 || b.calls.Load() != 3 {
		t.Errorf("%d questions to the store, %d calls", n, b.calls.Load())
	}
}

func TestRefreshedAnswerReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	for name, b := range stores(t) {
		req := chat(options{"prompt": "hi"})
		b.do(req, llmcache.Both)
		b.do(req, llmcache.Write)
		r, o := b.do(req, llmcache.Both)
		if n, _ := r.Result.At("n").AsInt(); o.Status != cache.Hit || n != 2 {
			t.Errorf("%s: %+v, answer %d", name, o, n)
		}
	}
}
