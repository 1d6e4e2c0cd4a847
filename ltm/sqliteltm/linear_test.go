package sqliteltm_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// handles returns 8 clients, two on each of four handles on a file.
func handles(t *testing.T, path, params string) []driver.Store {
	t.Helper()
	var clients []driver.Store
	for range 4 {
		s := openURL(t, "sqlite://"+path+params)
		clients = append(clients, s, s)
	}
	return clients
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	drivertest.Linearizable(t, handles(t, filepath.Join(t.TempDir(), "a.db"), "?synchronous=off"), drivertest.History{})
}

func TestLinearizableWhileOthersLockTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	clients := handles(t, path, "?synchronous=off&busy_timeout=5ms")
	conn, err := raw(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	drivertest.Linearizable(t, clients, drivertest.History{
		Patience: 100 * time.Millisecond,
		Meanwhile: func(ctx context.Context) {
			for ctx.Err() == nil {
				if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err == nil {
					time.Sleep(8 * time.Millisecond)
					conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
				}
				time.Sleep(15 * time.Millisecond)
			}
		},
	})
}
