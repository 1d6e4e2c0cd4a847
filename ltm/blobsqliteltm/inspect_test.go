package blobsqliteltm

import (
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// TestInspectTellsProductFormatAndTime asks every place: the clouds have a clock
// of their own, by which their answers are dated to the second.
func TestInspectTellsProductFormatAndTime(t *testing.T) {
	t.Parallel()
	for name, start := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openURL(t, start(t)("k.db"))
			for _, what := range []string{"of nothing", "of a file", "of the known file"} {
				begin := time.Now().UnixMilli()
				f, err := driver.Inspect(t.Context(), s)
				end := time.Now().UnixMilli()
				if err != nil || !strings.HasPrefix(f.Product, "SQLite 3.") || f.Format == 0 || f.Format != f.Newest {
					t.Errorf("%s: %+v, %v", what, f, err)
				}
				switch {
				case name == "file" && f.Time == 0:
				case name == "file", f.Time < begin-600, f.Time > end+600:
					t.Errorf("%s: the clock is at %d, the test ran from %d to %d", what, f.Time, begin, end)
				}
				if what == "of nothing" {
					put(t, s, "k", "v")
				}
			}
		})
	}
}
