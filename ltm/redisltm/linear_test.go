package redisltm_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// manyKeys keeps the histories with faults checkable: an operation without an
// answer may have happened at any time.
func manyKeys() int {
	if drivertest.Soaking() {
		return 600
	}
	return 60
}

// patient waits a little after a call that failed, or a client would be through
// with all its calls before the server is back.
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
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// clients opens a store for each of 8 clients.
func clients(t *testing.T, where string) []driver.Store {
	t.Helper()
	all := make([]driver.Store, 8)
	for i := range all {
		all[i] = patient{open(t, where)}
	}
	return all
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	drivertest.Linearizable(t, clients(t, "redis://"+start(t)), drivertest.History{})
}

func TestLinearizableOnABadNetwork(t *testing.T) {
	t.Parallel()
	n := badnet.New(t, start(t))
	drivertest.Linearizable(t, clients(t, "redis://"+n.Addr()), drivertest.History{
		Patience: 200 * time.Millisecond, Keys: manyKeys(),
		Meanwhile: func(ctx context.Context) {
			ltmtest.Shake(ctx, t, n, 20*time.Millisecond, badnet.Faults()...)
		},
	})
}

// A server that is killed and comes back, with what it had written, is still
// one store.
func TestLinearizableThroughKills(t *testing.T) {
	t.Parallel()
	server, pause := startKillable(t), 20*time.Millisecond
	if drivertest.Soaking() {
		pause *= 10
	}
	drivertest.Linearizable(t, clients(t, "redis://"+server.addr), drivertest.History{
		Patience: 200 * time.Millisecond, Keys: manyKeys(),
		Meanwhile: func(ctx context.Context) {
			for ctx.Err() == nil {
				time.Sleep(pause)
				server.kill(t)
				server.start(t)
			}
		},
	})
}
