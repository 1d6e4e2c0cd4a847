package llmcache

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
)

// Cache keeps the answers of models in a memory. It is safe for concurrent use.
type Cache struct {
	inner   *cache.Cache
	marks   *ltm.Memory // what each entry went through; nil without a memory
	days    *ltm.Memory // what each day brought
	now     func() time.Time
	log     *slog.Logger
	largest int64

	tally   tally
	every   time.Duration
	after   int
	turn    chan struct{}   // holds one token while nobody writes counts
	ended   context.Context // over when Close has waited long enough
	end     context.CancelFunc
	warning sync.Once // that counts cannot be written
}

// Options are the choices of New. A nil *Options is all defaults.
type Options struct {
	// Entropy is where the key for digests of secrets comes from; nil is the
	// system's random source.
	Entropy io.Reader
	// Log takes warnings where a call has no log of its own; nil drops them.
	Log *slog.Logger
	// LookupTimeout and StoreTimeout are how long a call waits for the store;
	// 0 is cache.DefaultLookupTimeout.
	LookupTimeout, StoreTimeout time.Duration
	// MemoryBytes is how much is kept in memory, decoded, in front of a store
	// that has a change counter; 0 is cache.DefaultMemoryBytes, less is
	// nothing.
	MemoryBytes int64
	// MaxEntryBytes is the size up to which answers are stored, as JSON with
	// their request; 0 is cache.DefaultMaxEntryBytes.
	MaxEntryBytes int64
	// FlushEvery is how long counts are gathered before they are written;
	// 0 is 5 s. They are written earlier when there are FlushAfter of them;
	// 0 is 1000.
	FlushEvery time.Duration
	FlushAfter int
}

const (
	defaultFlushEvery = 5 * time.Second
	defaultFlushAfter = 1000
	// flushLimit ends a write of counts in the background, closeLimit that of
	// Close.
	flushLimit = 10 * time.Second
	closeLimit = 2 * time.Second

	marksNamespace = "marks"
	daysNamespace  = "days"
)

// New returns a cache on mem, which stays the caller's and whose clock it uses.
// With a nil mem nothing is found and nothing stored, as with a store that is
// down.
func New(mem *ltm.Memory, o *Options) *Cache {
	if o == nil {
		o = &Options{}
	}
	c := &Cache{
		inner: cache.New(mem, &cache.Options{
			Space: driver.LLM, Type: cache.TypeLLMResponse,
			Entropy: o.Entropy, Log: o.Log, Known: func(string) bool { return false },
			LookupTimeout: o.LookupTimeout, StoreTimeout: o.StoreTimeout, MemoryBytes: o.MemoryBytes,
		}),
		now: time.Now, //nolint:forbidigo // without a memory there is no other clock
		log: o.Log, largest: o.MaxEntryBytes, every: o.FlushEvery, after: o.FlushAfter,
		turn: make(chan struct{}, 1),
	}
	if mem != nil {
		c.now = mem.Now
		c.marks, c.days = mem.In(driver.LLM, marksNamespace), mem.In(driver.LLM, daysNamespace)
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.every <= 0 {
		c.every = defaultFlushEvery
	}
	if c.after <= 0 {
		c.after = defaultFlushAfter
	}
	c.turn <- struct{}{}
	c.ended, c.end = context.WithCancel(context.Background())
	return c
}

// Close writes the counts that are left, for up to two seconds, and waits up to
// one more for answers that are being stored. The memory stays open; the cache
// stores and counts nothing any more.
func (c *Cache) Close() error {
	c.tally.close()
	defer c.end()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- c.Flush(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = errors.New("llmcache: the store did not take the counts in time")
	}
	return errors.Join(err, c.inner.Close())
}
