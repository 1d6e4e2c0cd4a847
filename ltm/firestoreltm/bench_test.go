package firestoreltm_test

import (
	"testing"

	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// BenchmarkStore measures the emulator, which keeps everything in memory and
// looks at all of it for each query. It says what this package costs at most, and
// nothing of Firestore.
func BenchmarkStore(b *testing.B) {
	drivertest.Bench(b, func(b *testing.B) driver.Store {
		b.Helper()
		return open(b, fresh(firestoreserver.Start(b)))
	})
}
