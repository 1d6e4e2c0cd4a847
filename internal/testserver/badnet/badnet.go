// Package badnet is a network before a server that goes bad on demand, for
// tests of what a client does then.
package badnet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

// Leaks are the goroutines that toxiproxy starts and does not always end.
func Leaks() []goleak.Option {
	const toxiproxy = "github.com/Shopify/toxiproxy/v2"
	return []goleak.Option{
		goleak.IgnoreAnyFunction(toxiproxy + ".(*ToxicLink).read"),
		goleak.IgnoreAnyFunction(toxiproxy + ".(*ToxicLink).write"),
		goleak.IgnoreAnyFunction(toxiproxy + "/toxics.(*ToxicStub).Run"),
	}
}

// Network leads from an address of its own to a server. It is safe for
// concurrent use.
type Network struct {
	addr, upstream string

	mu    sync.Mutex
	proxy *toxiproxy.Proxy
}

// New returns a network to the server at upstream, good until it is broken.
func New(tb testing.TB, upstream string) *Network {
	tb.Helper()
	n := &Network{addr: FreeAddr(tb), upstream: upstream}
	n.start(tb)
	tb.Cleanup(func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.proxy.Stop()
	})
	return n
}

// Addr is where the server is reached by way of the network.
func (n *Network) Addr() string { return n.addr }

// Break makes the network bad until mend is called.
func (n *Network) Break(tb testing.TB, f Fault) (mend func()) {
	tb.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if f == Gone {
		n.proxy.Stop()
	}
	for i, toxic := range f.toxics() {
		text := fmt.Sprintf(`{"name":"%d","toxicity":1,%s}`, i, toxic)
		if _, err := n.proxy.Toxics.AddToxicJson(strings.NewReader(text)); err != nil {
			tb.Error(err) // not Fatal: another goroutine may be calling
		}
	}
	return func() { n.renew(tb) }
}

// renew puts a good network in the place of a bad one. Taking toxics away is no
// way: toxiproxy may wait for ever for one of them to end.
func (n *Network) renew(tb testing.TB) {
	tb.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.proxy.Stop()
	n.start(tb)
}

func (n *Network) start(tb testing.TB) {
	tb.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	server.Metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	const patience = 10_000 // attempts, one a millisecond
	for attempt := range patience {
		if attempt > 0 {
			time.Sleep(time.Millisecond)
		}
		n.proxy = toxiproxy.NewProxy(server, "network", n.addr, n.upstream)
		err := n.proxy.Start()
		if err == nil {
			return
		}
		// The one before may not have left yet.
		if !errors.Is(err, syscall.EADDRINUSE) {
			tb.Error(err)
			return
		}
	}
	tb.Errorf("%s is still in use", n.addr)
}

// FreeAddr returns an address of this machine that is free and stays so while nobody listens:
// the system gives ports from 32768 on to connections.
func FreeAddr(tb testing.TB) string {
	tb.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000)))
		if err == nil {
			_ = l.Close() // it only had to be free
			return l.Addr().String()
		}
	}
	tb.Fatal("there is no free port")
	return ""
}
