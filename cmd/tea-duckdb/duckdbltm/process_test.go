package duckdbltm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func keys(t *testing.T, s driver.Store) map[string]bool {
	t.Helper()
	records, err := s.List(t.Context(), driver.Query{Limit: 1 << 30, KeysOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, r := range records {
		found[r.Key.Key] = true
	}
	return found
}

func TestProcessesTakeTurnsAndLoseNothing(t *testing.T) {
	t.Parallel()
	where := "duckdb://" + filepath.Join(t.TempDir(), "sub", "folder", "a.duckdb") + "?busy_timeout=1m&threads=1"
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { runChild(t, child(t, "put", where)) })
	}
	own := openURL(t, where)
	for i := range 40 {
		if _, err := own.Put(t.Context(), record(fmt.Sprint("own ", i), "v"), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	if n := len(keys(t, own)); n != 120 {
		t.Errorf("%d of 120 are there", n)
	}
}

func TestAFileThatIsHeldIsSaidToBe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	s := openURL(t, "duckdb://"+path+"?busy_timeout=50ms")
	end := held(t, path)
	_, err := s.Get(t.Context(), driver.Key{Key: "k"})
	if !errors.Is(err, driver.ErrUnavailable) || !strings.Contains(err.Error(), "lock") {
		t.Errorf("Get returns %v", err)
	}
	end()
	if _, err := s.Get(t.Context(), driver.Key{Key: "k"}); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("Get after that returns %v", err)
	}
}

// Whoever wants to read only may do so while others read.
func TestReadersShareAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	s := openURL(t, "duckdb://"+path)
	if _, err := s.Put(t.Context(), record("k", "v"), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	end := held(t, path+" READ_ONLY")
	defer end()
	r := openURL(t, "duckdb://"+path+"?readonly=true&busy_timeout=50ms")
	if _, err := r.Get(t.Context(), driver.Key{Key: "k"}); err != nil {
		t.Error(err)
	}
	if _, err := r.Put(t.Context(), record("k", "v"), driver.Condition{}); !errors.Is(err, driver.ErrReadOnly) {
		t.Errorf("Put returns %v", err)
	}
}

// A store that writes and one that reads share the file in one process.
func TestAReaderAndAWriterOfOneProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	if err := openURL(t, "duckdb://"+path).Close(); err != nil {
		t.Fatal(err)
	}
	r := openURL(t, "duckdb://"+path+"?readonly=true")
	w := openURL(t, "duckdb://"+path+"?threads=3")
	for i := range 3 {
		if _, err := w.Put(t.Context(), record("k", fmt.Sprint(i)), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
		got, err := r.Get(t.Context(), driver.Key{Key: "k"})
		if err != nil || string(got.Value) != fmt.Sprint(i) {
			t.Fatalf("got %q, %v", got.Value, err)
		}
	}
}

// often returns how many times to do something: all with TEA_SOAK=1, a twentieth
// without.
func often(all int) int {
	if drivertest.Soaking() {
		return all
	}
	return all / 20
}

func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	where := "duckdb://" + filepath.Join(t.TempDir(), "a.duckdb") + "?busy_timeout=1m&threads=1"
	s := openURL(t, where)
	acknowledged := 0
	for round := range often(1000) {
		keysOf := killed(t, where, time.Duration(rand.IntN(200))*time.Millisecond)
		acknowledged += len(keysOf)
		there := keys(t, s)
		for _, key := range keysOf {
			if !there[key] {
				t.Fatalf("round %d: %q was acknowledged and is lost", round, key)
			}
		}
		if round%20 == 19 { // or it would grow to gigabytes
			deleteAll(t, s)
		}
	}
	t.Logf("%d kills, %d acknowledged puts", often(1000), acknowledged)
}

func deleteAll(t *testing.T, s driver.Store) {
	t.Helper()
	if _, err := driver.DeleteListed(t.Context(), s, driver.Query{}, 1<<30); err != nil {
		t.Fatal(err)
	}
}

// The calls of a store that is closed while it waits for the file end at once.
func TestCloseEndsTheWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	s := openURL(t, "duckdb://"+path+"?busy_timeout=1h")
	end := held(t, path)
	defer end()
	got := make(chan error)
	go func() {
		_, err := s.Get(context.Background(), driver.Key{Key: "k"})
		got <- err
	}()
	time.Sleep(20 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-got; !errors.Is(err, driver.ErrClosed) {
		t.Errorf("Get returns %v", err)
	}
}
