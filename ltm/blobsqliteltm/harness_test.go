package blobsqliteltm

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/internal/testserver/badnet"

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/ltm/driver"
)

// TestMain plays a child process when the environment says so, and gives the
// tests the environment that Azure's server asks for.
func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		os.Exit(child(job))
	}
	dir, err := os.MkdirTemp("", "blobsqlite")
	if err != nil {
		panic(err)
	}
	for name, text := range map[string]string{
		"XDG_CACHE_HOME": dir, "STORAGE_EMULATOR_HOST": "", "AZURE_STORAGE_ACCOUNT": blobtest.AzureAccount,
		"AZURE_STORAGE_KEY": blobtest.AzureKey, "AZURE_STORAGE_SAS_TOKEN": "", "AZURE_STORAGE_DOMAIN": "",
		"AZURE_STORAGE_PROTOCOL": "",
	} {
		_ = os.Setenv(name, text)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	if code == 0 {
		if err := goleak.Find(append(badnet.Leaks(), goleak.IgnoreAnyFunction("go.opencensus.io/stats/view.(*worker).start"))...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// soak returns all of n with TEA_SOAK=1, else a twentieth.
func soak(n int) int {
	if os.Getenv("TEA_SOAK") == "1" {
		return n
	}
	return max(n/20, 1)
}

// places are where objects can be, each with a function that starts a server for
// one test and returns the URL of a store by the name of its file.
func places() map[string]func(t *testing.T) func(name string) string {
	on := func(s blobtest.Store) func(string) string {
		return func(name string) string { return Engine().Prefix + s.URI(name) }
	}
	return map[string]func(t *testing.T) func(name string) string{
		"s3":    func(t *testing.T) func(string) string { t.Helper(); return on(blobtest.S3(t)) },
		"gs":    func(t *testing.T) func(string) string { t.Helper(); return on(blobtest.GCS(t)) },
		"azure": func(t *testing.T) func(string) string { t.Helper(); return on(blobtest.Azure(t)) },
		"file": func(t *testing.T) func(string) string {
			t.Helper()
			dir := t.TempDir()
			return func(name string) string { return "blob-sqlite+file://" + filepath.Join(dir, name) }
		},
	}
}

// with adds a parameter to a URL.
func with(raw, param string) string {
	if strings.Contains(raw, "?") {
		return raw + "&" + param
	}
	return raw + "?" + param
}

func parseURL(raw string) (*url.URL, error) { return url.Parse(raw) }

func mustParse(tb testing.TB, raw string) *url.URL {
	tb.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

// openURL opens a store that the test closes.
func openURL(tb testing.TB, raw string) driver.Store {
	tb.Helper()
	s, err := Open(tb.Context(), mustParse(tb, raw))
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

var number atomic.Int64

func key(name string) driver.Key { return driver.Key{Space: driver.User, Key: name} }

func rec(name, text string) driver.Record {
	return driver.Record{Key: key(name), Value: []byte(text), Metadata: []byte(`{}`), UpdatedAt: 1000}
}

func put(tb testing.TB, s driver.Store, name, text string) {
	tb.Helper()
	if _, err := s.Put(tb.Context(), rec(name, text), driver.Condition{}); err != nil {
		tb.Fatal(err)
	}
}

func want(tb testing.TB, s driver.Store, name, text string) {
	tb.Helper()
	r, err := s.Get(tb.Context(), key(name))
	if err != nil || string(r.Value) != text {
		tb.Errorf("%s is %q, %v, want %q", name, r.Value, err, text)
	}
}

func count(tb testing.TB, s driver.Store) int {
	tb.Helper()
	found, err := s.List(tb.Context(), driver.Query{KeysOnly: true, Limit: 1 << 20})
	if err != nil {
		tb.Fatal(err)
	}
	return len(found)
}
