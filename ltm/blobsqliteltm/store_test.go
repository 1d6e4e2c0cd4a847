package blobsqliteltm

import (
	"fmt"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			return openURL(t, "blob-sqlite+mem://b/k?cache="+t.TempDir())
		}, drivertest.Options{})
	})
	for name, start := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := start(t)
			drivertest.Run(t, func(t *testing.T) driver.Store {
				t.Helper()
				return openURL(t, with(at(fmt.Sprint(number.Add(1), ".db")), "max_staleness=0"))
			}, drivertest.Options{})
		})
	}
}
