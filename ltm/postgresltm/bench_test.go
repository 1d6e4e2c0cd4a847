package postgresltm_test

import (
	"testing"

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// BenchmarkStore measures a server as it comes, which waits for the disk.
func BenchmarkStore(b *testing.B) {
	server := pgserver.Start(b, "fsync=on")
	drivertest.Bench(b, func(b *testing.B) driver.Store {
		b.Helper()
		return openURL(b, fresh(server))
	})
}
