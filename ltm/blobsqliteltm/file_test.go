package blobsqliteltm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

// ours returns a file of ours, and what makes a copy of it with other bytes at an
// offset.
func ours(t *testing.T) (whole []byte, edit func(at int, b ...byte) []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whole.db")
	put(t, openURL(t, "blob-sqlite+file://"+path), "k", strings.Repeat("v", 10_000))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return whole, func(at int, b ...byte) []byte {
		c := bytes.Clone(whole)
		copy(c[at:], b)
		return c
	}
}

// TestWhatIsNotOursStays opens what is damaged, foreign or newer, before and
// while a store uses it.
func TestWhatIsNotOursStays(t *testing.T) {
	t.Parallel()
	whole, edit := ours(t)
	for name, tt := range map[string]struct {
		content []byte
		want    error
	}{
		"nothing":         {nil, driver.ErrCorrupt},
		"text":            {bytes.Repeat([]byte("hello "), 100), driver.ErrCorrupt},
		"torn":            {whole[:len(whole)/2], driver.ErrCorrupt},
		"torn at a page":  {whole[:8192], driver.ErrCorrupt},
		"a damaged page":  {edit(4096, bytes.Repeat([]byte{0xff}, 4096)...), driver.ErrCorrupt},
		"another program": {edit(68, 1, 2, 3, 4), driver.ErrCorrupt},
		"a newer version": {edit(60, 0, 0, 9, 9), driver.ErrNewer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "k.db")
			raw := "blob-sqlite+file://" + path + "?max_staleness=0"
			write := func(b []byte) {
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(whole)
			s := openURL(t, raw)
			write(tt.content)
			if _, err := s.Get(t.Context(), key("k")); !errors.Is(err, tt.want) {
				t.Errorf("get: %v", err)
			}
			if _, err := s.Put(t.Context(), rec("k", "w"), driver.Condition{}); !errors.Is(err, tt.want) {
				t.Errorf("put: %v", err)
			}
			if _, err := Open(t.Context(), mustParse(t, raw)); !errors.Is(err, tt.want) {
				t.Errorf("open: %v", err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, tt.content) {
				t.Errorf("it was overwritten, %v", err)
			}
		})
	}
}

func TestObjectIsAPlainSQLiteFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "folder", "k.db")
	s := openURL(t, "blob-sqlite+file://"+path)
	put(t, s, "k", "v")
	h, err := readHeader(path)
	if err != nil || h.hasLog() || h.check() != nil {
		t.Errorf("%v, %v", h, err)
	}
	if err := withRaw(t.Context(), path, checkPages); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 { // it and its lock
		t.Errorf("%v, %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

// TestFilesOfOthersAreTaken begins with a file that sqliteltm wrote, with a
// write-ahead log.
func TestFilesOfOthersAreTaken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "k.db")
	l, err := openFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, l, "k", "v")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := openURL(t, "blob-sqlite+file://"+path)
	want(t, s, "k", "v")
	put(t, s, "k", "w")
	want(t, openURL(t, "blob-sqlite+file://"+path), "k", "w")
}

func TestURLs(t *testing.T) {
	t.Parallel()
	for raw, part := range map[string]string{
		"blob-sqlite+s3://bucket":                       "names no file",
		"blob-sqlite+s3://bucket/":                      "names no file",
		"blob-sqlite+s3:///k.db":                        "no bucket",
		"blob-sqlite+s3://u:p@bucket/k.db":              "credentials",
		"blob-sqlite+s3://bucket:80/k.db":               "port",
		"blob-sqlite+file://host/k.db":                  "no host",
		"blob-sqlite+s3://b/k.db?regoin=x":              `did you mean "region"?`,
		"blob-sqlite+file:///k.db?region=x":             "unknown parameter",
		"blob-sqlite+mem://b/k?max_staleness=soon":      "max_staleness",
		"blob-sqlite+mem://b/k?max_size=9GiB":           "max_size",
		"blob-sqlite+mem://b/k?timeout=0":               "timeout",
		"blob-sqlite+mem://b/k?readonly=perhaps":        "true or false",
		"blob-sqlite+mem://b/k?cache=":                  "a folder",
		"blob-sqlite+ftp://b/k":                         "unknown scheme",
		"blob-sqlite+az://b/k?storage_account=evil%2Fx": "account",
	} {
		_, err := Open(context.Background(), mustParse(t, raw))
		if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestMaxSize(t *testing.T) {
	t.Parallel()
	raw := "blob-sqlite+file://" + filepath.Join(t.TempDir(), "k.db")
	s := openURL(t, raw+"?max_size=288KiB")
	big := strings.Repeat("v", 100<<10)
	put(t, s, "a", big)
	var wg sync.WaitGroup
	var full atomic.Int64
	for i := range 4 {
		wg.Go(func() {
			_, err := s.Put(t.Context(), rec(fmt.Sprint("big", i), big), driver.Condition{})
			if errors.Is(err, driver.ErrFull) {
				full.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { put(t, s, fmt.Sprint("small", i), "v") })
	}
	wg.Wait()
	if full.Load() != 3 {
		t.Errorf("%d of 4 are too many", full.Load())
	}
	smaller := openURL(t, raw+"?max_size=1KiB")
	if ok, err := smaller.Delete(t.Context(), key("a"), 0); !ok || err != nil {
		t.Errorf("what makes room is refused: %v, %v", ok, err)
	}
	if _, err := smaller.Put(t.Context(), rec("b", big), driver.Condition{}); !errors.Is(err, driver.ErrFull) {
		t.Errorf("%v", err)
	}
}

func TestFileShrinks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "k.db")
	s := openURL(t, "blob-sqlite+file://"+path)
	put(t, s, "big", strings.Repeat("v", 4<<20))
	put(t, s, "small", "v")
	if _, err := s.Delete(t.Context(), key("big"), 0); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 200<<10 {
		t.Errorf("%v, %v", info, err)
	}
	want(t, openURL(t, "blob-sqlite+file://"+path), "small", "v")
}
