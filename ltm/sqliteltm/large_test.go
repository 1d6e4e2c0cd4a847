package sqliteltm_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/value"
)

const largeSize = 64 << 10 // from here on a value stands beside its row

// sized is a record of the user space whose value has size bytes.
func sized(size int) driver.Record {
	return driver.Record{
		Key:   driver.Key{Space: driver.User, Namespace: "n", Key: "k"},
		Value: bytes.Repeat([]byte{'x'}, size), Metadata: []byte(`{"a":1}`), Terms: "word", UpdatedAt: 1, ExpiresAt: 5,
	}
}

// beside returns what table large holds, and the bytes that stand in rows.
func beside(t *testing.T, path string) (rows, bytes, within int) {
	t.Helper()
	err := raw(t, path).QueryRow(`SELECT count(*), coalesce(sum(length(value)), 0),
		(SELECT coalesce(sum(length(value)), 0) FROM entries) FROM large`).Scan(&rows, &bytes, &within)
	if err != nil {
		t.Fatal(err)
	}
	return rows, bytes, within
}

func TestALargeValueStandsBesideItsRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := openURL(t, "sqlite://"+path).(*sqliteltm.Store)
	puts := map[string]func(driver.Record) error{
		"put": func(r driver.Record) error {
			_, err := s.Put(t.Context(), r, driver.Condition{})
			return err
		},
		"put on a revision": func(r driver.Record) error {
			old, err := s.Get(t.Context(), r.Key)
			if err == nil {
				_, err = s.Put(t.Context(), r, driver.Condition{Revision: old.Revision})
			}
			return err
		},
		"batch": func(r driver.Record) error {
			_, err := s.PutBatch(t.Context(), []driver.Record{r})
			return err
		},
	}
	for _, name := range []string{"put", "put on a revision", "batch"} {
		for _, size := range []int{0, 2 * largeSize, largeSize, largeSize - 1, largeSize + 1, 1} {
			if err := puts[name](sized(size)); err != nil {
				t.Fatal(name, size, err)
			}
			wantRows, wantBytes, wantWithin := 0, 0, size
			if size >= largeSize {
				wantRows, wantBytes, wantWithin = 1, size, 0
			}
			if rows, bytes, within := beside(t, path); rows != wantRows || bytes != wantBytes || within != wantWithin {
				t.Errorf("%s of %d bytes: %d rows of %d bytes beside, %d within", name, size, rows, bytes, within)
			}
			holds(t, s, size)
		}
	}
}

// holds checks that every way to read finds the value of size bytes.
func holds(t *testing.T, s *sqliteltm.Store, size int) {
	t.Helper()
	r, err := s.Get(t.Context(), sized(0).Key)
	records := []driver.Record{r}
	for _, keysOnly := range []bool{false, true} {
		q := driver.Query{Space: driver.User, Limit: 9, KeysOnly: keysOnly}
		found, errList := s.List(t.Context(), q)
		hits, errSearch := s.Search(t.Context(), q, []string{"word"})
		if err = errors.Join(err, errList, errSearch); err != nil || len(found) != 1 || len(hits) != 1 {
			t.Fatal(len(found), len(hits), err)
		}
		if keysOnly && (found[0].Size != int64(size) || hits[0].Size != int64(size)) {
			t.Errorf("of %d bytes lists tell %d and %d", size, found[0].Size, hits[0].Size)
		}
		if !keysOnly {
			records = append(records, found[0], hits[0].Record)
		}
	}
	many, errMany := s.GetBatch(t.Context(), []driver.Key{sized(0).Key})
	stats, errStats := s.Stats(t.Context(), driver.User)
	if err := errors.Join(errMany, errStats); err != nil || len(stats) != 1 || stats[0].Bytes != int64(size) {
		t.Errorf("of %d bytes the counts tell %v, %v", size, stats, err)
	}
	for i, r := range append(records, many[sized(0).Key]) {
		if !bytes.Equal(r.Value, sized(size).Value) || r.Size != int64(size) {
			t.Errorf("way %d: of %d bytes there are %d and %d", i, size, len(r.Value), r.Size)
		}
	}
}

func TestALargeValueGoesWithItsRow(t *testing.T) {
	t.Parallel()
	key := sized(0).Key
	for name, remove := range map[string]func(s *sqliteltm.Store) error{
		"delete": func(s *sqliteltm.Store) error {
			_, err := s.Delete(t.Context(), key, 0)
			return err
		},
		"batch": func(s *sqliteltm.Store) error {
			_, err := s.DeleteBatch(t.Context(), []driver.Ref{{Key: key}})
			return err
		},
		"expiry": func(s *sqliteltm.Store) error {
			_, err := s.DeleteExpired(t.Context(), driver.User, 5, 1)
			return err
		},
	} {
		path := filepath.Join(t.TempDir(), "a.db")
		s := openURL(t, "sqlite://"+path).(*sqliteltm.Store)
		_, err := s.Put(t.Context(), sized(largeSize), driver.Condition{})
		if err := errors.Join(err, remove(s)); err != nil {
			t.Fatal(err)
		}
		if rows, _, _ := beside(t, path); rows != 0 {
			t.Errorf("%s leaves %d values", name, rows)
		}
	}
}

func TestADamagedLargeValueIsNoticed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	m := openMemory(t, path)
	for _, damage := range []string{
		"DELETE FROM large",
		"UPDATE large SET id = id + 1",
		"UPDATE large SET value = substr(value, 2)",
		"UPDATE large SET value = CAST(substr(value, 1, 40000) || 'w' || substr(value, 40002) AS BLOB)",
		"UPDATE entries SET beside = beside + 1",
		"UPDATE entries SET beside = 0",
	} {
		if _, err := m.Put(t.Context(), "k", value.String(strings.Repeat("v", 2*largeSize)), nil); err != nil {
			t.Fatal(err)
		}
		exec1(t, raw(t, path), damage)
		if e, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrCorrupt) {
			t.Errorf("%s: Get returns %v, %v", damage, e, err)
		}
		if p, err := m.Search(t.Context(), ltm.Query{}); !errors.Is(err, ltm.ErrCorrupt) {
			t.Errorf("%s: Search returns %v, %v", damage, p, err)
		}
		exec1(t, raw(t, path), "DELETE FROM entries; DELETE FROM large")
	}
}

// older makes of a file what the version of that format would have left.
func older(t *testing.T, path string, format int) {
	t.Helper()
	steps := []string{"", "DROP INDEX entries_used", `
		UPDATE entries SET value = (SELECT value FROM large WHERE id = entries.id) WHERE beside > 0;
		DROP TRIGGER entry_overwritten; DROP TRIGGER entry_shrunk; DROP TRIGGER large_entry_deleted; DROP TABLE large;
		ALTER TABLE entries DROP COLUMN beside`, `
		DROP TRIGGER user_entry_put; DROP TRIGGER user_entry_changed; DROP TRIGGER user_entry_gone;
		DROP TABLE facets; DROP TABLE unindexed`}
	db := raw(t, path)
	for i := len(steps) - 1; i >= format; i-- {
		exec1(t, db, steps[i])
	}
	exec1(t, db, fmt.Sprint("PRAGMA user_version = ", format))
}

func TestAnOlderFormatIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	for _, format := range []int{1, 2, 3} {
		path := filepath.Join(t.TempDir(), "a.db")
		if err := putTen(path, "x"); err != nil {
			t.Fatal(err)
		}
		if _, err := openURL(t, "sqlite:"+path).Put(t.Context(), sized(largeSize), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
		older(t, path, format)
		m, err := builtin.Mux().Open(t.Context(), "sqlite:"+path+"?readonly=true", nil)
		if !errors.Is(err, ltm.ErrReadOnly) {
			t.Errorf("a file that is only read: %v, %v", m, err)
		}
		if _, err := openMemory(t, path).Get(t.Context(), "x 9"); err != nil {
			t.Error(err)
		}
		var n int
		err = raw(t, path).QueryRow("SELECT count(*) FROM sqlite_schema WHERE name IN ('entries_used', 'large', 'facets')").Scan(&n)
		if err != nil || n != 3 {
			t.Errorf("format %d: of the new tables and index there are %d, %v", format, n, err)
		}
	}
}

func TestAProgramOfTheVersionBeforeMayOverwriteALargeValue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := openURL(t, "sqlite:"+path).(*sqliteltm.Store)
	for _, size := range []int{1, 2 * largeSize} {
		if _, err := s.Put(t.Context(), sized(largeSize), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
		exec1(t, raw(t, path), "UPDATE entries SET value = ?", sized(size).Value) // as its puts do
		holds(t, s, size)
		if rows, _, _ := beside(t, path); rows != 0 {
			t.Errorf("%d bytes leave %d values beside", size, rows)
		}
	}
}

func TestALargeValueOfAnOlderFormatMovesWhenItIsPut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := openURL(t, "sqlite:"+path)
	if _, err := s.Put(t.Context(), sized(largeSize), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	older(t, path, 2)
	now := openURL(t, "sqlite:"+path).(*sqliteltm.Store)
	if rows, _, within := beside(t, path); rows != 0 || within != largeSize {
		t.Errorf("opening moved it: %d rows beside, %d bytes within", rows, within)
	}
	holds(t, now, largeSize)
	if _, err := now.Put(t.Context(), sized(largeSize+1), driver.Condition{}); err != nil {
		t.Fatal(err)
	}
	if rows, _, within := beside(t, path); rows != 1 || within != 0 {
		t.Errorf("a put leaves it: %d rows beside, %d bytes within", rows, within)
	}
	holds(t, now, largeSize+1)
}
