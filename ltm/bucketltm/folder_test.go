package bucketltm

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tea-agents/tea/internal/blob/object"
)

// TestLocalCopyIsUsedAgain counts what is downloaded.
func TestLocalCopyIsUsedAgain(t *testing.T) {
	t.Parallel()
	cache, path := t.TempDir(), filepath.Join(t.TempDir(), "k.db")
	raw := "log+file://" + path + "?cache=" + cache
	c, err := parse(logEngine(), mustParse(t, raw))
	if err != nil {
		t.Fatal(err)
	}
	run := func(f func(s *Store)) (downloads int64) {
		t.Helper()
		file, err := object.Open(t.Context(), c.object, "")
		if err != nil {
			t.Fatal(err)
		}
		o := &counting{Object: file}
		s, err := open(t.Context(), c, o, realClock())
		if err != nil {
			t.Fatal(err)
		}
		f(s.(*Store))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		return o.bytes.Load()
	}
	run(func(s *Store) { put(t, s, "k", "v") })
	if n := run(func(s *Store) { want(t, s, "k", "v") }); n != 0 {
		t.Errorf("%d bytes were downloaded", n)
	}
	copies, err := filepath.Glob(filepath.Join(cache, "*", "*.db"))
	if err != nil || len(copies) != 1 {
		t.Fatalf("%v, %v", copies, err)
	}
	checkPrivate(t, cache)
	damaged, err := os.ReadFile(copies[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged[len(damaged)-1] ^= 1
	if err := os.WriteFile(copies[0], damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if n := run(func(s *Store) { want(t, s, "k", "v") }); n == 0 {
		t.Error("a damaged copy was used")
	}
	if n := run(func(s *Store) { want(t, s, "k", "v") }); n != 0 {
		t.Errorf("no whole copy took the place of the damaged one: %d bytes were downloaded", n)
	}
}

// checkPrivate checks that only the owner can read what is in a folder.
func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range entries {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
}

func TestFoldersOfTheDeadAreRemoved(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	raw := "log+mem://b/k?cache=" + cache
	s := openURL(t, raw)
	dead := filepath.Join(s.work.home, workPrefix+"dead")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dead, lockName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(s.work.home, workPrefix+"empty") // of one that died before it had a lock
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	openURL(t, raw)
	for _, dir := range []string{dead, empty} {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", dir, err)
		}
	}
	if _, err := os.Stat(s.work.work); err != nil {
		t.Errorf("that of the living is gone: %v", err)
	}
}

// TestFoldersOfTheLivingStay has stores opened at once: each one that opens looks
// for folders of the dead, while others are about to lock theirs.
func TestFoldersOfTheLivingStay(t *testing.T) {
	t.Parallel()
	c, err := parse(logEngine(), mustParse(t, "log+mem://b/k?cache="+t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				f, err := openFolder(c)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(f.file(), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := f.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestMissingObjectIsEmpty(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "k.db")
	s := openURL(t, "log+file://"+path+"?max_staleness=0")
	put(t, s, "k", "v")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s); n != 0 {
		t.Errorf("%d records", n)
	}
	put(t, s, "l", "v")
	if n := count(t, s); n != 1 {
		t.Errorf("%d records", n)
	}
}
