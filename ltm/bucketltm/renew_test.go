package bucketltm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
)

const garbage = "this is no log, whatever its name says"

// disposable returns the options of a cache that warns w.
func disposable(w *ltmtest.Warnings) *Options { return &Options{Disposable: true, Warn: w.Warn} }

func openCache(tb testing.TB, raw string, o *Options) (driver.Store, error) {
	tb.Helper()
	open, err := logEngine().Opener(mustParse(tb, raw), o)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := open(tb.Context())
	if err == nil {
		tb.Cleanup(func() {
			if err := s.Close(); err != nil {
				tb.Error(err)
			}
		})
	}
	return s, err
}

// damagedFile returns a file that is damaged, and the URL of a store in it.
func damagedFile(t *testing.T) (path, raw string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "k.log")
	if err := os.WriteFile(path, []byte(garbage), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, "log+file://" + path + "?max_staleness=0"
}

// asideOf returns the one copy of what was damaged.
func asideOf(t *testing.T, path string) string {
	t.Helper()
	found, err := filepath.Glob(path + ".damaged-????????????????")
	if err != nil || len(found) != 1 {
		t.Fatalf("set aside: %q, %v", found, err)
	}
	if text, err := os.ReadFile(found[0]); err != nil || string(text) != garbage {
		t.Errorf("%s holds %q, %v", found[0], text, err)
	}
	return found[0]
}

func TestADamagedCacheIsBegunAnewByOneOfMany(t *testing.T) {
	t.Parallel()
	for range 10 {
		path, raw := damagedFile(t)
		var w ltmtest.Warnings
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				s, err := openCache(t, raw, disposable(&w))
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Put(t.Context(), rec(fmt.Sprint(i), "v"), driver.Condition{}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		aside := asideOf(t, path)
		if len(w.Texts) != 1 || !strings.Contains(w.Texts[0], "it is set aside as file://"+aside+" and begun anew") {
			t.Errorf("warnings: %q", w.Texts)
		}
		if n := count(t, openURL(t, raw)); n != 6 {
			t.Errorf("of 6 records %d are there", n)
		}
	}
}

// TestACacheThatIsDamagedWhileItIsOpen: what a store has read does not hide it.
func TestACacheThatIsDamagedWhileItIsOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "k.log")
	var w ltmtest.Warnings
	s, err := openCache(t, "log+file://"+path+"?max_staleness=0", disposable(&w))
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "old", "v")
	if err := os.WriteFile(path, []byte(garbage), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, s, "new", "v")
	if n := count(t, s); n != 1 {
		t.Errorf("there are %d records", n)
	}
	asideOf(t, path)
	if len(w.Texts) != 1 {
		t.Errorf("warnings: %q", w.Texts)
	}
}

// TestADamagedMemoryIsLeftAsItIs: also one that may only be read.
func TestADamagedMemoryIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	var w ltmtest.Warnings
	for params, o := range map[string]*Options{"": nil, "&readonly=true": disposable(&w)} {
		path, raw := damagedFile(t)
		if _, err := openCache(t, raw+params, o); !errors.Is(err, driver.ErrCorrupt) || !strings.Contains(err.Error(), "left as it is") {
			t.Errorf("%q: %v", params, err)
		}
		text, err := os.ReadFile(path)
		if found, _ := filepath.Glob(path + ".damaged-*"); err != nil || string(text) != garbage || len(found)+len(w.Texts) != 0 {
			t.Errorf("%q: %q, %v, set aside: %q", params, text, err, found)
		}
	}
}

// openOnDamaged opens a cache in an object that is damaged.
func openOnDamaged(t *testing.T, change func(*proxy), w *ltmtest.Warnings) driver.Store {
	t.Helper()
	p := &proxy{Object: newMemory(t)}
	if _, err := p.Put(t.Context(), strings.NewReader(garbage), int64(len(garbage)), ""); err != nil {
		t.Fatal(err)
	}
	change(p)
	c, err := parse(logEngine(), mustParse(t, "log+mem://test/"+fmt.Sprint(number.Add(1))))
	if err != nil {
		t.Fatal(err)
	}
	c.options = *disposable(w)
	s, err := open(t.Context(), c, p, realClock())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestWhatCameInThePlaceOfDamageStays has somebody bring back a copy at the last
// moment.
func TestWhatCameInThePlaceOfDamageStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "good.log")
	put(t, openURL(t, "log+file://"+path), "k", "v")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var w ltmtest.Warnings
	var once sync.Once
	s := openOnDamaged(t, func(p *proxy) {
		p.before = func(ctx context.Context, op string) error {
			if op != "put" {
				return nil
			}
			once.Do(func() {
				mark, err := p.Object.Get(ctx, "", &bytes.Buffer{})
				if err == nil {
					_, err = p.Object.Put(ctx, bytes.NewReader(good), int64(len(good)), mark)
				}
				if err != nil {
					t.Error(err)
				}
			})
			return nil
		}
	}, &w)
	want(t, s, "k", "v")
	if len(w.Texts) != 0 {
		t.Errorf("warnings: %q", w.Texts)
	}
}

// TestRenewingIsTriedAgain: a network may fail in any step of it.
func TestRenewingIsTriedAgain(t *testing.T) {
	t.Parallel()
	var w ltmtest.Warnings
	var failed sync.Map
	s := openOnDamaged(t, func(p *proxy) {
		p.before = func(_ context.Context, op string) error {
			if _, again := failed.LoadOrStore(op+fmt.Sprint(p.gets.Load()), true); !again && p.gets.Load() < 4 {
				return errors.New("no network")
			}
			return nil
		}
	}, &w)
	put(t, s, "k", "v")
	want(t, s, "k", "v")
	if len(w.Texts) != 1 {
		t.Errorf("warnings: %q", w.Texts)
	}
}

func TestACacheThatMayNotBeWrittenToStaysDamaged(t *testing.T) {
	t.Parallel()
	staysDamaged(t, object.ErrDenied)
}

// staysDamaged checks that a damaged cache of which no copy can be made is left
// alone at once.
func staysDamaged(t *testing.T, why error) {
	t.Helper()
	p := &proxy{Object: newMemory(t)}
	if _, err := p.Put(t.Context(), strings.NewReader(garbage), int64(len(garbage)), ""); err != nil {
		t.Fatal(err)
	}
	p.before = func(_ context.Context, op string) error {
		if op == "put" {
			return why
		}
		return nil
	}
	c, err := parse(logEngine(), mustParse(t, "log+mem://test/k"))
	if err != nil {
		t.Fatal(err)
	}
	c.options.Disposable = true
	if _, err := open(t.Context(), c, p, realClock()); !errors.Is(err, driver.ErrCorrupt) || !strings.Contains(err.Error(), "cannot be set aside") {
		t.Errorf("%v", err)
	}
	if n := p.puts.Load(); n != 2 {
		t.Errorf("it was tried %d times", n-1)
	}
}
