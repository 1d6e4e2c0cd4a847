package libsqlltm_test

import (
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func BenchmarkStore(b *testing.B) {
	drivertest.Bench(b, func(b *testing.B) driver.Store {
		b.Helper()
		return open(b, one(b))
	})
}
