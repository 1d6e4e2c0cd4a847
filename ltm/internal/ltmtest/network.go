package ltmtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

const (
	deadline = 100 * time.Millisecond // of each call in a fault
	patience = 10 * time.Second       // for a store to be well after a fault
)

// Faults returns the faults of a network before a store, for the suite.
func Faults(n *badnet.Network) []drivertest.Fault {
	var all []drivertest.Fault
	for _, f := range badnet.Faults() {
		all = append(all, drivertest.Fault{Name: string(f), Patience: patience, Begin: func(t *testing.T) func() {
			t.Helper()
			return n.Break(t, f)
		}})
	}
	return all
}

// Shake makes a network bad for a moment after each pause, in turn by each of
// some faults, until ctx is over.
func Shake(ctx context.Context, tb testing.TB, n *badnet.Network, pause time.Duration, faults ...badnet.Fault) {
	tb.Helper()
	for i := 0; ctx.Err() == nil; i++ {
		time.Sleep(pause)
		mend := n.Break(tb, faults[i%len(faults)])
		time.Sleep(5 * time.Millisecond)
		mend()
	}
}

// A Call is one that a bad network may hold up.
type Call = func(ctx context.Context) error

// KeepDeadlines checks under each fault that each call ends by its deadline or
// soon after its cancellation, and that it is well when the network is. The calls
// are those of a store behind the network, which begin makes. Its test runs alone in its
// program, and the faults one after another: the program is not to be what is slow.
func KeepDeadlines(t *testing.T, begin func(t *testing.T) (*badnet.Network, map[string]Call)) {
	t.Helper()
	for _, f := range badnet.Faults() {
		t.Run(string(f), func(t *testing.T) {
			n, calls := begin(t)
			for name, call := range calls {
				mend := n.Break(t, f)
				keepsDeadline(t, name, call)
				mend()
				Recovers(t, name, call)
			}
		})
	}
}

func keepsDeadline(t *testing.T, name string, call Call) {
	t.Helper()
	for _, end := range []error{context.DeadlineExceeded, context.Canceled} {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		if errors.Is(end, context.Canceled) {
			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(deadline, cancel)
		}
		late, err := drivertest.Late(ctx, call)
		if late > drivertest.Grace {
			t.Errorf("%s: %v: it returns %v after that", name, end, late)
		}
		if err != nil && !errors.Is(err, end) && !errors.Is(err, driver.ErrUnavailable) {
			t.Errorf("%s: %v: it returns %v", name, end, err)
		}
		cancel()
	}
}

// Recovers makes a call until it is well, for some seconds.
func Recovers(t *testing.T, name string, call Call) {
	t.Helper()
	began := time.Now()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), patience/4)
		err := call(ctx)
		cancel()
		if err == nil {
			return
		}
		if took := time.Since(began); took > 2*patience {
			t.Errorf("%s is still broken after %v: %v", name, took, err)
			return
		}
	}
}

// CloseEndsCalls closes a store in whose network nothing comes through: a call
// that has no deadline ends.
func CloseEndsCalls(t *testing.T, n *badnet.Network, s driver.Store) {
	t.Helper()
	defer n.Break(t, badnet.Blackhole)()
	done := make(chan error)
	go func() {
		_, err := s.Get(context.WithoutCancel(t.Context()), driver.Key{Key: "k"})
		done <- err
	}()
	time.Sleep(20 * time.Millisecond) // the call is under way, or not yet: both must end
	began := time.Now()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, driver.ErrClosed) {
		t.Errorf("the call returns %v", err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
}
