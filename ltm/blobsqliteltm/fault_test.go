package blobsqliteltm

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// network is a bad way to a server.
type network struct{ *badnet.Network }

// newNetwork returns the way to an S3 server and the URL of a store behind it.
func newNetwork(tb testing.TB) (network, string) {
	tb.Helper()
	raw := Engine().Prefix + blobtest.S3(tb).URI("k.db")
	q := mustParse(tb, raw).Query()
	endpoint := mustParse(tb, q.Get("endpoint"))
	n := network{badnet.New(tb, endpoint.Host)}
	q.Set("endpoint", "http://"+n.Addr())
	head, _, _ := strings.Cut(raw, "?")
	return n, head + "?" + q.Encode()
}

// fault returns a fault of the network.
func (n network) fault(name, kind, stream, attributes string) drivertest.Fault {
	toxic := fmt.Sprintf(`"type":%q,"stream":%q,"attributes":{%s}`, kind, stream, attributes)
	return drivertest.Fault{Name: name, Patience: 5 * time.Second, Begin: func(t *testing.T) func() {
		t.Helper()
		return n.Break(t, toxic)
	}}
}

func (n network) faults() []drivertest.Fault {
	down := drivertest.Fault{Name: "the server is gone", Patience: 5 * time.Second, Begin: func(t *testing.T) func() {
		t.Helper()
		return n.Down(t)
	}}
	return []drivertest.Fault{
		n.fault("latency", "latency", "downstream", `"latency":1500`),
		n.fault("reset", "reset_peer", "downstream", `"timeout":0`),
		n.fault("reset while sending", "reset_peer", "upstream", `"timeout":20`),
		n.fault("blackhole", "timeout", "upstream", `"timeout":0`),
		n.fault("half-open", "timeout", "downstream", `"timeout":0`),
		n.fault("slow reads", "bandwidth", "downstream", `"rate":1`),
		n.fault("torn answers", "limit_data", "downstream", `"bytes":300`),
		down,
	}
}

// faulty opens a store behind a bad network, for the suite: get, put, delete,
// list and search under each fault end by their deadline, and what was
// acknowledged is there afterwards.
func faulty(t *testing.T) (driver.Store, []drivertest.Fault) {
	t.Helper()
	n, raw := newNetwork(t)
	return openURL(t, with(raw, "max_staleness=0")), n.faults()
}

// TestOpenKeepsItsDeadline opens a store under each fault.
func TestOpenKeepsItsDeadline(t *testing.T) {
	t.Parallel()
	n, raw := newNetwork(t)
	put(t, openURL(t, raw), "k", strings.Repeat("v", 1<<16))
	u, err := url.Parse(with(raw, "cache="+t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range n.faults() {
		t.Run(f.Name, func(t *testing.T) {
			defer f.Begin(t)()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			var s driver.Store
			late, err := drivertest.Late(ctx, func(ctx context.Context) (err error) {
				s, err = Open(ctx, u)
				return err
			})
			if late > drivertest.Grace {
				t.Errorf("it returns %v after its deadline: %v", late, err)
			}
			if err == nil {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
