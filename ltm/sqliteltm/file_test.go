package sqliteltm_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// childFile names the file in which a child process of the tests puts records.
const childFile = "TEA_TEST_SQLITE_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := putTen(path, fmt.Sprint(os.Getpid())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if task := os.Getenv(childTask); task != "" {
		if err := childTasks()[task](os.Getenv(childArg)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func putTen(path, who string) (err error) {
	m, err := builtin.Mux().Open(context.Background(), path, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for i := range 10 {
		if _, err := m.Put(context.Background(), fmt.Sprint(who, " ", i), value.Int(int64(i)), nil); err != nil {
			return err
		}
	}
	return nil
}

func openMemory(t *testing.T, path string) *ltm.Memory {
	t.Helper()
	m, err := builtin.Mux().Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// raw opens the file beneath the store.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec1(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func TestManyProcessesOpenAFreshFileAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sub", "folder", "fresh.db")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childFile+"="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for i := range 3 {
		wg.Go(func() {
			if err := putTen(path, fmt.Sprint("own", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	stats, err := openMemory(t, path).Stats(t.Context())
	if err != nil || len(stats) != 1 || stats[0].Entries != 70 {
		t.Errorf("got %v, %v", stats, err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "folder", "a.db")
	m := openMemory(t, path)
	if _, err := m.Put(t.Context(), "k", value.Null(), nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %o", name, info.Mode(), err, want)
		}
	}
}

func TestEveryFlippedBitIsNoticed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m, err := builtin.Mux().Open(t.Context(), "sqlite:"+path+"?synchronous=off", &ltm.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	put := func() {
		_, err := m.Put(t.Context(), "key", value.Must(map[string]any{"a": 1}), &ltm.PutOptions{
			Metadata: value.Must(map[string]any{"m": "x"}), TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
	}
	db := raw(t, path)
	flip := func(what, expr string, args ...any) {
		t.Helper()
		put()
		exec1(t, db, "UPDATE entries SET "+expr, args...)
		p, err := m.Search(t.Context(), ltm.Query{IncludeExpired: true, AllNamespaces: true})
		if !errors.Is(err, ltm.ErrCorrupt) {
			t.Errorf("%s: Search returns %v, %v", what, p, err)
		}
		e, err := m.Get(t.Context(), "key")
		if !errors.Is(err, ltm.ErrCorrupt) && !errors.Is(err, ltm.ErrNotFound) {
			t.Errorf("%s: Get returns %v, %v", what, e, err)
		}
		exec1(t, db, "DELETE FROM entries")
	}
	for _, column := range []string{"created_at", "updated_at", "accessed_at", "expires_at", "revision", "guard"} {
		for bit := 0; bit < 42; bit += 3 {
			flip(column, fmt.Sprintf("%[1]s = (%[1]s | ?1) - (%[1]s & ?1)", column), int64(1)<<bit)
		}
	}
	for bit := range 42 {
		flip("beside", "beside = (beside | ?1) - (beside & ?1)", int64(1)<<bit)
	}
	flip("key", "key = 'kex'")
	flip("namespace", "namespace = 'x'")
	for _, column := range []string{"metadata", "value"} {
		put()
		var text []byte
		if err := db.QueryRow("SELECT " + column + " FROM entries").Scan(&text); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(text)*8; i += 3 { // meets every bit position and every byte
			bad := append([]byte(nil), text...)
			bad[i/8] ^= 1 << (i % 8)
			if column == "metadata" {
				flip(column, "metadata = CAST(? AS TEXT)", bad)
			} else {
				flip(column, "value = ?", bad)
			}
		}
	}
}

func TestFilesThatAreNotOurs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, make func(path string)) string {
		path := filepath.Join(dir, name)
		make(path)
		return path
	}
	text := write("text", func(path string) {
		if err := os.WriteFile(path, []byte(strings.Repeat("this is no database. ", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	foreign := write("foreign", func(path string) { exec1(t, raw(t, path), "CREATE TABLE t (a)") })
	newer := write("newer", func(path string) {
		if err := putTen(path, "x"); err != nil {
			t.Fatal(err)
		}
		exec1(t, raw(t, path), "PRAGMA user_version = 99")
	})
	for path, want := range map[string]error{
		text: ltm.ErrCorrupt, foreign: ltm.ErrCorrupt, newer: ltm.ErrNewer,
		dir: ltm.ErrUnavailable, filepath.Join(text, "below"): ltm.ErrUnavailable,
		"sqlite:" + filepath.Join(dir, "missing") + "?readonly=true": ltm.ErrUnavailable,
	} {
		before, _ := os.ReadFile(path)
		m, err := builtin.Mux().Open(t.Context(), path, nil)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, %v; want %v", path, m, err, want)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s was changed", path)
		}
	}
}

func TestTheLogStaysSmall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := openURL(t, "sqlite:"+path+"?synchronous=off")
	var longest int64
	for i := range 40 {
		batch := make([]driver.Record, 20)
		for j := range batch {
			batch[j] = oneKB(fmt.Sprint(i, j))
			batch[j].Value = make([]byte, 60_000)
		}
		if _, err := driver.PutBatch(t.Context(), s, batch); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, info.Size())
	}
	if longest < 8<<20 || longest > 20<<20 { // 48 MB were written
		t.Errorf("the log has up to %d bytes", longest)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	if err := putTen(path, "x"); err != nil {
		t.Fatal(err)
	}
	m := openMemory(t, "sqlite://"+path+"?readonly=1")
	if _, err := m.Get(t.Context(), "x 1"); err != nil {
		t.Error(err)
	}
	if _, err := m.Put(t.Context(), "k", value.Null(), nil); !errors.Is(err, ltm.ErrReadOnly) {
		t.Errorf("Put: %v", err)
	}
	if _, err := m.Delete(t.Context(), "x 1"); !errors.Is(err, ltm.ErrReadOnly) {
		t.Errorf("Delete: %v", err)
	}
}

func TestAWriterThatWaitsKeepsItsDeadline(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	m := openMemory(t, "sqlite://"+path+"?busy_timeout=1h")
	other := openMemory(t, "sqlite://"+path+"?busy_timeout=1ms")
	tx, err := raw(t, "file:"+path+"?_txlock=immediate").Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	for _, space := range []driver.Space{driver.User, driver.Cache} {
		if _, err := m.In(space, "").Put(ctx, "k", value.Null(), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", space, err)
		}
		if _, err := other.In(space, "").Put(t.Context(), "k", value.Null(), nil); !errors.Is(err, ltm.ErrUnavailable) {
			t.Errorf("%v: %v", space, err)
		}
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := other.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrNotFound) {
		t.Errorf("a reader is blocked: %v", err)
	}
}

func TestRevisionSeesOtherProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	a, b := openMemory(t, path), openMemory(t, path)
	before, err := a.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(t.Context(), "k", value.Null(), nil); err != nil {
		t.Fatal(err)
	}
	if after, err := a.Revision(t.Context()); err != nil || after == before {
		t.Errorf("revision %d, %v after %d", after, err, before)
	}
}

func TestBadURLs(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"sqlite:":                             "path is missing",
		"sqlite:a/":                           "folder",
		"sqlite://u:secret@h/a":               "no user",
		"sqlite:%zz":                          "invalid URL escape",
		"sqlite:a?synchronous=norml":          `did you mean "normal"?`,
		"sqlite:a?readonly=perhaps":           "not true or false",
		"sqlite:a?busy_timeout=-1s":           "not a duration",
		"sqlite:a?busytimeout=1":              `did you mean "busy_timeout"?`,
		"sqlite:a?readonly=1&readonly=1":      "2 times",
		"sqlite:a?readonly=x&busy_timeout=x":  "not a duration",
		"sqlte:a":                             `did you mean "sqlite"?`,
		"":                                    "empty",
		"redis://u:secret@host:port/0?a=b":    "cannot be read",
		"mysql://u:secret@host/0?password=pw": "known are ",
	} {
		_, err := builtin.Mux().Open(t.Context(), raw, nil)
		if !errors.Is(err, ltm.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", raw, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "pw")) {
			t.Errorf("%q shows a password: %v", raw, err)
		}
	}
}

//nolint:paralleltest // it changes the working directory
func TestURLForms(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for raw, file := range map[string]string{
		"a.db":                       "a.db",
		"./b.db":                     "b.db",
		"sqlite:c.db":                "c.db",
		"sqlite:sub/d.db":            "sub/d.db",
		"sqlite://e.db":              "e.db",
		"sqlite://sub/f.db":          "sub/f.db",
		"sqlite://" + dir + "/g.db":  "g.db",
		"sqlite:h%20h%3f.db":         "h h?.db",
		"i?i%20#&.db":                "i?i%20#&.db",
		"sqlite:j.db?busy_timeout=9": "j.db",
		"sqlite:ä'\".db":             "ä'\".db",
	} {
		m, err := builtin.Mux().Open(t.Context(), raw, nil)
		if err != nil {
			t.Errorf("%q: %v", raw, err)
			continue
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
	}
}
