package duckdbltm_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/cmd/tea-duckdb/duckdbltm"
	"github.com/tea-agents/tea/ltm/bucketltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// damagedInMany damages copies of a file in many ways, and checks that each is
// said to be corrupt, by opening it or by reading all of it, and stays as it is.
func damagedInMany(t *testing.T, path string, at func(path string) string) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string][]byte{
		"text":     []byte(strings.Repeat("this is no database. ", 1000)),
		"cut":      whole[:len(whole)/2],
		"cut head": whole[:5000],
	}
	for i := 4096 * 3; i < len(whole); i += len(whole) / 20 {
		damages[fmt.Sprint("flipped ", i)] = flipped(whole, i)
	}
	noticed := 0
	for name, content := range damages {
		bad := filepath.Join(t.TempDir(), "bad.duckdb")
		if err := os.WriteFile(bad, content, 0o600); err != nil {
			t.Fatal(err)
		}
		err := readAll(t, at(bad))
		if err != nil && !errors.Is(err, driver.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			noticed++
		} else if !strings.HasPrefix(name, "flipped") { // which may be in a block that is not used
			t.Errorf("%s is not noticed", name)
		}
		if now, err := os.ReadFile(bad); err != nil || err == nil && noticed > 0 && !bytes.Equal(now, content) && !strings.HasPrefix(name, "flipped") {
			t.Errorf("%s: the file has changed, %v", name, err)
		}
	}
	if noticed < len(damages)/3 {
		t.Errorf("of %d damages %d were noticed", len(damages), noticed)
	}
}

func flipped(whole []byte, i int) []byte {
	bad := bytes.Clone(whole)
	for j := i; j < min(i+64, len(bad)); j++ {
		bad[j] ^= 0xff
	}
	return bad
}

func readAll(t *testing.T, raw string) error {
	t.Helper()
	s, err := openRaw(t.Context(), raw)
	if err != nil {
		return err
	}
	_, err = s.List(t.Context(), driver.Query{Limit: 1 << 20})
	return errors.Join(err, s.Close())
}

func TestADamagedFileIsSaidToBeAndStays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	s := openURL(t, "duckdb://"+path)
	for i := range 50 {
		if _, err := s.Put(t.Context(), record(fmt.Sprint(i), strings.Repeat(fmt.Sprint(i), 10_000)), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	damagedInMany(t, path, func(path string) string { return "duckdb://" + path })
}

// raw makes a file, or changes it, with SQL.
func raw(t *testing.T, path string, queries ...string) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range append([]string{"ATTACH '" + path + "' AS f"}, queries...) {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func TestFilesOfOthersAndOfTheFuture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.duckdb")
	raw(t, foreign, "CREATE TABLE f.entries (i INTEGER)")
	newer := filepath.Join(dir, "newer.duckdb")
	if err := openURL(t, "duckdb://"+newer).Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, newer, "UPDATE f.tea_store SET format = 99")
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		foreign: driver.ErrCorrupt, newer: driver.ErrNewer, folder: driver.ErrUnavailable,
		filepath.Join(newer, "x"): driver.ErrUnavailable,
	} {
		if err := readAll(t, "duckdb://"+path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if err := readAll(t, "duckdb://"+filepath.Join(dir, "none")+"?readonly=true"); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("a file that is not there: %v", err)
	}
	// A file with nothing in it becomes ours.
	empty := filepath.Join(dir, "empty.duckdb")
	raw(t, empty)
	if err := readAll(t, "duckdb://"+empty); err != nil {
		t.Error(err)
	}
}

func TestFilesArePrivateAndHaveAnyName(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "folder", "it's a # % \"name\".duckdb")
	s := openURL(t, "duckdb:"+strings.NewReplacer("%", "%25", "#", "%23").Replace(path))
	if _, err := s.Put(t.Context(), record("k", "v"), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + ".wal": 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %o", name, info, err, want)
		}
	}
}

// A cache in a bucket is begun anew where it is damaged, and not where it is of
// another program.
func TestADamagedCacheInABucketIsSetAside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.duckdb")
	u, err := url.Parse("duckdb+file://" + path)
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	open, err := duckdbltm.Engine().Opener(u, &bucketltm.Options{Disposable: true, Warn: func(text string) { warned = append(warned, text) }})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE t (a INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t.Context()); !errors.Is(err, driver.ErrForeign) || len(warned) != 0 {
		t.Errorf("of another program: %v, %q", err, warned)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database. ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), record("k", "v"), driver.Condition{}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if aside, _ := filepath.Glob(path + ".damaged-????????????????"); len(aside) != 1 || len(warned) != 1 {
		t.Errorf("set aside: %q, warnings: %q", aside, warned)
	}
	if found := keys(t, openURL(t, u.String())); !found["k"] {
		t.Errorf("there is %v", found)
	}
}
