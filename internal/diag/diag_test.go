package diag_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/diag"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	known := []string{"cache.wrap", "cache.get", "storage.hash", "ttl_days", "ttl_hours"}
	for name, want := range map[string]string{
		"cache.warp":   "cache.wrap",
		"Cache.Wrap":   "cache.wrap",
		"storage.hsah": "storage.hash",
		"ttl_day":      "ttl_days",
		"llm.call":     "",
		"":             "",
	} {
		if got := diag.Suggest(name, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
	if got := diag.DidYouMean("zzz", []string{"b", "a"}); got != "known: a, b" {
		t.Errorf("DidYouMean = %q", got)
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	var l diag.List
	l.Add(diag.Pos{File: "agent.yaml", Line: 3, Col: 8}, "unknown_action", "unknown action %q", "cache.warp").Hint = `did you mean "cache.wrap"?`
	l[0].Width = 10
	l.Warn(diag.Pos{File: "agent.yaml", Line: 1}, "style", "no description")
	l.Add(diag.Pos{}, "empty", "nothing to run")
	l.Sort()
	source := func(string) string { return "name: é\nnodes:\n\tuses:\tcache.warp\n" }
	var b strings.Builder
	if err := diag.Render(&b, l, source); err != nil {
		t.Fatal(err)
	}
	want := `error: nothing to run

agent.yaml:1: warning: no description
  1 | name: é

agent.yaml:3:8: error: unknown action "cache.warp"
  1 | name: é
  2 | nodes:
  3 | 	uses:	cache.warp
    | 	     	^^^^^^^^^^
  hint: did you mean "cache.wrap"?
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if l.Err() == nil || l[1:2].Err() != nil {
		t.Error("Err: an error counts, a warning alone does not")
	}
}
