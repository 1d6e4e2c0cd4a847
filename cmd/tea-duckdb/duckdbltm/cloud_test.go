package duckdbltm_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/internal/blob/blobtest"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

// The random queries of the suite ask the local file: once is enough.
const fewQueries = 5000

// places are where objects can be, each with a function that returns the URL of
// a store by the name of its file.
func places() map[string]func(t *testing.T) func(name string) string {
	return map[string]func(t *testing.T) func(name string) string{
		"s3": func(t *testing.T) func(string) string {
			t.Helper()
			bucket := blobtest.S3(t)
			return func(name string) string { return "duckdb+" + bucket.URI(name) }
		},
		"file": func(t *testing.T) func(string) string {
			t.Helper()
			dir := t.TempDir()
			return func(name string) string { return "duckdb+file://" + filepath.Join(dir, name) }
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

// Each change pushes a file, so that the whole suite takes minutes: less of it
// is done unless there is time.
func TestConformanceInABucket(t *testing.T) {
	t.Parallel()
	for name, start := range places() {
		var except map[string]string
		if !drivertest.Soaking() {
			if name != "file" {
				continue
			}
			except = map[string]string{"random/model": "it is followed in a local file; here it is with TEA_SOAK=1"}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := start(t)
			var n atomic.Int64
			var urls sync.Map // driver.Store → its URL
			drivertest.Run(t, func(t *testing.T) driver.Store {
				t.Helper()
				raw := with(at(fmt.Sprint(n.Add(1), ".duckdb")), "max_staleness=0")
				s := openURL(t, raw)
				urls.Store(s, raw)
				return s
			}, drivertest.Options{
				Checks: fewQueries,
				Except: except,
				Again: func(t *testing.T, s driver.Store) driver.Store {
					t.Helper()
					raw, _ := urls.Load(s)
					return openURL(t, raw.(string))
				},
			})
		})
	}
}

// What several processes put into one object is all there.
func TestProcessesShareAnObject(t *testing.T) {
	t.Parallel()
	for name, start := range places() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := with(start(t)("many.duckdb"), "timeout=1m")
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { runChild(t, child(t, "put", raw)) })
			}
			wg.Wait()
			if n := len(keys(t, openURL(t, raw))); n != 80 {
				t.Errorf("%d of 80 are there", n)
			}
		})
	}
}

// A file that is torn, or of another program, is said to be so and stays.
func TestAnObjectThatIsNoStore(t *testing.T) {
	t.Parallel()
	raw := places()["file"](t)("a.duckdb")
	s := openURL(t, raw)
	for i := range 50 {
		if _, err := s.Put(t.Context(), record(fmt.Sprint(i), strings.Repeat("v", 10_000)), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	damagedInMany(t, strings.TrimPrefix(raw, "duckdb+file://"), func(path string) string {
		return "duckdb+file://" + path
	})
}
