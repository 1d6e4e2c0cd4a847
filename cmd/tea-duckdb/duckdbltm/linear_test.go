package duckdbltm_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// 8 clients, two on each of four handles on a file, which share the database.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	var clients []driver.Store
	for range 4 {
		s := openURL(t, "duckdb://"+path+"?threads=1")
		clients = append(clients, s, s)
	}
	drivertest.Linearizable(t, clients, drivertest.History{})
}

// The same while another process wants the file all the time.
func TestLinearizableWhileAnotherProcessPuts(t *testing.T) {
	t.Parallel()
	where := "duckdb://" + filepath.Join(t.TempDir(), "a.duckdb") + "?threads=1&busy_timeout=1m"
	s, other := openURL(t, where), openURL(t, where)
	drivertest.Linearizable(t, []driver.Store{s, s, s, s, other, other, other, other}, drivertest.History{
		Meanwhile: func(ctx context.Context) {
			cmd := child(t, "put until killed", where)
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			<-ctx.Done()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		},
	})
	if len(keys(t, s)) < 10 {
		t.Error("the other process had no turn")
	}
}
