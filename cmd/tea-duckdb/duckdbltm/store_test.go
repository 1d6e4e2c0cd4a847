package duckdbltm_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func openURL(tb testing.TB, raw string) driver.Store {
	tb.Helper()
	s, err := openRaw(tb.Context(), raw)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var n atomic.Int64
	var urls sync.Map // driver.Store → its URL
	open := func(t *testing.T) driver.Store {
		t.Helper()
		where := "duckdb://" + filepath.Join(dir, fmt.Sprint(n.Add(1))) + "?threads=1"
		s := openURL(t, where)
		urls.Store(s, where)
		return s
	}
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, open, drivertest.Options{
			Again: func(t *testing.T, s driver.Store) driver.Store {
				t.Helper()
				where, _ := urls.Load(s)
				return openURL(t, where.(string))
			},
			Faulty: func(t *testing.T) (driver.Store, []drivertest.Fault) {
				t.Helper()
				path := filepath.Join(dir, fmt.Sprint(n.Add(1)))
				return openURL(t, "duckdb://"+path), []drivertest.Fault{
					{Name: "another program has the file", Begin: func(t *testing.T) func() {
						t.Helper()
						return held(t, path)
					}},
				}
			},
		})
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			return openURL(t, "duckdb::memory:?threads=1")
		}, drivertest.Options{})
	})
}
