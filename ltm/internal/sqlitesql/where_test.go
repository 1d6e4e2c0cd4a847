package sqlitesql

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFollowing(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{
		"a": "b", "ab": "ac", "a\U0010ffff": "b", "\U0010ffff": "", "\ud7ff": "\ue000", "\x7f": "\u0080", "\xff": "",
	} {
		if got, ok := following(p); ok != (want != "") || ok && got != want {
			t.Errorf("%q is followed by %q, want %q", p, got, want)
		}
	}
}

// A text lies between a prefix and what follows it iff it begins with it.
func TestFollowingIsTheEnd(t *testing.T) {
	t.Parallel()
	texts := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune{0, 0x7f, 0x80, 0x7ff, 0xd7ff, 0xe000, 0xffff, utf8.MaxRune}), rapid.Rune()))
	rapid.Check(t, func(t *rapid.T) {
		p, rest := texts.Draw(t, "prefix"), texts.Draw(t, "rest")
		if p == "" {
			return
		}
		end, bounded := following(p)
		if bounded && !utf8.ValidString(end) {
			t.Fatalf("%q is followed by %q, which is no UTF-8", p, end)
		}
		for _, s := range []string{p + rest, rest} {
			if within := s >= p && (!bounded || s < end); within != strings.HasPrefix(s, p) {
				t.Fatalf("%q with the prefix %q and the end %q", s, p, end)
			}
		}
	})
}
