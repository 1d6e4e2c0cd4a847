package postgresltm_test

import (
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/tea-agents/tea/internal/testserver/badnet"

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/postgresltm"
)

func TestMain(m *testing.M) {
	zerolog.SetGlobalLevel(zerolog.Disabled) // of toxiproxy
	goleak.VerifyTestMain(m, badnet.Leaks()...)
}

// soak returns a count in full or, without TEA_SOAK=1, a twentieth of it.
func soak(n int) int {
	if os.Getenv("TEA_SOAK") == "1" {
		return n
	}
	return max(n/20, 1)
}

func openURL(tb testing.TB, raw string) *postgresltm.Store {
	tb.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := postgresltm.Open(tb.Context(), u)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s.(*postgresltm.Store)
}

// fresh returns the URL of a store that is not there yet.
func fresh(s *pgserver.Server) string {
	return s.URL(s.Addr(), url.Values{"schema": {s.Schema()}, "max_conns": {"4"}}.Encode())
}

func TestConformance(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	var urls sync.Map // driver.Store → its URL
	for _, params := range []string{"prepared=true", "prepared=false"} {
		t.Run(params, func(t *testing.T) {
			t.Parallel()
			bad := faulty
			if params == "prepared=false" {
				bad = nil // once is enough
			}
			drivertest.Run(t, func(t *testing.T) driver.Store {
				t.Helper()
				raw := fresh(server) + "&" + params
				s := openURL(t, raw)
				urls.Store(driver.Store(s), raw)
				return s
			}, drivertest.Options{
				Again: func(t *testing.T, s driver.Store) driver.Store {
					t.Helper()
					raw, _ := urls.Load(s)
					return openURL(t, raw.(string))
				},
				Faulty: bad,
			})
		})
	}
}
