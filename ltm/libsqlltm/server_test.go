package libsqlltm_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/internal/testserver/badnet"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/libsqlltm"
)

func TestMain(m *testing.M) {
	if err := os.Unsetenv("TURSO_AUTH_TOKEN"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, badnet.Leaks()...)
}

// open opens a store and closes it when the test ends.
func open(tb testing.TB, raw string) driver.Store {
	tb.Helper()
	s, err := tryOpen(tb.Context(), raw)
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

func tryOpen(ctx context.Context, raw string) (driver.Store, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	return libsqlltm.Open(ctx, u)
}

// one starts a server of one database and returns its URL.
func one(tb testing.TB, more ...string) string {
	tb.Helper()
	return "http+libsql://" + testserver.Start(tb, testserver.LibSQL(more...))
}

// many is a server of many databases.
type many struct {
	admin, front string
	next         atomic.Int64
}

// startMany starts one. It tells databases by the host's name; a proxy before it
// makes that the first part of the path.
func startMany(tb testing.TB) *many {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	m := &many{admin: l.Addr().String()}
	l.Close()
	back := testserver.Start(tb, testserver.LibSQL("--enable-namespaces", "--admin-listen-addr", m.admin))
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	front := httptest.NewServer(&httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			name, rest, _ := strings.Cut(strings.TrimPrefix(r.In.URL.Path, "/"), "/")
			r.SetURL(&url.URL{Scheme: "http", Host: back})
			r.Out.URL.Path, r.Out.Host = "/"+rest, name+".test"
		},
	})
	m.front = "http+libsql://" + strings.TrimPrefix(front.URL, "http://") + "/"
	tb.Cleanup(func() {
		front.Close()
		transport.CloseIdleConnections()
	})
	return m
}

// database makes a database and returns its URL.
func (m *many) database(tb testing.TB) string {
	tb.Helper()
	name := fmt.Sprint("n", m.next.Add(1))
	at := "http://" + m.admin + "/v1/namespaces/" + name
	m.ask(tb, http.MethodPost, at+"/create", "{}")
	tb.Cleanup(func() { m.ask(tb, http.MethodDelete, at, "{}") })
	return m.front + name
}

func (m *many) ask(tb testing.TB, method, at, body string) {
	tb.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(tb.Context()), method, at, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		tb.Fatalf("%s %s: %s", method, at, res.Status)
	}
}
