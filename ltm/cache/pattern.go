package cache

import (
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// matches tells whether a pattern selects a key. In a pattern "*" stands for
// any characters, every other character for itself. A pattern is held against
// the user's own words, {action}:{rest} and the full key, all without escapes;
// like a key it may carry a leading "cache:".
func matches(pattern string, k Key) bool {
	if driver.Glob(pattern, k.plain()) {
		return true
	}
	bare := strings.TrimPrefix(pattern, keyPrefix)
	if k.Action == Custom && driver.Glob(bare, k.Rest) {
		return true
	}
	return driver.Glob(bare, k.Action+":"+k.Rest)
}
