package sqliteltm_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

func openURL(tb testing.TB, raw string) driver.Store {
	tb.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := sqliteltm.Open(tb.Context(), u)
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
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			return openURL(t, "sqlite://"+filepath.Join(dir, fmt.Sprint(n.Add(1)))+"?synchronous=off")
		}, drivertest.Options{})
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			return openURL(t, "sqlite::memory:")
		}, drivertest.Options{})
	})
}
