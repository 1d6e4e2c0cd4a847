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
)

const deadline = 200 * time.Millisecond

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

// inFaults returns a store behind a network that breaks.
func inFaults(addr string) func(t *testing.T) (driver.Store, []drivertest.Fault) {
	return func(t *testing.T) (driver.Store, []drivertest.Fault) {
		t.Helper()
		n := badnet.New(t, addr)
		all := []drivertest.Fault{{Name: "the server is gone", Patience: 5 * time.Second, Begin: func(t *testing.T) func() {
			t.Helper()
			return n.Down(t)
		}}}
		for name, toxics := range faults {
			all = append(all, drivertest.Fault{Name: name, Patience: 5 * time.Second, Begin: func(t *testing.T) func() {
				t.Helper()
				return n.Break(t, toxics...)
			}})
		}
		return open(t, fresh(n.Addr())), all
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
func TestNetworkFaults(t *testing.T) {
	t.Parallel()
	server := firestoreserver.Start(t)
	for name, toxics := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := badnet.New(t, server)
			raw := fresh(n.Addr())
			s := open(t, raw)
			if err := put(t.Context(), s, "large", strings.Repeat("v", 2<<20)); err != nil {
				t.Fatal(err)
			}
			for what, call := range map[string]func(context.Context) error{
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
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		err := call(ctx)
		cancel()
		if err == nil {
			return
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s is still broken after %v: %v", what, took, err)
			return
		}
	}
}

// A request that has no deadline of its caller has one of its own.
func TestTimeout(t *testing.T) {
	t.Parallel()
	n := badnet.New(t, firestoreserver.Start(t))
	s := open(t, fresh(n.Addr())+"&timeout=1s")
	defer n.Break(t, faults["blackhole"]...)()
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
	s := open(t, fresh(n.Addr()))
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
