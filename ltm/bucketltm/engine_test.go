package bucketltm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// openWith opens a store of an engine in memory that the test closes.
func openWith(tb testing.TB, e *Engine, params string) driver.Store {
	tb.Helper()
	s, err := e.Open(tb.Context(), mustParse(tb, "log+mem://b/k?"+params))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// TestPushesOpenNoFile: the draft stays open, and nobody reads.
func TestPushesOpenNoFile(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	e := logEngine()
	e.OpenFile = func(ctx context.Context, path string) (File, error) {
		opened.Add(1)
		return openLog(ctx, path)
	}
	s := openWith(t, e, "")
	for i := range 10 {
		put(t, s, fmt.Sprint(i), "v")
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("10 pushes opened %d files", n)
	}
	for i := range 10 {
		want(t, s, fmt.Sprint(i), "v")
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("10 reads opened %d files", n-1)
	}
}

// TestReadersWaitForOneOpening has many read a version that nobody has read yet,
// after an attempt to open it that failed.
func TestReadersWaitForOneOpening(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	e := logEngine()
	e.OpenFile = func(ctx context.Context, path string) (File, error) {
		if opened.Add(1) == 1 {
			return nil, fmt.Errorf("%w: too many open files", driver.ErrUnavailable)
		}
		return openLog(ctx, path)
	}
	s := openWith(t, e, "")
	if _, err := s.Get(t.Context(), key("k")); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := s.Get(t.Context(), key("k")); !errors.Is(err, driver.ErrNotFound) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := opened.Load(); n != 2 {
		t.Errorf("it was opened %d times", n)
	}
}

// TestBusyDiskHoldsUpNoCall has an engine that answers only when the test is
// over: what waits for it never returns.
func TestBusyDiskHoldsUpNoCall(t *testing.T) {
	t.Parallel()
	busy := make(chan struct{})
	e := logEngine()
	e.OpenFile = func(ctx context.Context, path string) (File, error) {
		<-busy // whatever ctx says
		return openLog(ctx, path)
	}
	s := openWith(t, e, "")
	t.Cleanup(func() { close(busy) }) // before it is closed
	calls := map[string]func(context.Context) error{
		"get":    func(ctx context.Context) error { _, err := s.Get(ctx, key("k")); return err },
		"put":    func(ctx context.Context) error { _, err := s.Put(ctx, rec("k", "v"), driver.Condition{}); return err },
		"delete": func(ctx context.Context) error { _, err := s.Delete(ctx, key("k"), 0); return err },
		"list":   func(ctx context.Context) error { _, err := s.List(ctx, driver.Query{Limit: 1}); return err },
	}
	for name, call := range calls {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// TestInspectWithoutTheEngine: what an engine cannot tell stays unknown.
func TestInspectWithoutTheEngine(t *testing.T) {
	t.Parallel()
	f, err := driver.Inspect(t.Context(), openWith(t, logEngine(), ""))
	if err != nil || f != (driver.Facts{}) {
		t.Errorf("%+v, %v", f, err)
	}
}
