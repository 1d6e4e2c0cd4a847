package bucketltm

import (
	"sync"
	"testing"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// The random queries of the suite ask the engine: few are enough.
const fewQueries = 2000

func TestConformance(t *testing.T) {
	t.Parallel()
	var objects sync.Map // driver.Store → its object
	open := func(t *testing.T, o object.Object) driver.Store {
		t.Helper()
		s := openOn(t, o, "max_staleness=0")
		objects.Store(driver.Store(s), o)
		return s
	}
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		return open(t, newMemory(t))
	}, drivertest.Options{Checks: fewQueries, Again: func(t *testing.T, s driver.Store) driver.Store {
		t.Helper()
		o, _ := objects.Load(s)
		return open(t, o.(object.Object))
	}})
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	o := newMemory(t)
	var clients []driver.Store
	for range 8 {
		clients = append(clients, openOn(t, o, "max_staleness=0"))
	}
	drivertest.Linearizable(t, clients, drivertest.History{})
}
