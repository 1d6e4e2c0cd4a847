package blobsqliteltm

import (
	"context"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// clients returns 8 stores in one object.
func clients(t *testing.T, raw string) []driver.Store {
	t.Helper()
	all := make([]driver.Store, 8)
	for i := range all {
		all[i] = openURL(t, with(raw, "max_staleness=0"))
	}
	return all
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		raw := Engine().Prefix + blobtest.S3(t).URI("k.db")
		drivertest.Linearizable(t, clients(t, raw), drivertest.History{Operations: soak(1000)})
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		raw := "blob-sqlite+file://" + t.TempDir() + "/k.db"
		drivertest.Linearizable(t, clients(t, raw), drivertest.History{Operations: soak(1000)})
	})
	t.Run("s3 with faults", func(t *testing.T) {
		t.Parallel()
		n, raw := newNetwork(t)
		drivertest.Linearizable(t, clients(t, raw), drivertest.History{
			Operations: soak(1000), Patience: time.Second,
			Meanwhile: func(ctx context.Context) {
				ltmtest.Shake(ctx, t, n, 100*time.Millisecond, badnet.Faults()...)
			},
		})
	})
}
