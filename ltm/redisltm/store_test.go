package redisltm_test

import (
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	fresh := prefixes(start(t))
	var urls sync.Map // driver.Store → its URL
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		where := fresh(t)
		s := open(t, where)
		urls.Store(s, where)
		return s
	}, drivertest.Options{
		Again: func(t *testing.T, s driver.Store) driver.Store {
			t.Helper()
			where, _ := urls.Load(s)
			return open(t, where.(string))
		},
		Faulty: func(t *testing.T) (driver.Store, []drivertest.Fault) {
			t.Helper()
			server := startKillable(t)
			n := badnet.New(t, server.addr)
			return open(t, "redis://"+n.Addr()), append(ltmtest.Faults(n), drivertest.Fault{
				Name: "killed", Patience: 10 * time.Second,
				Begin: func(t *testing.T) func() {
					t.Helper()
					server.kill(t)
					return func() { server.start(t) }
				},
			}, drivertest.Fault{
				Name: "stopped", Patience: 5 * time.Second,
				Begin: func(t *testing.T) func() {
					t.Helper()
					server.pause(t)
					return func() { server.resume(t) }
				},
			})
		},
	})
}
