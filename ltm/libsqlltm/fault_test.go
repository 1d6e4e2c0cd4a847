package libsqlltm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

const deadline = 200 * time.Millisecond

// network is a way to a server that can be broken.
type network struct{ *badnet.Network }

// behind returns a network before the server of a URL, and the URL through it.
func behind(tb testing.TB, raw string) (*network, string) {
	tb.Helper()
	n := badnet.New(tb, strings.TrimPrefix(raw, "http+libsql://"))
	return &network{n}, "http+libsql://" + n.Addr()
}

// faults are how a network breaks.
var faults = map[string][]string{
	"latency":    {`"type":"latency","stream":"downstream","attributes":{"latency":3000}`},
	"reset":      {`"type":"reset_peer","stream":"downstream","attributes":{"timeout":0}`},
	"refusal":    {`"type":"limit_data","stream":"upstream","attributes":{"bytes":0}`},
	"blackhole":  {`"type":"timeout","stream":"upstream","attributes":{"timeout":0}`},
	"half-open":  {`"type":"timeout","stream":"downstream","attributes":{"timeout":0}`},
	"slow reads": {`"type":"slicer","stream":"downstream","attributes":{"average_size":16,"size_variation":8,"delay":50000}`},
	"cut":        {`"type":"limit_data","stream":"downstream","attributes":{"bytes":100}`},
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
	all := []drivertest.Fault{{Name: "the server is killed", Begin: func(t *testing.T) func() {
		t.Helper()
		v.kill()
		return func() { v.start(t) }
	}}}
	for name, toxics := range faults {
		all = append(all, drivertest.Fault{Name: name, Begin: func(t *testing.T) func() {
			t.Helper()
			return n.Break(t, toxics...)
		}})
	}
	return open(t, raw), all
}

// What takes several requests keeps its deadline, too, whatever the network
// does, and so does opening; when the network is whole again they succeed.
func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	server := one(t)
	if err := put(t.Context(), open(t, server), "large", strings.Repeat("v", 2<<20)); err != nil {
		t.Fatal(err)
	}
	for name, toxics := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, raw := behind(t, server)
			s := open(t, raw)
			for what, call := range map[string]func(context.Context) error{
				"get": func(ctx context.Context) error {
					_, err := s.Get(ctx, key("large"))
					return err
				},
				"list": func(ctx context.Context) error {
					_, err := s.List(ctx, driver.Query{Limit: 10})
					return err
				},
				"open": func(ctx context.Context) error {
					s, err := tryOpen(ctx, raw)
					if err == nil {
						return s.Close()
					}
					return err
				},
			} {
				mend := n.Break(t, toxics...)
				checkDeadline(t, what, call)
				mend()
				recovers(t, what, call)
			}
		})
	}
}

func checkDeadline(t *testing.T, what string, call func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	late, err := drivertest.Late(ctx, call)
	if late > drivertest.Grace {
		t.Errorf("%s returns %v after its deadline", what, late)
	}
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("%s returns %v", what, err)
	}
}

// recovers makes a call until it is well, for some seconds.
func recovers(t *testing.T, what string, call func(context.Context) error) {
	t.Helper()
	began := time.Now()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := call(ctx)
		cancel()
		if err == nil {
			return
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s is still broken after %v: %v", what, took, err)
			return
		}
	}
}

// Close ends calls under way, and all later ones fail.
func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	n, raw := behind(t, one(t))
	s := open(t, raw)
	defer n.Break(t, faults["blackhole"]...)()
	done := make(chan error)
	go func() {
		_, err := s.Get(context.WithoutCancel(t.Context()), key("k"))
		done <- err
	}()
	time.Sleep(20 * time.Millisecond) // the call is under way, or not yet: both must end
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, driver.ErrClosed) {
		t.Errorf("the call returns %v", err)
	}
}
