package cassette

import (
	"strings"

	"github.com/tea-agents/tea/engine/cassette/internal/textdiff"
	"github.com/tea-agents/tea/engine/cassette/internal/tree"
)

// Change is a difference between two cassettes.
type Change struct {
	// Old and New are the call before and after; nil where it was added or
	// removed.
	Old, New *Call
	// Diff leads from Old to New, line by line.
	Diff string
}

// Compare returns what differs between two cassettes, in the order of the old
// one, then of the new one. Calls belong together that ask the same; of the
// others, those whose requests have most lines in common, if that is half of
// them at least. When calls were made and how long they took does not count.
func Compare(before, after *Cassette) ([]Change, error) {
	old, err := calls(before.entries)
	if err != nil {
		return nil, err
	}
	added, err := calls(after.entries)
	if err != nil {
		return nil, err
	}
	partner := map[*Call]*Call{} // of an old call
	added = pairEqual(old, added, partner)
	added = pairClose(old, added, partner)
	var changes []Change
	for _, c := range old {
		switch p := partner[c]; {
		case p == nil:
			changes = append(changes, Change{Old: c})
		case timeless(c) != timeless(p):
			changes = append(changes, Change{Old: c, New: p, Diff: unified(lines(timeless(c)), lines(timeless(p)))})
		}
	}
	for _, c := range added {
		changes = append(changes, Change{New: c})
	}
	return changes, nil
}

// pairEqual pairs calls with equal hashes in their order, and returns the new
// ones that are left.
func pairEqual(old, added []*Call, partner map[*Call]*Call) (left []*Call) {
	byHash := map[string][]*Call{}
	for _, c := range old {
		byHash[c.Hash] = append(byHash[c.Hash], c)
	}
	for _, c := range added {
		if same := byHash[c.Hash]; len(same) > 0 {
			partner[same[0]], byHash[c.Hash] = c, same[1:]
			continue
		}
		left = append(left, c)
	}
	return left
}

// pairClose pairs calls that are alike, and returns the new ones that are left.
func pairClose(old, added []*Call, partner map[*Call]*Call) (left []*Call) {
	for _, c := range added {
		text := lines(c.Key.Indent())
		var best *Call
		most := 0
		for _, o := range old {
			if partner[o] != nil || o.Endpoint != c.Endpoint {
				continue
			}
			was := lines(o.Key.Indent())
			if shared(was, text) <= most {
				continue
			}
			if n := textdiff.Common(was, text); n > most && 2*n >= max(len(was), len(text)) {
				best, most = o, n
			}
		}
		if best == nil {
			left = append(left, c)
			continue
		}
		partner[best] = c
	}
	return left
}

// timeless is the text of a call without when and how long.
func timeless(c *Call) string {
	same := *c
	same.Duration = 0
	same.Chunks = append([]Chunk(nil), c.Chunks...)
	for i := range same.Chunks {
		same.Chunks[i].After = 0
	}
	return same.YAML()
}

func lines(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }

// YAML returns the call as it stands in a cassette.
func (c *Call) YAML() string {
	return string(tree.AppendYAML(nil, tree.Object(encodeCall(c, false)...)))
}
