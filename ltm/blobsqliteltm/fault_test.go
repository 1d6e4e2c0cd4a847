package blobsqliteltm

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

// newNetwork returns the way to an S3 server and the URL of a store behind it.
func newNetwork(tb testing.TB) (*badnet.Network, string) {
	tb.Helper()
	raw := Engine().Prefix + blobtest.S3(tb).URI("k.db")
	q := mustParse(tb, raw).Query()
	endpoint := mustParse(tb, q.Get("endpoint"))
	n := badnet.New(tb, endpoint.Host)
	q.Set("endpoint", "http://"+n.Addr())
	head, _, _ := strings.Cut(raw, "?")
	return n, head + "?" + q.Encode()
}

// faulty opens a store behind a bad network, for the suite: get, put, delete,
// list and search under each fault end by their deadline, and what was
// acknowledged is there afterwards.
func faulty(t *testing.T) (driver.Store, []drivertest.Fault) {
	t.Helper()
	n, raw := newNetwork(t)
	return openURL(t, with(raw, "max_staleness=0")), ltmtest.Faults(n)
}

// TestOpenKeepsItsDeadline opens a store under each fault.
func TestOpenKeepsItsDeadline(t *testing.T) { //nolint:paralleltest // see KeepDeadlines
	ltmtest.KeepDeadlines(t, func(t *testing.T) (*badnet.Network, map[string]ltmtest.Call) {
		t.Helper()
		n, raw := newNetwork(t)
		put(t, openURL(t, raw), "k", strings.Repeat("v", 1<<16))
		u, err := url.Parse(with(raw, "cache="+t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		return n, map[string]ltmtest.Call{"open": func(ctx context.Context) error {
			s, err := Open(ctx, u)
			if err == nil {
				return s.Close()
			}
			return err
		}}
	})
}
