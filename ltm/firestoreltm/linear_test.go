package firestoreltm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// clients opens a store as eight processes.
func clients(t *testing.T, addr string) []driver.Store {
	t.Helper()
	var all []driver.Store
	u := fresh(addr)
	for range 8 {
		all = append(all, patient{open(t, u)})
	}
	return all
}

// patient waits a little after a call that failed, or a client would be through
// with all its calls before the network is whole again.
type patient struct{ driver.Store }

func (p patient) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	r, err := p.Store.Get(ctx, key)
	return r, p.wait(err)
}

func (p patient) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	created, err := p.Store.Put(ctx, r, c)
	return created, p.wait(err)
}

func (p patient) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	deleted, err := p.Store.Delete(ctx, key, revision)
	return deleted, p.wait(err)
}

func (patient) wait(err error) error {
	if errors.Is(err, driver.ErrUnavailable) {
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// What eight clients see at once fits one order of what they did.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	drivertest.Linearizable(t, clients(t, firestoreserver.Start(t)), drivertest.History{})
}

// So it does where the network breaks meanwhile and answers are lost.
func TestLinearizableInFaults(t *testing.T) {
	t.Parallel()
	n := badnet.New(t, firestoreserver.Start(t))
	h := drivertest.History{Keys: 16, Patience: 2 * time.Second}
	if drivertest.Soaking() {
		h.Keys = 100
	}
	const pause = 500 * time.Millisecond // they connect again within that
	h.Meanwhile = func(ctx context.Context) {
		ltmtest.Shake(ctx, t, n, pause, badnet.Reset, badnet.Refusal, badnet.Cut)
	}
	drivertest.Linearizable(t, clients(t, n.Addr()), h)
}
