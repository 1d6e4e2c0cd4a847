package cache_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/value"
)

// stores returns a bench on memory and one on an SQLite file.
func stores(t *testing.T) map[string]*bench {
	t.Helper()
	b := newBench(t)
	b.on(openFile(t, filepath.Join(t.TempDir(), "cache.db"), "", b.clock))
	return map[string]*bench{"memory": newBench(t), "sqlite": b}
}

// openFile opens an SQLite file.
func openFile(t *testing.T, file, params string, clock *ltmtest.Clock) *ltm.Memory {
	t.Helper()
	mem, err := builtin.Mux().Open(t.Context(), "sqlite://"+file+params, &ltm.Options{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mem.Close() })
	return mem
}

// on makes the bench use another memory.
func (b *bench) on(mem *ltm.Memory, change ...func(*cache.Options)) {
	b.t.Helper()
	o := &cache.Options{Known: known, Log: slog.New(slog.NewTextHandler(b.log, nil)), Rand: func() float64 { return 0.999 }}
	patient(o)
	for _, f := range change {
		f(o)
	}
	b.Cache = cache.New(mem, o)
	b.t.Cleanup(func() { b.Close() })
}

// square serves the call of a number, whose result is its square.
func (b *bench) square(i int, p cache.Policy) cache.Outcome {
	b.t.Helper()
	v, o, err := b.Do(b.t.Context(), request(options{"i": i}), p, func(context.Context) (value.Value, error) {
		b.runs.Add(1)
		return value.Must(options{"square": i * i, "mark": strings.Repeat("mark", 16)}), nil
	})
	if got, _ := v.At("square").AsInt(); err != nil || got != int64(i*i) {
		b.t.Errorf("call %d: %v %+v %v", i, v, o, err)
	}
	return o
}

func TestAReadOnlyFileStillServesHits(t *testing.T) {
	t.Parallel()
	b, file := newBench(t), filepath.Join(t.TempDir(), "cache.db")
	p := policy(t, options{"cleanup_probability": 1})
	mem := openFile(t, file, "", b.clock)
	b.on(mem)
	b.square(1, p)
	if err := errors.Join(b.Close(), mem.Close()); err != nil {
		t.Fatal(err)
	}
	b.on(openFile(t, file, "?readonly=true", b.clock))
	for i := range 6 {
		if o := b.square(1, p); o.Status != cache.Hit {
			t.Errorf("%+v", o)
		}
		if o := b.square(10+i, p); o.Status != cache.Error || i == 0 && !strings.HasPrefix(o.Reason, "read_only: ") {
			t.Errorf("%+v", o)
		}
	}
	if n := b.log.Warnings(); n != 1 {
		t.Errorf("%d warnings", n)
	}
}

func TestADamagedFileNeverGivesAWrongResult(t *testing.T) {
	t.Parallel()
	b, file := newBench(t), filepath.Join(t.TempDir(), "cache.db")
	p := policy(t, options{})
	mem := openFile(t, file, "", b.clock)
	b.on(mem)
	for i := range 20 {
		b.square(i, p)
	}
	if err := errors.Join(b.Close(), mem.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n, damage := range []func(data []byte) []byte{
		func([]byte) []byte { return []byte("this is no database, but a file of some length") },
		func(data []byte) []byte { return data[:len(data)/2] },
		func(data []byte) []byte { return data[:100] },
		func(data []byte) []byte { clear(data[:16]); return data },
		func(data []byte) []byte { clear(data[4096:]); return data },
		flip(random, 1), flip(random, 10), flip(random, 100), flip(random, 1000),
	} {
		damaged := filepath.Join(t.TempDir(), fmt.Sprint(n, ".db"))
		if err := os.WriteFile(damaged, damage(bytes.Clone(whole)), 0o600); err != nil {
			t.Fatal(err)
		}
		mem, err := builtin.Mux().Open(t.Context(), "sqlite://"+damaged, &ltm.Options{Now: b.clock.Now})
		if errors.Is(err, ltm.ErrConfig) {
			t.Errorf("damage %d looks like a configuration that cannot be: %v", n, err)
		}
		b.on(mem)
		for i := range 20 {
			b.square(i, p)
			b.square(i, p)
		}
		b.Close()
		if mem != nil {
			mem.Close()
		}
	}
}

// flip flips a bit in n bytes.
func flip(random *rand.Rand, n int) func([]byte) []byte {
	return func(data []byte) []byte {
		for range n {
			data[random.IntN(len(data))] ^= 1 << random.IntN(8)
		}
		return data
	}
}

func TestAFlippedBitInAResultIsAMiss(t *testing.T) {
	t.Parallel()
	b, file := newBench(t), filepath.Join(t.TempDir(), "cache.db")
	p := policy(t, options{})
	mem := openFile(t, file, "", b.clock)
	b.on(mem)
	b.square(1, p)
	if err := errors.Join(b.Close(), mem.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte("markmark")) {
		t.Fatal("the result is not in the file", err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte("markmark"), []byte("markmarl")), 0o600); err != nil {
		t.Fatal(err)
	}
	b.on(openFile(t, file, "", b.clock))
	if o := b.square(1, p); o.Status != cache.Miss || b.runs.Load() != 2 {
		t.Errorf("%+v after %d runs", o, b.runs.Load())
	}
	if o := b.square(1, p); o.Status != cache.Hit || b.runs.Load() != 2 {
		t.Errorf("%+v after %d runs", o, b.runs.Load())
	}
}

func TestAClosedFileNeverFailsTheAction(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	mem := openFile(t, filepath.Join(t.TempDir(), "cache.db"), "", b.clock)
	b.on(mem)
	b.square(1, policy(t, options{}))
	if err := mem.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if o := b.square(1, policy(t, options{})); o.Status != cache.Error || i == 0 && !strings.HasPrefix(o.Reason, "closed: ") {
			t.Errorf("%+v", o)
		}
	}
	if n := b.log.Warnings(); n != 1 {
		t.Errorf("%d warnings", n)
	}
}

// stuck is a store whose every call waits for release, and for no context.
type stuck struct {
	driver.Store
	release chan struct{}
}

func (s stuck) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	<-s.release
	return s.Store.Get(ctx, k)
}

func (s stuck) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	<-s.release
	return s.Store.Put(ctx, r, c)
}

func TestAFileThatHangsNeverFailsTheAction(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	store, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "cache.db")})
	if err != nil {
		t.Fatal(err)
	}
	s := stuck{store, make(chan struct{})}
	mem := ltm.New(s, &ltm.Options{Now: b.clock.Now})
	defer mem.Close()
	b.on(mem, func(o *cache.Options) { o.LookupTimeout, o.StoreTimeout = 10*time.Millisecond, 10*time.Millisecond })
	for i := range 5 {
		if o := b.square(i, policy(t, options{})); o.Status != cache.Error || i == 0 && !strings.HasPrefix(o.Reason, "timeout: ") {
			t.Errorf("%+v", o)
		}
	}
	close(s.release)
	b.Close()
	if n := b.log.Warnings(); n != 1 {
		t.Errorf("%d warnings", n)
	}
}

func TestAFileThatAnotherProcessWritesTo(t *testing.T) {
	t.Parallel()
	b, file := newBench(t), filepath.Join(t.TempDir(), "cache.db")
	b.on(openFile(t, file, "", b.clock), func(o *cache.Options) { o.StoreTimeout = 10 * time.Millisecond })
	other, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	p := policy(t, options{"cleanup_probability": 0})
	if o := b.square(1, p); o.Status != cache.Error || !strings.HasPrefix(o.Reason, "timeout: ") {
		t.Errorf("%+v", o)
	}
	b.square(1, p)
	if b.runs.Load() != 1 {
		t.Errorf("%d runs while the result waits to be stored", b.runs.Load())
	}
	if _, err := conn.ExecContext(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil { // waits until it is stored
		t.Fatal(err)
	}
	if found, err := b.Get(t.Context(), "me", b.key(request(options{"i": 1}), options{})); err != nil || !found.Found {
		t.Errorf("%+v, %v", found, err)
	}
}
