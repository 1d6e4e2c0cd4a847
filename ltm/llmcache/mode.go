package llmcache

import (
	"fmt"
	"slices"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/cache"
)

// Mode says what the cache may do for a call.
type Mode = cache.Mode

// The modes. The zero Mode is Off.
const (
	Off   = cache.Off   // nothing at all, not even a key is built
	Read  = cache.Read  // look up, never store
	Write = cache.Write // store, never look up: a fresh answer
	Both  = cache.Both  // look up and store
)

// ParseMode reads off, read, write or both. The error of another word suggests
// the one meant.
func ParseMode(text string) (Mode, error) {
	modes := []Mode{Off, Read, Write, Both}
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = m.String()
	}
	if i := slices.Index(names, text); i >= 0 {
		return modes[i], nil
	}
	return Off, fmt.Errorf("unknown LLM cache mode %q; %s", text, diag.DidYouMean(text, names))
}
