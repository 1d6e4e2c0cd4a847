package cache

import "strings"

// matches tells whether a pattern selects a key. In a pattern "*" stands for
// any characters, every other character for itself. A pattern is held against
// the user's own words, {action}:{rest} and the full key, all without escapes;
// like a key it may carry a leading "cache:".
func matches(pattern string, k Key) bool {
	if glob(pattern, k.plain()) {
		return true
	}
	bare := strings.TrimPrefix(pattern, keyPrefix)
	if k.Action == Custom && glob(bare, k.Rest) {
		return true
	}
	return glob(bare, k.Action+":"+k.Rest)
}

// glob tells whether all of s matches pattern.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}
