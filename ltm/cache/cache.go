package cache

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// Cache keeps results of calls in a memory. It is safe for concurrent use.
type Cache struct {
	shelf         shelf
	entryType     string
	now           func() time.Time
	chance        func() float64
	entropy       io.Reader
	log           *slog.Logger
	known         func(action string) bool
	lookupTimeout time.Duration
	storeTimeout  time.Duration

	lookups, writes *breaker
	flights         flights
	tier            tier
	mac             macKeys
	counts          counts
	hashes          hashes
	warnings        Warnings // of calls that bring none
	usage           usage
	touches         touches
	leaseTTL        time.Duration
	background      sync.WaitGroup
	refreshes       sync.WaitGroup  // of stale results
	stop            context.Context // over when Close has waited long enough
	cancel          context.CancelFunc
}

// macKeys are the keys for digests of secrets.
type macKeys struct {
	mu     sync.Mutex
	stored []byte // the store's, once it is known
	fresh  []byte // for a store that has none
}

// Options are the choices of New. A nil *Options is all defaults.
type Options struct {
	// Space is the memory's space in which the entries stand, apart from those
	// of other spaces; 0 is driver.Cache.
	Space driver.Space
	// Type is the MetaType of the entries that are made; "" is TypeActionResult.
	Type string
	// Now is the clock; nil is that of the memory.
	Now func() time.Time
	// Rand returns a number in [0, 1), which decides about cleanup and spreads
	// the calls that wait for another process; nil is a random one.
	Rand func() float64
	// Entropy is where the key for digests of secrets comes from; nil is the
	// system's random source.
	Entropy io.Reader
	// Log takes warnings where a call has no log of its own, see [Warnings];
	// nil drops them.
	Log *slog.Logger
	// Known tells whether there is an action of that name, see ReadKey. Nil
	// takes every name with a dot in it for an action's.
	Known func(action string) bool
	// LookupTimeout is how long a lookup may take where the policy does not
	// say; 0 is DefaultLookupTimeout.
	LookupTimeout time.Duration
	// StoreTimeout is how long a result waits until it is stored; then storing
	// goes on in the background. 0 is DefaultLookupTimeout.
	StoreTimeout time.Duration
	// LeaseTTL is after how long a process is taken over from that died in the
	// middle of a call with Policy.Lease; 0 is DefaultLeaseTTL.
	LeaseTTL time.Duration
	// MemoryBytes is how much is kept in memory, decoded, in front of a store
	// that has a change counter; 0 is DefaultMemoryBytes, less is nothing.
	MemoryBytes int64
	// BreakAfter is how many failures of the store in a row make the cache
	// leave it alone for BreakFor; 0 is 3, and 30 s.
	BreakAfter int
	BreakFor   time.Duration
}

const (
	defaultBreakAfter = 3
	defaultBreakFor   = 30 * time.Second
	// writeLimit ends a write that went on in the background.
	writeLimit = 10 * time.Second
	// closeLimit is how long Close waits.
	closeLimit = time.Second
)

// New returns a cache on mem, which stays the caller's. With a nil mem nothing
// is found and nothing stored, as with a store that is down.
func New(mem *ltm.Memory, o *Options) *Cache {
	if o == nil {
		o = &Options{}
	}
	c := &Cache{
		shelf:         shelf{mem: mem, space: pick(o.Space, driver.Cache)},
		entryType:     pick(o.Type, TypeActionResult),
		now:           o.Now,
		chance:        o.Rand,
		entropy:       o.Entropy,
		log:           o.Log,
		known:         o.Known,
		lookupTimeout: pick(o.LookupTimeout, DefaultLookupTimeout),
		storeTimeout:  pick(o.StoreTimeout, DefaultLookupTimeout),
		leaseTTL:      pick(o.LeaseTTL, DefaultLeaseTTL),
	}
	c.tier.limit = pick(o.MemoryBytes, DefaultMemoryBytes)
	c.defaults(mem)
	c.lookups = &breaker{now: c.now, after: pick(o.BreakAfter, defaultBreakAfter), rest: pick(o.BreakFor, defaultBreakFor)}
	c.writes = &breaker{now: c.now, after: c.lookups.after, rest: c.lookups.rest}
	c.stop, c.cancel = context.WithCancel(context.Background())
	return c
}

// defaults fills in what the options left out.
func (c *Cache) defaults(mem *ltm.Memory) {
	switch {
	case c.now != nil:
	case mem != nil:
		c.now = mem.Now
	default:
		c.now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	if c.chance == nil {
		c.chance = mathrand.Float64
	}
	if c.entropy == nil {
		c.entropy = rand.Reader
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.known == nil {
		c.known = looksLikeAction
	}
}

func pick[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// Close waits up to a second for what goes on in the background, and ends what
// is not done by then: an error if it is a change of the store, but not if it is
// a stale result that was being refreshed. The memory stays open; the cache
// stores nothing any more.
func (c *Cache) Close() error {
	defer c.cancel()
	c.flushTouches(true)
	limit, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if !wait(limit, &c.refreshes) {
		c.log.Info("cache: a stale result was not refreshed before the end")
		return nil
	}
	if !wait(limit, &c.background) {
		return errors.New("cache: the store was still at work after a second")
	}
	return nil
}

// wait waits for a group, and tells whether it is done before ctx is over.
func wait(ctx context.Context, g *sync.WaitGroup) bool {
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
