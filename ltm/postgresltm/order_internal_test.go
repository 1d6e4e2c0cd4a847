package postgresltm

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/driver"
)

// near makes texts that differ little.
func near() *rapid.Generator[string] { return rapid.StringMatching("[\x00\x01\x02a]{0,5}") }

func TestIdentitiesOrderAsKeysDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var k, l driver.Key
		for _, key := range []*driver.Key{&k, &l} {
			key.Namespace, key.Key = near().Draw(t, "namespace"), near().Draw(t, "key")
			if rapid.IntRange(0, 4).Draw(t, "long") == 0 {
				key.Key = strings.Repeat("a", maxPlace) + key.Key
			}
		}
		id := func(k driver.Key) []byte { return identity(k.Namespace, k.Key) }
		if got, want := bytes.Compare(id(k), id(l)), k.Compare(l); got != want {
			t.Fatalf("%q and %q compare %d", k, l, got)
		}
		kPlace, kRest := place(&k)
		lPlace, lRest := place(&l)
		if bytes.Equal(kPlace, lPlace) && bytes.Equal(kRest, lRest) != (k == l) {
			t.Fatalf("%q and %q are taken for one another", k, l)
		}
	})
}

func TestEscapedTextsOrderAsTheyDid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := near().Draw(t, "a"), near().Draw(t, "b")
		if cmp.Compare(escape(a), escape(b)) != cmp.Compare(a, b) || strings.Contains(escape(a), "\x00") {
			t.Fatalf("%q and %q become %q and %q", a, b, escape(a), escape(b))
		}
	})
}

func TestNextEndsWhatBeginsAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		bytesOf := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0xfe, 0xff}), 0, 4)
		p, s := bytesOf.Draw(t, "p"), bytesOf.Draw(t, "s")
		end := next(p)
		within := bytes.Compare(s, p) >= 0 && (end == nil || bytes.Compare(s, end) < 0)
		if within != bytes.HasPrefix(s, p) {
			t.Fatalf("%x is within %x to %x: %v", s, p, end, within)
		}
	})
}

func TestDecimals(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{
		1: "1.0", -2: "-2.0", 0.5: "0.5", 1e23: "99999999999999991611392.0",
		0.1: "0.1000000000000000055511151231257827021181583404541015625",
	} {
		if got := decimal(f); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
	if got := decimal(5e-324); len(got) != 1076 || !strings.HasSuffix(got, "5") {
		t.Errorf("the smallest float has %d characters", len(got))
	}
}
