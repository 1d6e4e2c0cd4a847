package duckdbltm_test

import (
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func BenchmarkFile(b *testing.B) {
	drivertest.Bench(b, func(b *testing.B) driver.Store {
		b.Helper()
		return openURL(b, "duckdb://"+filepath.Join(b.TempDir(), "a.duckdb"))
	})
}

// The cost of a turn: what the first call pays after another process had the
// file.
func BenchmarkTurn(b *testing.B) {
	where := "duckdb://" + filepath.Join(b.TempDir(), "a.duckdb")
	if err := openURL(b, where).Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := openRaw(b.Context(), where)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Put(b.Context(), record("k", "v"), driver.Condition{}); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
