package bucketltm

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bucket")
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("XDG_CACHE_HOME", dir)
	code := m.Run()
	_ = os.RemoveAll(dir)
	if code == 0 {
		if err := goleak.Find(goleak.IgnoreAnyFunction("go.opencensus.io/stats/view.(*worker).start")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func mustParse(tb testing.TB, raw string) *url.URL {
	tb.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

// openURL opens a store that the test closes.
func openURL(tb testing.TB, raw string) *Store {
	tb.Helper()
	s, err := logEngine().Open(tb.Context(), mustParse(tb, raw))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s.(*Store)
}

// openOn opens a store in an object.
func openOn(tb testing.TB, o object.Object, params string) *Store {
	tb.Helper()
	c, err := parse(logEngine(), mustParse(tb, "log+mem://test/"+fmt.Sprint(number.Add(1))+"?"+params))
	if err != nil {
		tb.Fatal(err)
	}
	s, err := open(tb.Context(), c, o, realClock())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s.(*Store)
}

var number atomic.Int64

func newMemory(tb testing.TB) object.Object {
	tb.Helper()
	o, err := object.Open(tb.Context(), mustParse(tb, "mem://b/k"), "")
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// proxy is an object between a store and another object, which counts, and fails
// where it is told to.
type proxy struct {
	object.Object
	gets, puts atomic.Int64
	before     func(ctx context.Context, op string) error
	after      func(op string) error
}

func (p *proxy) Get(ctx context.Context, known object.Mark, w io.Writer) (object.Mark, error) {
	p.gets.Add(1)
	if p.before != nil {
		if err := p.before(ctx, "get"); err != nil {
			return "", err
		}
	}
	return p.Object.Get(ctx, known, w)
}

func (p *proxy) Put(ctx context.Context, c object.Content, size int64, known object.Mark) (object.Mark, error) {
	p.puts.Add(1)
	if p.before != nil {
		if err := p.before(ctx, "put"); err != nil {
			return "", err
		}
	}
	mark, err := p.Object.Put(ctx, c, size, known)
	if err == nil && p.after != nil {
		err = p.after("put")
	}
	return mark, err
}

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

// counting counts the bytes that are downloaded.
type counting struct {
	object.Object
	bytes atomic.Int64
}

func (c *counting) Get(ctx context.Context, known object.Mark, w io.Writer) (object.Mark, error) {
	return c.Object.Get(ctx, known, writerFunc(func(p []byte) (int, error) {
		c.bytes.Add(int64(len(p)))
		return w.Write(p)
	}))
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
