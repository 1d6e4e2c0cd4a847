package sqliteltm_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/ltmtest"
	"github.com/tea-agents/tea/value"
)

// openCache opens a store as the cache of a process does.
func openCache(t *testing.T, where string, w *ltmtest.Warnings) *ltm.Memory {
	t.Helper()
	m, err := builtin.Mux().Open(t.Context(), where, &ltm.Options{Disposable: true, Warn: w.Warn})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// asideOf returns the files that were set aside.
func asideOf(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + ".damaged-*Z")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Stores that are opened on their own are to each other what processes are.
func TestADamagedCacheOfManyProcessesIsReplacedOnce(t *testing.T) {
	t.Parallel()
	const processes = 6
	for name, change := range damages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := damage(t, change)
			where := "sqlite://" + path + "?synchronous=off&busy_timeout=1m"
			var w ltmtest.Warnings
			var wg sync.WaitGroup
			for i := range processes {
				wg.Go(func() {
					m, err := builtin.Mux().Open(t.Context(), where, &ltm.Options{Disposable: true, Warn: w.Warn})
					if err != nil {
						t.Error(err)
						return
					}
					if err := use(t, m); err != nil {
						t.Error(err)
					}
					if _, err := m.Put(t.Context(), fmt.Sprint("of ", i), value.Int(1), nil); err != nil {
						t.Error(err)
					}
					if err := m.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if aside := asideOf(t, path); len(aside) != 1 || len(w.Texts) != 1 {
				t.Errorf("set aside: %q, warnings: %q", aside, w.Texts)
			}
			m := openCache(t, where, &w)
			defer m.Close()
			for i := range processes {
				if _, err := m.Get(t.Context(), fmt.Sprint("of ", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// overwrite damages a file that may be open.
func overwrite(t *testing.T, path string, data []byte, from int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(data[from:], from); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file that is moved while it is open takes the log of the file that comes into
// its place with it when it is closed.
func TestADamagedCacheStaysWhereItIsWhileAnotherProcessHasItOpen(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*ltm.Options{
		"as its cache":  {Disposable: true},
		"to look at it": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			staysWhereItIs(t, o)
		})
	}
}

// staysWhereItIs damages a cache that another process has open in a way.
func staysWhereItIs(t *testing.T, o *ltm.Options) {
	t.Helper()
	path, data := filled(t)
	var w ltmtest.Warnings
	if err := openCache(t, path, &w).Close(); err != nil {
		t.Fatal(err)
	}
	other, err := builtin.Mux().Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.In(driver.Cache, "").Put(t.Context(), "other", value.Int(1), nil); err != nil {
		t.Fatal(err)
	}
	m := openCache(t, "sqlite://"+path+"?busy_timeout=20ms", &w)
	defer m.Close()
	overwrite(t, path, damages()["pages"](data), 4096)
	if err := use(t, m); !errors.Is(err, ltm.ErrCorrupt) || !strings.Contains(err.Error(), "other processes have it open") {
		t.Errorf("got %v", err)
	}
	if aside := asideOf(t, path); len(aside)+len(w.Texts) != 0 {
		t.Fatalf("set aside: %q, warnings: %q", aside, w.Texts)
	}
	_ = other.Close() // of a damaged file
	if err := use(t, m); err != nil {
		t.Errorf("once nobody else has it open: %v", err)
	}
	if aside := asideOf(t, path); len(aside) != 1 || len(w.Texts) != 1 {
		t.Errorf("set aside: %q, warnings: %q", aside, w.Texts)
	}
}

func TestACloseEndsTheWaitingToSetACacheAside(t *testing.T) {
	t.Parallel()
	path, data := filled(t)
	var w ltmtest.Warnings
	other := openCache(t, path, &w)
	defer other.Close()
	m := openCache(t, "sqlite://"+path+"?busy_timeout=1h", &w)
	overwrite(t, path, damages()["pages"](data), 4096)
	got := make(chan error)
	go func() { got <- use(t, m) }()
	for range 3 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-got; err == nil {
		t.Error("what waits for the file outlives its store")
	}
}
