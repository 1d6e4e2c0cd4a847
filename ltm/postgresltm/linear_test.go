package postgresltm_test

import (
	"context"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// clients opens a store as eight processes would.
func clients(t *testing.T, raw string) []driver.Store {
	t.Helper()
	all := make([]driver.Store, 8)
	for i := range all {
		all[i] = openURL(t, raw)
	}
	return all
}

func TestHistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	patience := 10 * time.Second
	t.Run("without faults", func(t *testing.T) {
		t.Parallel()
		drivertest.Linearizable(t, clients(t, fresh(server)), drivertest.History{Patience: patience})
	})
	t.Run("with faults", func(t *testing.T) {
		t.Parallel()
		n := badnet.New(t, server.Addr())
		drivertest.Linearizable(t, clients(t, server.URL(n.Addr(), "schema=linear&max_conns=2")), drivertest.History{
			Patience: patience,
			Meanwhile: func(ctx context.Context) {
				ltmtest.Shake(ctx, t, n, 60*time.Millisecond, badnet.Reset)
			},
		})
	})
	t.Run("serializable", func(t *testing.T) {
		t.Parallel()
		server := pgserver.Start(t)
		server.Exec(t, `ALTER ROLE tea SET default_transaction_isolation = 'serializable'`)
		drivertest.Linearizable(t, clients(t, fresh(server)), drivertest.History{Patience: patience, Operations: 20})
	})
}
