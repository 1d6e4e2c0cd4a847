package postgresltm_test

import (
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// faulty opens a store behind a network of its own, with all that may happen.
func faulty(t *testing.T) (driver.Store, []drivertest.Fault) {
	t.Helper()
	server := pgserver.Start(t)
	n := badnet.New(t, server.Addr())
	killed := drivertest.Fault{Name: "killed", Begin: func(t *testing.T) func() {
		t.Helper()
		server.Kill(t)
		return func() { server.Restart(t) }
	}, Patience: 5 * time.Second}
	return openURL(t, server.URL(n.Addr(), "max_conns=4")), append(ltmtest.Faults(n), killed)
}
