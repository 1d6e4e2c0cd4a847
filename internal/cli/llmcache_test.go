package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

// answers is a store with answers of models in it.
type answers struct {
	t   *testing.T
	url string
	now time.Time
}

// newAnswers stores three answers: "fresh", now, with a hit; "raw", 100 days
// ago, and "priceless", 500 days ago, which have none.
func newAnswers(t *testing.T) *answers {
	t.Helper()
	a := &answers{
		t: t, url: "sqlite://" + filepath.Join(t.TempDir(), "memory.db"),
		now: time.Now(), // as the command has it
	}
	const day = 24 * time.Hour
	a.store(500*day, "priceless", llmcache.Response{Result: value.String("priceless")}, 0)
	a.store(100*day, "raw", llmcache.Response{Raw: []byte("{\"raw\":  1.0}\n")}, 0)
	a.store(0, "fresh", llmcache.Response{
		Result: value.String("fresh"), Usage: value.Must(map[string]any{"total_tokens": 100}), CostUSD: 0.5, Priced: true,
		Chunks: []llmcache.Chunk{{Data: value.String("fr"), After: time.Second}, {Data: value.String("esh"), After: 2 * time.Second}},
	}, 1)
	return a
}

// key is that of the answer with the given name.
func key(name string) string {
	k, err := llmcache.Key(value.String(name))
	if err != nil {
		panic(err)
	}
	return k
}

func (a *answers) store(ago time.Duration, name string, r llmcache.Response, hits int) {
	a.t.Helper()
	mem, err := builtin.Mux().Open(a.t.Context(), a.url, &ltm.Options{Now: func() time.Time { return a.now.Add(-ago) }})
	if err != nil {
		a.t.Fatal(err)
	}
	c := llmcache.New(mem, nil)
	req := llmcache.Request{Identity: value.String(name), Provider: "openai", Model: name + "-model"}
	for range 1 + hits {
		_, _, err := c.Wrap(a.t.Context(), req, llmcache.Both, func(context.Context) (llmcache.Response, error) { return r, nil })
		if err != nil {
			a.t.Fatal(err)
		}
	}
	if err := errors.Join(c.Close(), mem.Close()); err != nil {
		a.t.Fatal(err)
	}
}

// run runs tea llm-cache with args.
func (a *answers) run(args ...string) (stdout, stderr string, status int) {
	a.t.Helper()
	var out, problems strings.Builder
	app := &app{streams: streams{out: &out, err: &problems}, now: func() time.Time { return a.now }, ltm: a.url}
	root := &cobra.Command{Use: "tea", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	group(root, app.llmCacheCommand())
	markUsageErrors(root.Commands()[0])
	root.SetArgs(append([]string{"llm-cache"}, args...))
	root.SetOut(&out)
	root.SetErr(&problems)
	status = app.report(root.ExecuteContext(a.t.Context()))
	return out.String(), problems.String(), status
}

// ok runs a command that must succeed.
func (a *answers) ok(args ...string) string {
	a.t.Helper()
	out, problems, status := a.run(args...)
	if status != 0 || problems != "" {
		a.t.Errorf("%v: exit %d: %s", args, status, problems)
	}
	return out
}

// json runs a command that must write JSON.
func (a *answers) json(args ...string) value.Value {
	a.t.Helper()
	v, err := value.Parse([]byte(a.ok(args...)))
	if err != nil {
		a.t.Errorf("%v: %v", args, err)
	}
	return v
}

func (a *answers) says(want []string, args ...string) {
	a.t.Helper()
	out := a.ok(args...)
	for _, w := range want {
		if !strings.Contains(out, w) {
			a.t.Errorf("%v: no %q in:\n%s", args, w, out)
		}
	}
}

func TestLLMCacheLs(t *testing.T) {
	t.Parallel()
	a := newAnswers(t)
	a.says([]string{key("fresh")[:12] + "  openai/fresh-model", "1 hit", "100d", "500d"}, "ls")
	if out := a.ok("ls", "--model", "raw-model"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "raw-model") {
		t.Errorf("one model: %s", out)
	}
	lines := strings.Split(strings.TrimSpace(a.ok("ls", "--json")), "\n")
	if len(lines) != 3 {
		t.Fatalf("%q", lines)
	}
	first, err := value.Parse([]byte(lines[0]))
	if n, _ := first.At("hit_count").AsInt(); err != nil || n != 1 || first.At("key").Text() != key("fresh") || first.At("last_hit_at").IsNull() {
		t.Errorf("%v %v", first, err)
	}
}

func TestLLMCacheGet(t *testing.T) {
	t.Parallel()
	a := newAnswers(t)
	for _, k := range []string{key("fresh"), key("fresh")[:8]} {
		got := a.json("get", k).Without("cached_at").Without("last_hit_at").Without("duration_ms")
		want := value.Must(map[string]any{
			"key": key("fresh"), "provider": "openai", "model": "fresh-model", "request": "fresh", "result": "fresh",
			"usage": map[string]any{"total_tokens": 100}, "cost_usd": 0.5, "hit_count": 1, "pinned": false,
			"chunks": []any{map[string]any{"after_ms": 1000, "data": "fr"}, map[string]any{"after_ms": 2000, "data": "esh"}},
		})
		if !value.Equal(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if out := a.ok("get", "--raw", key("raw")); out != "{\"raw\":  1.0}\n" {
		t.Errorf("raw: %q", out)
	}
	if v := a.json("get", key("raw")); v.At("raw").Text() != "{\"raw\":  1.0}\n" || !v.At("cost_usd").IsNull() {
		t.Errorf("%v", v)
	}
}

func TestLLMCacheStats(t *testing.T) {
	t.Parallel()
	a := newAnswers(t)
	a.says([]string{"3 (0 pinned)", "50.0 % of 2 lookups", "$0.5000", "openai/raw-model", key("fresh")[:12]}, "stats")
	s := a.json("stats", "--json")
	for _, tt := range []struct {
		name string
		want any
	}{
		{"total_entries", 3}, {"hit_rate_7d", 0.5}, {"tokens_saved", 100}, {"est_usd_saved", 0.5}, {"unpriced_hits", 0}, {"hits", 1}, {"lookups", 4},
	} {
		if got := s.At(tt.name); !value.Equal(got, value.Must(tt.want)) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if bytes, _ := s.At("bytes").AsInt(); bytes <= 0 || s.At("top_10").Len() != 1 || s.At("by_model").Len() != 3 {
		t.Errorf("%s", s.Indent())
	}
	a.store(0, "priceless", llmcache.Response{}, 0)
	a.says([]string{"and 1 hit of unknown price", "unknown price"}, "stats")
}

func TestLLMCacheEvict(t *testing.T) {
	t.Parallel()
	a := newAnswers(t)
	if n := a.json("evict", "--older-than", "90d", "--unhit", "--dry-run", "--json").At("deleted_count"); n.String() != "2" {
		t.Errorf("dry run: %v", n)
	}
	a.says([]string{"would delete 0 entries", "3 entries"}, "evict", "--dry-run", "--older-than", "never", "--idle", "never")
	a.ok("pin", key("priceless")[:6])
	a.says([]string{"deleted 1 entry", "1 never hit", "2 entries"}, "evict")
	a.ok("unpin", key("priceless"))
	a.says([]string{"deleted 1 entry", "1 entry"}, "evict", "--older-than", "1d12h")
	a.says([]string{"deleted 0 entries"}, "evict", "--older-than", "0", "--unhit", "--max-bytes", "0")
	a.says([]string{"deleted 1 entry", "1 over the size"}, "evict", "--max-bytes", "0")
}

func TestLLMCacheEvictDays(t *testing.T) {
	a := newAnswers(t)
	t.Setenv(evictDays, "600")
	a.says([]string{"would delete 1 entry", "0 never hit, 1 idle"}, "evict", "--dry-run")
	a.says([]string{"would delete 2 entries"}, "evict", "--dry-run", "--older-than", "90d")
	t.Setenv(evictDays, "soon")
	if _, problems, status := a.run("evict"); status != 3 || !strings.Contains(problems, evictDays) {
		t.Errorf("exit %d: %s", status, problems)
	}
}

func TestLLMCacheRemoves(t *testing.T) {
	t.Parallel()
	a := newAnswers(t)
	a.says([]string{"deleted " + key("raw")}, "rm", key("raw")[:10])
	if _, problems, status := a.run("rm", key("fresh"), key("raw")); status != 1 || !strings.Contains(problems, "no answer under") {
		t.Errorf("exit %d: %s", status, problems)
	}
	a.ok("get", key("fresh")) // nothing was removed
	a.says([]string{"deleted 2 entries"}, "clear", "--yes")
	if out := a.ok("ls"); out != "" {
		t.Errorf("left: %s", out)
	}
	a.says([]string{"no lookups"}, "stats")
}

func TestLLMCacheMistakes(t *testing.T) {
	t.Parallel()
	a := newAnswers(t)
	for _, tt := range []struct {
		args   string
		status int
		says   string
	}{
		{"get 0000000", 1, "no answer under \"0000000\"; tea llm-cache ls"},
		{"get xyz", 2, "want hex digits"},
		{"get --raw " + key("fresh"), 1, "no raw bytes"},
		{"get", 2, "KEY is missing"},
		{"pin", 2, "KEY is missing"},
		{"clear", 2, "--yes"},
		{"stat", 2, `did you mean "stats"?`},
		{"evict --older-than soon", 2, `"soon" is not a duration`},
		{"evict --idle -1d", 2, "negative"},
		{"evict --max-bytes many", 2, "max-bytes"},
	} {
		out, problems, status := a.run(strings.Fields(tt.args)...)
		if status != tt.status || !strings.Contains(problems, tt.says) || out != "" {
			t.Errorf("%s: exit %d, %s%s, want %d, %s", tt.args, status, out, problems, tt.status, tt.says)
		}
	}
	a.url = "nowhere://x"
	if _, problems, status := a.run("ls"); status != 3 {
		t.Errorf("exit %d: %s", status, problems)
	}
}

func TestLLMCacheKeyMustBeOne(t *testing.T) {
	t.Parallel()
	a := newAnswers(t)
	for i := range 20 { // of 20 keys two begin with the same digit
		a.store(0, strings.Repeat("x", i+1), llmcache.Response{}, 0)
	}
	ambiguous := 0
	for _, digit := range "0123456789abcdef" {
		if _, problems, status := a.run("get", string(digit)); status == 1 && strings.Contains(problems, "say more digits") {
			ambiguous++
		}
	}
	if ambiguous == 0 {
		t.Error("a digit that many keys begin with shows one of them")
	}
}
