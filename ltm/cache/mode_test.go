package cache_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/cache"
)

var modes = []cache.Mode{cache.Off, cache.Read, cache.Write, cache.Both, cache.Require}

func TestParseMode(t *testing.T) {
	t.Parallel()
	for _, m := range modes {
		if got, err := cache.ParseMode(m.String()); err != nil || got != m {
			t.Errorf("ParseMode(%q) = %v, %v", m, got, err)
		}
	}
	_, err := cache.ParseMode("requir")
	if err == nil || !strings.Contains(err.Error(), `did you mean "require"?`) {
		t.Errorf("a misspelt mode is not explained: %v", err)
	}
}

func TestCapOnlyTakesAbilitiesAwayFromAnExplicitMode(t *testing.T) {
	t.Parallel()
	want := map[cache.Mode]map[cache.Mode]cache.Mode{ // node → outside → result
		cache.Off:     {cache.Off: cache.Off, cache.Read: cache.Off, cache.Write: cache.Off, cache.Both: cache.Off, cache.Require: cache.Off},
		cache.Read:    {cache.Off: cache.Off, cache.Read: cache.Read, cache.Write: cache.Off, cache.Both: cache.Read, cache.Require: cache.Require},
		cache.Write:   {cache.Off: cache.Off, cache.Read: cache.Off, cache.Write: cache.Write, cache.Both: cache.Write, cache.Require: cache.Off},
		cache.Both:    {cache.Off: cache.Off, cache.Read: cache.Read, cache.Write: cache.Write, cache.Both: cache.Both, cache.Require: cache.Require},
		cache.Require: {cache.Off: cache.Off, cache.Read: cache.Require, cache.Write: cache.Off, cache.Both: cache.Require, cache.Require: cache.Require},
	}
	for _, node := range modes {
		for _, outside := range modes {
			p := cache.Policy{Mode: node, Explicit: true}
			if got := p.Cap(outside).Mode; got != want[node][outside] {
				t.Errorf("node %v within %v = %v, want %v", node, outside, got, want[node][outside])
			}
		}
	}
}

func TestCapReplacesAModeThatNobodyChose(t *testing.T) {
	t.Parallel()
	for _, outside := range modes {
		if got := (cache.Policy{Mode: cache.Both}).Cap(outside).Mode; got != outside {
			t.Errorf("Both within %v = %v", outside, got)
		}
	}
	if got := (cache.Policy{}).Cap(cache.Both).Mode; got != cache.Off {
		t.Errorf("a call that is not cached became %v", got)
	}
}

func TestCapTwiceIsCapOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom(modes)
		p := cache.Policy{Mode: mode.Draw(t, "node"), Explicit: true}
		outside := mode.Draw(t, "outside")
		if once, twice := p.Cap(outside), p.Cap(outside).Cap(outside); once.Mode != twice.Mode {
			t.Fatalf("%v within %v: %v, then %v", p.Mode, outside, once.Mode, twice.Mode)
		}
	})
}
