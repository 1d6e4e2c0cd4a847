package firestoreltm

import (
	"cmp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Places sort as namespaces and keys do, however texts are compared, and those
// that begin with a text are a span.
func TestPositionsSortAsKeysDo(t *testing.T) {
	t.Parallel()
	some := rapid.OneOf(rapid.StringOf(rapid.RuneFrom([]rune("\x00\x01\x02a~\x7f\u0080é\uffff\U0001f600\U0010ffff"))), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		a, b := [2]string{some.Draw(t, "a"), some.Draw(t, "a's key")}, [2]string{some.Draw(t, "b"), some.Draw(t, "b's key")}
		p, q := position(a[0], a[1]), position(b[0], b[1])
		want := cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1]))
		if got := strings.Compare(p, q); got != want && len(p) < maxPosition && len(q) < maxPosition {
			t.Fatalf("%q and %q: %d, want %d", a, b, got, want)
		}
		if !utf8.ValidString(p) || strings.Contains(p, "\x00") || len(utf16.Encode([]rune(p))) != len(p) {
			t.Fatalf("%q is not plain", p)
		}
		sp := under(ordered(b[0]))
		if inside := sp.from <= p && p < sp.to; inside != strings.HasPrefix(a[0], b[0]) {
			t.Fatalf("%q under %q: %v", a[0], b[0], inside)
		}
	})
}

func TestTimesSort(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		if got := strings.Compare(timed(a), timed(b)); got != cmp.Compare(a, b) {
			t.Fatalf("%d and %d: %d", a, b, got)
		}
		if back, err := timeOf(timed(a) + "rest"); err != nil || back != a {
			t.Fatalf("%d comes back as %d, %v", a, back, err)
		}
	})
}
