package schema_test

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/internal/schema"
)

func TestParseDurationAgreesWithGo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64().Draw(t, "d"))
		if got, err := schema.ParseDuration(d.String()); err != nil || got != d {
			t.Errorf("%s: got %s, %v", d, got, err)
		}
	})
}

func TestDaysAreTwentyFourHours(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.IntRange(0, 100_000).Draw(t, "days")
		rest := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "rest"))
		text := strconv.Itoa(days)
		got, err := schema.ParseDuration(text + "d" + rest.String())
		if want := time.Duration(days)*24*time.Hour + rest; err != nil || got != want {
			t.Errorf("%sd%s: got %s, %v, want %s", text, rest, got, err, want)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"", "1", "1d", "1d2h", "-.5d", "+1d", "1e400", "9223372036", "106751d23h47m16.9s", "1d1d", "--1d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := schema.ParseDuration(s)
		if err != nil {
			return
		}
		if again, err := schema.ParseDuration(d.String()); err != nil || again != d {
			t.Errorf("%q: %s reads back as %s, %v", s, d, again, err)
		}
	})
}
