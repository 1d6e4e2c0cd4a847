package sqliteltm_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/value"
)

// filled makes a file of many pages and returns it.
func filled(t *testing.T) (path string, data []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.db")
	m, err := builtin.Mux().Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if _, err := m.In(driver.Cache, "").Put(t.Context(), fmt.Sprint(i), value.String(strings.Repeat("v", 500)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

// damages are ways in which a file is damaged.
func damages() map[string]func(data []byte) []byte {
	overwrite := func(from, to int) func([]byte) []byte {
		return func(data []byte) []byte {
			copy(data[from:to], bytes.Repeat([]byte{0xa5}, to-from))
			return data
		}
	}
	return map[string]func([]byte) []byte{
		"no database":  func([]byte) []byte { return bytes.Repeat([]byte("nonsense"), 1000) },
		"header":       overwrite(0, 100),
		"schema":       overwrite(100, 4096),
		"pages":        func(data []byte) []byte { return overwrite(4096, len(data))(data) },
		"cut in half":  func(data []byte) []byte { return data[:len(data)/2/4096*4096] },
		"cut at a bit": func(data []byte) []byte { return data[:5000] },
	}
}

func damage(t *testing.T, change func([]byte) []byte) (path string, data []byte) {
	t.Helper()
	path, data = filled(t)
	data = change(data)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, data
}

// use does with a store what a cache does, and returns the first error.
func use(t *testing.T, m *ltm.Memory) error {
	t.Helper()
	m = m.In(driver.Cache, "")
	for i := range 200 {
		if _, err := m.Get(t.Context(), fmt.Sprint(i)); err != nil && !errors.Is(err, ltm.ErrNotFound) {
			return err
		}
	}
	if _, err := m.Put(t.Context(), "new", value.Int(1), nil); err != nil {
		return err
	}
	_, err := m.Search(t.Context(), ltm.Query{Limit: 500})
	return err
}

func TestADamagedMemoryIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	for name, change := range damages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, before := damage(t, change)
			m, err := builtin.Mux().Open(t.Context(), path, nil)
			if err == nil {
				err = use(t, m)
				m.Close()
			}
			if !errors.Is(err, ltm.ErrCorrupt) || !strings.Contains(err.Error(), ".recover") {
				t.Errorf("got %v", err)
			}
			after, err := os.ReadFile(path)
			if err != nil || len(after) < len(before) {
				t.Errorf("of %d bytes %d are left, %v", len(before), len(after), err)
			}
		})
	}
}

func TestADamagedCacheIsSetAsideAndBegunAnew(t *testing.T) {
	t.Parallel()
	for name, change := range damages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, before := damage(t, change)
			var w ltmtest.Warnings
			for range 2 { // the second time it is sound
				m, err := builtin.Mux().Open(t.Context(), path, &ltm.Options{Disposable: true, Warn: w.Warn})
				if err != nil {
					t.Fatal(err)
				}
				if err := use(t, m); err != nil {
					t.Error(err)
				}
				if e, err := m.In(driver.Cache, "").Get(t.Context(), "new"); err != nil || e.Value.Text() != "" {
					t.Errorf("what was put is not there: %v", err)
				}
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			}
			if len(w.Texts) != 1 || !strings.Contains(w.Texts[0], "set aside as "+path+".damaged-") {
				t.Errorf("warnings: %q", w.Texts)
			}
			aside, _ := filepath.Glob(path + ".damaged-*Z")
			if len(aside) != 1 {
				t.Fatalf("set aside: %q", aside)
			}
			if after, err := os.ReadFile(aside[0]); err != nil || len(after) != len(before) {
				t.Errorf("of %d bytes %d are left, %v", len(before), len(after), err)
			}
		})
	}
}

func TestAFileOfAnotherProgramIsNeverSetAside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	exec1(t, raw(t, path), "CREATE TABLE t (a)")
	m, err := builtin.Mux().Open(t.Context(), path, &ltm.Options{Disposable: true})
	if !errors.Is(err, ltm.ErrCorrupt) {
		t.Errorf("got %v, %v", m, err)
	}
	if names, _ := filepath.Glob(path + ".damaged-*"); len(names) != 0 {
		t.Errorf("there is %q", names)
	}
}

func TestADamagedCacheOfManyUsersIsReplacedOnce(t *testing.T) {
	t.Parallel()
	path, _ := damage(t, damages()["pages"])
	var w ltmtest.Warnings
	m, err := builtin.Mux().Open(t.Context(), path, &ltm.Options{Disposable: true, Warn: w.Warn})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := use(t, m); err != nil && !errors.Is(err, ltm.ErrClosed) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(w.Texts) != 1 {
		t.Errorf("warnings: %q", w.Texts)
	}
}

func TestADisposableStoreConforms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var n int
	var mu sync.Mutex
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		mu.Lock()
		n++
		u := &url.URL{Scheme: "sqlite", Path: filepath.Join(dir, fmt.Sprint(n)), RawQuery: "synchronous=off"}
		mu.Unlock()
		open, err := sqliteltm.Opener(u, &sqliteltm.Options{Disposable: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, drivertest.Options{Checks: 10_000})
}
