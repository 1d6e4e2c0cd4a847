package cache

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
)

const (
	// DefaultLeaseTTL is after how long a process that died in the middle of a
	// call is taken over from, with Policy.Lease.
	DefaultLeaseTTL = 10 * time.Second

	// A waiting call asks again after shortestPause, then less and less often.
	shortestPause = 10 * time.Millisecond
	longestPause  = 250 * time.Millisecond
	// mostLeaders is for how many others in a row a call waits that end and
	// leave nothing, mostErrors how many failures of the store it bears.
	mostLeaders = 2
	mostErrors  = 3
)

// ErrLock is the error of a call with Policy.Lease on a store that has no
// atomic conditional put.
var ErrLock = errors.New("cache: lock: lease needs a store with an atomic conditional put")

// lead runs the call that leads its flight, and where the policy asks for that,
// leads among all processes.
func (c *Cache) lead(ctx context.Context, l *call, seen served) served {
	if !l.policy.Lease || l.policy.Mode != Both || seen.outcome.Status == Error {
		return c.execute(ctx, l, seen)
	}
	w := &waiting{cache: c, call: l, id: l.leaseKey(), seen: seen, tried: c.now()}
	w.contender = c.shelf.contend(l.id.key.Namespace, w.id, c.leaseTTL)
	s, final := w.wait(ctx)
	switch {
	case final:
		return s
	case w.lease != nil:
		return c.hold(ctx, l, s, w.lease)
	case l.background:
		return served{outcome: s.outcome} // another process refreshes
	}
	return c.execute(ctx, l, s)
}

// hold runs a call under a lease and gives it back when the result is stored.
func (c *Cache) hold(ctx context.Context, l *call, seen served, lease *ltm.Lease) (s served) {
	held := *l
	kept, stop := lease.Keep(context.WithoutCancel(ctx))
	held.lease, held.kept = lease, kept
	defer func() {
		c.inBackground(ctx, func(ctx context.Context) {
			if s.storing != nil {
				<-s.storing
			}
			stop()
			c.giveBack(ctx, lease)
		})
	}()
	return c.execute(ctx, &held, seen)
}

// giveBack releases a lease. If that fails it runs out by itself.
func (c *Cache) giveBack(ctx context.Context, lease *ltm.Lease) {
	if err := lease.Release(ctx); err != nil && !errors.Is(err, ltm.ErrLost) {
		c.log.Debug("cache: a lease was not given back", "error", err)
	}
}

// leaseKey is the key of the lease of a call.
func (l *call) leaseKey() string {
	sum := sha256.Sum256([]byte(l.flightKey()))
	return "cache:" + hex.EncodeToString(sum[:])
}

// contend returns a contender for a lease, with a name of its own.
func (s shelf) contend(namespace, id string, ttl time.Duration) *ltm.Contender {
	host, _ := os.Hostname() // the name is for people
	owner := fmt.Sprintf("process %d on %s, %s", os.Getpid(), or(host, "?"), rand.Text())
	return s.mem.In(s.space, namespace).Contend(id, &ltm.LeaseOptions{Owner: owner, TTL: ttl})
}

// holder returns who has a lease, "" for nobody.
func (s shelf) holder(ctx context.Context, namespace, id string) (string, error) {
	e, err := s.mem.In(driver.Lease, namespace).Get(ctx, id)
	if errors.Is(err, ltm.ErrNotFound) {
		return "", nil
	}
	return e.Value.At("owner").Text(), err
}
