package sqliteltm_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

func openURL(tb testing.TB, raw string) driver.Store {
	tb.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := sqliteltm.Open(tb.Context(), u)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var n atomic.Int64
	var urls sync.Map // driver.Store → its URL
	open := func(t *testing.T) driver.Store {
		t.Helper()
		where := "sqlite://" + filepath.Join(dir, fmt.Sprint(n.Add(1))) + "?synchronous=off"
		s := openURL(t, where)
		urls.Store(s, where)
		return s
	}
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, open, drivertest.Options{
			Again: func(t *testing.T, s driver.Store) driver.Store {
				t.Helper()
				where, _ := urls.Load(s)
				return openURL(t, where.(string))
			},
			Faulty: func(t *testing.T) (driver.Store, []drivertest.Fault) {
				t.Helper()
				path := filepath.Join(dir, fmt.Sprint(n.Add(1)))
				return openURL(t, "sqlite://"+path), []drivertest.Fault{
					{Name: "another program writes", Begin: locked(path, "BEGIN IMMEDIATE")},
					{Name: "another program holds the file", Begin: locked(path, "BEGIN EXCLUSIVE")},
				}
			},
		})
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, func(t *testing.T) driver.Store {
			t.Helper()
			return openURL(t, "sqlite::memory:")
		}, drivertest.Options{})
	})
}

// locked returns a fault: a connection of another program keeps a transaction
// open.
func locked(path, begin string) func(t *testing.T) func() {
	return func(t *testing.T) func() {
		t.Helper()
		conn, err := raw(t, path).Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.ExecContext(t.Context(), begin); err != nil {
			t.Fatal(err)
		}
		return func() {
			if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
				t.Error(err)
			}
			conn.Close()
		}
	}
}
