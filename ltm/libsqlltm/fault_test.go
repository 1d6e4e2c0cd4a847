package libsqlltm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// behind returns a network before the server of a URL, and the URL through it.
func behind(tb testing.TB, raw string) (*badnet.Network, string) {
	tb.Helper()
	n := badnet.New(tb, strings.TrimPrefix(raw, "http+libsql://"))
	return n, "http+libsql://" + n.Addr()
}

func key(name string) driver.Key { return driver.Key{Key: name} }

func put(ctx context.Context, s driver.Store, name, v string) error {
	_, err := s.Put(ctx, driver.Record{Key: key(name), Value: []byte(v), Metadata: []byte("{}"), Terms: "word", UpdatedAt: 1},
		driver.Condition{})
	return err
}

// inFaults returns a store behind a network that breaks, before a server that
// can be killed.
func inFaults(t *testing.T) (driver.Store, []drivertest.Fault) {
	t.Helper()
	v := newVictim(t)
	n, raw := behind(t, "http+libsql://"+v.addr)
	killed := drivertest.Fault{Name: "the server is killed", Begin: func(t *testing.T) func() {
		t.Helper()
		v.kill()
		return func() { v.start(t) }
	}}
	return open(t, raw), append(ltmtest.Faults(n), killed)
}

// What takes several requests keeps its deadline, too, whatever the network
// does, and so does opening; when the network is whole again they succeed.
func TestNetworkFaults(t *testing.T) { //nolint:paralleltest // see KeepDeadlines
	server := one(t)
	if err := put(t.Context(), open(t, server), "large", strings.Repeat("v", 2<<20)); err != nil {
		t.Fatal(err)
	}
	ltmtest.KeepDeadlines(t, func(t *testing.T) (*badnet.Network, map[string]ltmtest.Call) {
		t.Helper()
		n, raw := behind(t, server)
		s := open(t, raw)
		return n, map[string]ltmtest.Call{
			"get":  func(ctx context.Context) error { _, err := s.Get(ctx, key("large")); return err },
			"list": func(ctx context.Context) error { _, err := s.List(ctx, driver.Query{Limit: 10}); return err },
			"open": func(ctx context.Context) error {
				s, err := tryOpen(ctx, raw)
				if err == nil {
					return s.Close()
				}
				return err
			},
		}
	})
}

// Close ends calls under way, and all later ones fail.
func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	n, raw := behind(t, one(t))
	ltmtest.CloseEndsCalls(t, n, open(t, raw))
}
