package blobsqliteltm

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// What is random in the suite asks the local file, as that of sqliteltm does:
// all of it is for soaking, in memory.
const (
	someQueries = 20_000
	someScripts = 40
	fewQueries  = 2000
	fewScripts  = 10
)

func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		o := drivertest.Options{Faulty: faulty}
		if !drivertest.Soaking() {
			o.Checks, o.Scripts = someQueries, someScripts
		}
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			return openURL(t, "blob-sqlite+mem://b/k?max_staleness=0")
		}, o)
	})
	for name, start := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := start(t)
			var urls sync.Map // driver.Store → its URL
			drivertest.Run(t, func(t *testing.T) driver.Store {
				t.Helper()
				raw := with(at(fmt.Sprint(number.Add(1), ".db")), "max_staleness=0")
				s := openURL(t, raw)
				urls.Store(s, raw)
				return s
			}, drivertest.Options{
				Checks: fewQueries, Scripts: fewScripts,
				Again: func(t *testing.T, s driver.Store) driver.Store {
					t.Helper()
					raw, _ := urls.Load(s)
					return openURL(t, raw.(string))
				},
			})
		})
	}
}
