package redisltm_test

import (
	"context"
	"fmt"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/redisltm"
)

func TestMain(m *testing.M) {
	const dial = "github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial" // ends a second after Close
	goleak.VerifyTestMain(m, append(badnet.Leaks(), goleak.IgnoreAnyFunction(dial))...)
}

// start runs a server until the test ends and returns its address. PORT in the
// arguments is its port.
func start(tb testing.TB, args ...string) string {
	tb.Helper()
	return testserver.Start(tb, testserver.Redis(args...))
}

// raw returns a client beneath the store.
func raw(tb testing.TB, addr string) *redis.Client {
	tb.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr})
	tb.Cleanup(func() { c.Close() })
	return c
}

func openErr(ctx context.Context, rawURL string) (driver.Store, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	return redisltm.Open(ctx, u)
}

func open(tb testing.TB, rawURL string) driver.Store {
	tb.Helper()
	s, err := openErr(tb.Context(), rawURL)
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

// prefixes gives each store of a server keys of its own.
func prefixes(addr string) func(tb testing.TB) string {
	var n atomic.Int64
	return func(tb testing.TB) string {
		tb.Helper()
		return fmt.Sprintf("redis://%s/?prefix=p%d", addr, n.Add(1))
	}
}
