package sqliteltm_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/value"
)

// noted is a record of the user space with metadata.
func noted(namespace, key, metadata string) driver.Record {
	return driver.Record{
		Key: driver.Key{Space: driver.User, Namespace: namespace, Key: key}, Value: []byte("v"),
		Metadata: []byte(metadata), UpdatedAt: 1,
	}
}

// by is a query of one filter.
func by(op driver.Op, v value.Value, path ...string) driver.Query {
	return driver.Query{Limit: 100_000, KeysOnly: true, Filters: []driver.Filter{{Path: path, Op: op, Value: v}}}
}

// withoutIndex opens a file so that the index is not used, as in a file from before
// that is only read. It leaves others, who know that the index is whole, as they are.
func withoutIndex(t *testing.T, path string) driver.Store {
	t.Helper()
	exec1(t, raw(t, path), "INSERT INTO unindexed VALUES ('', '')")
	return openURL(t, "sqlite://"+path+"?readonly=true")
}

// metadata draws what an index may take for something else, or not take at all.
func metadata() *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{"1", "1.0", "true", "false", "0", "null", `"1"`, `"a"`, `"a\u0000"`, `"a\u0000b"`, `""`, "[1]", `{"a":1}`, `{"b":{"a":1}}`,
		`[{"a":1}]`, "9223372036854775807", "9223372036854775808", "0.1", "1e300", `"` + strings.Repeat("ä", 64) + `"`, `"` + strings.Repeat("ä", 65) + `"`,
		"[" + strings.Repeat("1,", 200) + "1]"})
	name := rapid.SampledFrom([]string{"a", "b", "A", "", "a.b", "$.a", "[0]", `a\"b`, "a\\u0000", strings.Repeat("k", 64), strings.Repeat("k", 65)})
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 20).Draw(t, "damaged") == 0 {
			return `{"a":1`
		}
		var members []string
		for _, key := range rapid.SliceOfNDistinct(name, 0, 4, rapid.ID[string]).Draw(t, "names") {
			members = append(members, fmt.Sprintf(`"%s":%s`, key, leaf.Draw(t, "leaf")))
		}
		slices.Sort(members)
		return "{" + strings.Join(members, ",") + "}"
	})
}

// filters draws conditions on such metadata.
func filters() *rapid.Generator[[]driver.Filter] {
	texts := []string{"1", "1.0", "true", "false", "0", "null", `"1"`, `"a"`, `"a\u0000"`, `""`, "[1]", `{"a":1}`,
		"9223372036854775807", "9223372036854775808", `"` + strings.Repeat("ä", 64) + `"`, `"` + strings.Repeat("ä", 65) + `"`}
	operand := rapid.Map(rapid.SampledFrom(texts), func(text string) value.Value {
		v, err := value.Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		return v
	})
	path := rapid.SampledFrom([][]string{{"a"}, {"a"}, {"a"}, {"a"}, {"a"}, {"b"}, {"A"}, {""}, {"a", "a"}, {"a", "b"}, {"b", "a"}, {"a", "b", "a"}, {"a.b"}, {"$.a"}, {"[0]"}, {`a"b`}, {"a\x00"},
		{strings.Repeat("k", 64)}, {strings.Repeat("k", 65)}})
	ops := []driver.Op{driver.Eq, driver.Eq, driver.In, driver.In, driver.Lt, driver.Ge, driver.Exists}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) driver.Filter {
		f := driver.Filter{Path: path.Draw(t, "path"), Op: rapid.SampledFrom(ops).Draw(t, "op"), Value: operand.Draw(t, "value")}
		if f.Op == driver.In {
			f.Value = value.List(rapid.SliceOfN(operand, 0, 4).Draw(t, "values")...)
		}
		return f
	}), 1, 2)
}

// TestTheIndexNeverLies changes a file in all ways there are, and holds that what
// is found by the index is what is found without it.
func TestTheIndexNeverLies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	with := openURL(t, "sqlite://"+path+"?synchronous=off").(*sqliteltm.Store)
	without, db := withoutIndex(t, path), raw(t, path)
	keys := []string{"k1", "k2", "k3", "k4", strings.Repeat("k", 990)}
	rapid.Check(t, func(t *rapid.T) {
		key := func() driver.Key {
			return driver.Key{Space: rapid.SampledFrom([]driver.Space{driver.User, driver.User, driver.Cache}).Draw(t, "space"),
				Namespace: rapid.SampledFrom([]string{"", "n", strings.Repeat("n", 20)}).Draw(t, "namespace"),
				Key:       rapid.SampledFrom(keys).Draw(t, "key")}
		}
		record := func() driver.Record {
			r := noted("", "", metadata().Draw(t, "metadata"))
			r.Key, r.UpdatedAt = key(), rapid.Int64Range(1, 9).Draw(t, "at")
			r.ExpiresAt = rapid.SampledFrom([]int64{0, 5, 50}).Draw(t, "expiry")
			return r
		}
		do := func(_ any, err error) {
			if err != nil && !errors.Is(err, driver.ErrConflict) {
				t.Fatal(err)
			}
		}
		actions := map[string]func(){
			"put":        func() { do(with.Put(t.Context(), record(), driver.Condition{})) },
			"put absent": func() { do(with.Put(t.Context(), record(), driver.Condition{Absent: true})) },
			"put batch":  func() { do(with.PutBatch(t.Context(), []driver.Record{record(), record(), record()})) },
			"delete":     func() { do(with.Delete(t.Context(), key(), 0)) },
			"expire":     func() { do(with.DeleteExpired(t.Context(), driver.User, 10, 1)) },
			"another program": func() {
				do(db.ExecContext(t.Context(), "UPDATE entries SET metadata = ? WHERE key = ?", metadata().Draw(t, "metadata"), key().Key))
			},
			"damage": func() {
				do(db.ExecContext(t.Context(), "UPDATE OR IGNORE entries SET namespace = ?, space = ? WHERE key = ?", key().Namespace, int64(key().Space), key().Key))
			},
		}
		ask := func() {
			q := driver.Query{Filters: filters().Draw(t, "filters"), Limit: rapid.IntRange(1, 20).Draw(t, "limit"),
				Order: driver.Order(rapid.IntRange(0, int(driver.ByExpiry)).Draw(t, "order")), Desc: rapid.Bool().Draw(t, "desc"),
				Namespaces: rapid.SampledFrom([][]string{nil, {""}, {"n"}, {"n", ""}}).Draw(t, "namespaces"),
				Prefix:     rapid.SampledFrom([]string{"", "", "k", "k1"}).Draw(t, "prefix"),
				LiveAt:     rapid.SampledFrom([]int64{0, 7}).Draw(t, "live")}
			agree(t, q, with, without)
		}
		do(db.ExecContext(t.Context(), "DELETE FROM entries"))
		do(with.PutBatch(t.Context(), []driver.Record{record(), record(), record(), record(), record(), record()}))
		names := slices.Sorted(maps.Keys(actions))
		for range rapid.IntRange(1, 6).Draw(t, "actions") {
			actions[rapid.SampledFrom(names).Draw(t, "action")]()
			ask()
		}
	})
}

// agree holds that two stores list the same, page by page.
func agree(t *rapid.T, q driver.Query, with, without driver.Store) {
	for range 3 {
		got, err := with.List(t.Context(), q)
		want, wantErr := without.List(t.Context(), q)
		equal := slices.EqualFunc(got, want, func(a, b driver.Record) bool {
			return a.Key == b.Key && a.Revision == b.Revision && bytes.Equal(a.Metadata, b.Metadata)
		})
		if !equal || errors.Is(err, driver.ErrCorrupt) != errors.Is(wantErr, driver.ErrCorrupt) {
			t.Fatalf("%+v:\ngot  %+v, %v\nwant %+v, %v", q, got, err, want, wantErr)
		}
		if err != nil || len(got) == 0 {
			return
		}
		last := q.Position(&got[len(got)-1])
		q.After = &last
	}
}

// TestTheIndexIsUsed holds that a filter reads candidates only: it does not see what
// the index does not have.
func TestTheIndexIsUsed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := openURL(t, "sqlite://"+path)
	long := strings.Repeat("k", 2000)
	for _, r := range []driver.Record{
		noted("n", "few", `{"a":{"b":"x"},"c":1}`), noted("n", "many", `{"a":{"b":"x"},"l":[`+strings.Repeat(`"y",`, 200)+`1]}`),
		noted("n", "damaged", `{`), noted("n", long, `{"a":{"b":"x"}}`),
	} {
		if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	q := by(driver.Eq, value.String("x"), "a", "b")
	if found, err := s.List(t.Context(), q); !errors.Is(err, driver.ErrCorrupt) {
		t.Errorf("it passes over what is damaged: %d, %v", len(found), err)
	}
	exec1(t, raw(t, path), "DELETE FROM entries WHERE key = 'damaged'")
	var rows, marks int
	if err := raw(t, path).QueryRow("SELECT count(*), sum(name = '') FROM facets").Scan(&rows, &marks); err != nil || rows != 4 || marks != 2 {
		t.Errorf("the index has %d rows, %d of them marks, %v", rows, marks, err)
	}
	if found, err := s.List(t.Context(), q); len(found) != 3 || err != nil {
		t.Errorf("it finds %d, %v", len(found), err)
	}
	exec1(t, raw(t, path), "DELETE FROM facets WHERE name = 'b'")
	if found, err := s.List(t.Context(), q); len(found) != 2 || err != nil {
		t.Errorf("without the index there are %d, %v", len(found), err)
	}
}

// TestAnOldFileGetsItsIndex holds that all entries get their facets when an old file
// is opened, and that nothing is missed as long as only some have them.
func TestAnOldFileGetsItsIndex(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	if err := openURL(t, "sqlite://"+path).Close(); err != nil {
		t.Fatal(err)
	}
	older(t, path, 3)
	db := raw(t, path)
	exec1(t, db, `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1799)
		INSERT INTO entries (space, namespace, key, created_at, updated_at, accessed_at, expires_at, writes, revision, guard, metadata, value)
		SELECT i % 3 = 2, 'n' || (i % 2), format('%04d', i), 1, 1, 1, 0, 1, i, i + 2, '{"a":' || (i % 100) || '}', x'' FROM n`)
	finds := func(s driver.Store, want int) {
		t.Helper()
		if found, err := s.List(t.Context(), by(driver.Eq, value.Int(7), "a")); len(found) != want || err != nil {
			t.Errorf("it finds %d, not %d; %v", len(found), want, err)
		}
	}
	whole := func() {
		t.Helper()
		var left, facets, users int
		err := db.QueryRow(`SELECT (SELECT count(*) FROM unindexed), (SELECT count(*) FROM facets),
			(SELECT count(*) FROM entries WHERE space = 0)`).Scan(&left, &facets, &users)
		if err != nil || left != 0 || facets != users {
			t.Errorf("%d entries have %d facets, %d places are left, %v", users, facets, left, err)
		}
	}
	first := openURL(t, "sqlite://"+path)
	whole()
	finds(first, 12)

	exec1(t, db, "DELETE FROM facets WHERE (namespace, key) >= ('n1', '0300')")
	exec1(t, db, "INSERT INTO unindexed VALUES ('n1', '0300')")
	reader := openURL(t, "sqlite://"+path+"?readonly=true")
	finds(reader, 12)
	for _, key := range []string{"0007", "1707"} { // one has its facets, one has not
		if _, err := first.Delete(t.Context(), driver.Key{Space: driver.User, Namespace: "n1", Key: key}, 0); err != nil {
			t.Error(err)
		}
	}
	for _, r := range []driver.Record{
		noted("n0", "0006", `{"a":7}`), noted("n1", "1701", `{"a":7}`), noted("n1", "1707", `{"a":8}`), noted("n2", "new", `{"a":7}`),
	} {
		if _, err := first.Put(t.Context(), r, driver.Condition{}); err != nil {
			t.Error(err)
		}
	}
	finds(reader, 13)
	finds(openURL(t, "sqlite://"+path), 13)
	whole()
	finds(first, 13)
	finds(reader, 13)
}

func TestOnlyAUsersMemoryHasFacets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	m := openMemory(t, path)
	meta := value.Must(map[string]any{"a": 1, "b": map[string]any{"a": true}, "c": nil, "d": []any{"x"}})
	for space, want := range map[driver.Space]int{driver.User: 1, driver.Cache: 0} {
		if _, err := m.In(space, "").Put(t.Context(), "k", value.Null(), &ltm.PutOptions{Metadata: meta}); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := raw(t, path).QueryRow("SELECT count(*) FROM facets WHERE name = 'a' OR name = 'x'").Scan(&n); err != nil || n != want {
			t.Errorf("%v: of its values %d are indexed, not %d, %v", space, n, want, err)
		}
		exec1(t, raw(t, path), "DELETE FROM entries")
		if err := raw(t, path).QueryRow("SELECT count(*) FROM facets").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d are left, %v", n, err)
		}
	}
}

func TestAnEntryWithTwoOfTheValuesIsFoundOnce(t *testing.T) {
	t.Parallel()
	s := openURL(t, "sqlite::memory:")
	for _, key := range []string{"k1", "k2", "k3"} {
		if _, err := s.Put(t.Context(), noted("n", key, `{"a":1,"b":{"a":"x"},"c":{"a":true}}`), driver.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	for order := driver.ByKey; order < driver.ByExpiry; order++ {
		q := by(driver.In, value.Must([]any{"x", 1, true}), "a")
		q.Order, q.Limit = order, 3
		found, err := s.List(t.Context(), q)
		if err != nil || len(found) != 3 || found[2].Key.Key != "k3" {
			t.Errorf("by %v it finds %v, %v", order, found, err)
		}
	}
}
