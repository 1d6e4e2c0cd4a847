package firestoreltm_test

import (
	"sync"
	"testing"

	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	server := firestoreserver.Start(t)
	var urls sync.Map // of each store
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		u := fresh(server)
		s := open(t, u)
		urls.Store(s, u)
		return s
	}, drivertest.Options{
		Faulty: inFaults(server),
		Again: func(t *testing.T, s driver.Store) driver.Store {
			t.Helper()
			u, _ := urls.Load(s)
			return open(t, u.(string))
		},
	})
}
