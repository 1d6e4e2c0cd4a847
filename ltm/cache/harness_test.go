package cache_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// TestMain lets the test binary be one of many processes.
func TestMain(m *testing.M) {
	if url := os.Getenv(childVariable); url != "" {
		if err := child(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// faulty is a store that fails on demand.
type faulty struct {
	*memltm.Store
	reads, writes  atomic.Pointer[error] // what Get, or Put and Delete, return
	hangs          atomic.Bool           // Get and Put end only when release is closed
	hangsOnPut     atomic.Bool           // only Put does
	release        chan struct{}
	asks           atomic.Int64 // how often anything was asked
	gets, puts     atomic.Int64
	corrupt        atomic.Bool // Get flips a bit
	expiredDeletes atomic.Int64
}

func newFaulty() *faulty { return &faulty{Store: memltm.New(), release: make(chan struct{})} }

func (f *faulty) fault(p *atomic.Pointer[error]) error {
	f.asks.Add(1)
	if f.hangs.Load() {
		<-f.release
	}
	if err := p.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *faulty) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	f.gets.Add(1)
	if err := f.fault(&f.reads); err != nil {
		return driver.Record{}, err
	}
	r, err := f.Store.Get(ctx, k)
	if f.corrupt.Load() && len(r.Value) > 0 {
		r.Value[len(r.Value)-1] ^= 1
	}
	return r, err
}

func (f *faulty) Revision(ctx context.Context) (int64, error) {
	if err := f.fault(&f.reads); err != nil {
		return 0, err
	}
	return f.Store.Revision(ctx)
}

func (f *faulty) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	f.puts.Add(1)
	if f.hangsOnPut.Load() {
		<-f.release
	}
	if err := f.fault(&f.writes); err != nil {
		return false, err
	}
	return f.Store.Put(ctx, r, c)
}

func (f *faulty) DeleteExpired(ctx context.Context, s driver.Space, now int64, limit int) (int, error) {
	f.expiredDeletes.Add(1)
	return f.Store.DeleteExpired(ctx, s, now, limit)
}

// bench is a cache on a store of its own, with a clock of its own.
type bench struct {
	*cache.Cache
	t     *testing.T
	store *faulty
	mem   *ltm.Memory
	clock *clock
	log   *lockedLog
	runs  atomic.Int64
}

type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) warnings() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), "level=WARN")
}

// patient lets a store take all the time that a busy machine may need.
func patient(o *cache.Options) { o.LookupTimeout, o.StoreTimeout = time.Hour, time.Hour }

// punctual has the deadlines that a program has.
func punctual(o *cache.Options) { o.LookupTimeout, o.StoreTimeout = 0, 0 }

func newBench(t *testing.T, change ...func(*cache.Options)) *bench {
	t.Helper()
	b := &bench{t: t, store: newFaulty(), clock: newClock(), log: &lockedLog{}}
	b.mem = ltm.New(b.store, &ltm.Options{Now: b.clock.Now})
	o := &cache.Options{
		Rand:    func() float64 { return 0.999 },
		Entropy: strings.NewReader(strings.Repeat("0123456789abcdef", 8)),
		Log:     slog.New(slog.NewTextHandler(b.log, nil)),
		Known:   known,
	}
	patient(o)
	for _, f := range change {
		f(o)
	}
	b.Cache = cache.New(b.mem, o)
	t.Cleanup(func() {
		b.Close()
		b.mem.Close()
	})
	return b
}

// request is a call of http.get with the given arguments.
func request(args any) cache.Request {
	return cache.Request{Action: "http.get", Version: 1, Args: value.Must(args), Namespace: "me"}
}

// answer makes a run that counts itself and returns a result with its number.
func (b *bench) answer(context.Context) (value.Value, error) {
	return value.Object(value.M("n", value.Int(b.runs.Add(1)))), nil
}

// do serves a call that must not fail.
func (b *bench) do(req cache.Request, p cache.Policy) (value.Value, cache.Outcome) {
	b.t.Helper()
	v, o, err := b.Do(b.t.Context(), req, p, b.answer)
	if err != nil {
		b.t.Fatal(err)
	}
	return v, o
}

// want serves a call and checks its status and reason.
func (b *bench) want(status cache.Status, reason string, req cache.Request, p cache.Policy) cache.Outcome {
	b.t.Helper()
	_, o := b.do(req, p)
	if o.Status != status || !strings.HasPrefix(o.Reason, reason) {
		b.t.Errorf("%s (%s), want %s (%s)", o.Status, o.Reason, status, reason)
	}
	return o
}
