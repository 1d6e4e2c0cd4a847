package diag

import (
	"fmt"
	"slices"
	"strings"
)

// Suggest returns the member of known that name is most likely a slip for, or
// "" when none is close: letters swapped, missing, added or wrong, or another
// case, at most one for every three letters.
func Suggest(name string, known []string) string {
	best, least := "", max(1, len([]rune(name))/3)+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// DidYouMean returns a hint for an unknown name: the closest known one, or
// all of them when there are few, or "".
func DidYouMean(name string, known []string) string {
	const few = 12
	if s := Suggest(name, known); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}
	if len(known) == 0 || len(known) > few {
		return ""
	}
	return "known: " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
}

// distance is the optimal string alignment distance: insertions, deletions,
// replacements and swaps of neighbours that turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last := make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}
