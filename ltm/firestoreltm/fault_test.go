package firestoreltm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// inFaults returns a store behind a network that breaks.
func inFaults(addr string) func(t *testing.T) (driver.Store, []drivertest.Fault) {
	return func(t *testing.T) (driver.Store, []drivertest.Fault) {
		t.Helper()
		n := badnet.New(t, addr)
		return open(t, fresh(n.Addr())), ltmtest.Faults(n)
	}
}

func key(name string) driver.Key { return driver.Key{Key: name} }

func put(ctx context.Context, s driver.Store, name, v string) error {
	_, err := s.Put(ctx, driver.Record{Key: key(name), Value: []byte(v), Metadata: []byte("{}"), Terms: "word", UpdatedAt: 1},
		driver.Condition{})
	return err
}

// What takes several requests keeps its deadline, too, whatever the network
// does, and so does opening; when the network is whole again they succeed.
func TestNetworkFaults(t *testing.T) { //nolint:paralleltest // see KeepDeadlines
	server := firestoreserver.Start(t)
	ltmtest.KeepDeadlines(t, func(t *testing.T) (*badnet.Network, map[string]ltmtest.Call) {
		t.Helper()
		n := badnet.New(t, server)
		raw := fresh(n.Addr())
		s := open(t, raw)
		if err := put(t.Context(), s, "large", strings.Repeat("v", 2<<20)); err != nil {
			t.Fatal(err)
		}
		return n, map[string]ltmtest.Call{
			"get":    func(ctx context.Context) error { _, err := s.Get(ctx, key("large")); return err },
			"put":    func(ctx context.Context) error { return put(ctx, s, "small", "v") },
			"delete": func(ctx context.Context) error { _, err := s.Delete(ctx, key("none"), 0); return err },
			"list":   func(ctx context.Context) error { _, err := s.List(ctx, driver.Query{Limit: 10}); return err },
			"search": func(ctx context.Context) error {
				_, err := driver.Search(ctx, s, driver.Query{Limit: 10}, []string{"word"})
				return err
			},
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

// A request that has no deadline of its caller has one of its own.
func TestTimeout(t *testing.T) {
	t.Parallel()
	n := badnet.New(t, firestoreserver.Start(t))
	s := open(t, fresh(n.Addr())+"&timeout=1s")
	defer n.Break(t, badnet.Blackhole)()
	began := time.Now()
	_, err := s.Get(context.WithoutCancel(t.Context()), key("k"))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if !errors.Is(err, driver.ErrUnavailable) || !strings.Contains(err.Error(), "no answer within 1s") {
		t.Errorf("%v", err)
	}
}

// Close ends calls under way, and all later ones fail.
func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	n := badnet.New(t, firestoreserver.Start(t))
	ltmtest.CloseEndsCalls(t, n, open(t, fresh(n.Addr())))
}
