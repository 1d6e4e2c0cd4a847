package driver_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/driver"
)

// globs is the definition of a glob.
func globs(pattern, s string) bool {
	switch {
	case pattern == "":
		return s == ""
	case pattern[0] == '*':
		return globs(pattern[1:], s) || s != "" && globs(pattern, s[1:])
	default:
		return s != "" && s[0] == pattern[0] && globs(pattern[1:], s[1:])
	}
}

func TestGlobIsItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*]{0,8}`).Draw(t, "pattern")
		s := rapid.StringMatching(`[ab*]{0,10}`).Draw(t, "text")
		if got := driver.Glob(pattern, s); got != globs(pattern, s) {
			t.Fatalf("Glob(%q, %q) = %v", pattern, s, got)
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		driver.User.String(): "user", driver.Cache.String(): "cache", driver.Lease.String(): "lease",
		driver.Run.String(): "run", driver.LLM.String(): "llm", driver.Space(9).String(): "space 9",
		driver.Eq.String(): "=", driver.Exists.String(): "exists", driver.Op(99).String(): "?",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
