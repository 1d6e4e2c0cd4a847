package firestoreltm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

func large(name string, size int) driver.Record {
	return driver.Record{
		Key: key(name), Value: []byte(strings.Repeat(name[:1], size)), Metadata: []byte(`{"name":"` + name + `"}`),
		Terms: "word of " + name, UpdatedAt: 1,
	}
}

func mustPut(t *testing.T, s driver.Store, r driver.Record) {
	t.Helper()
	if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
		t.Fatal(err)
	}
}

// A value that fits into no document is in parts, which are there as long as it.
func TestLargeValues(t *testing.T) {
	t.Parallel()
	addr := firestoreserver.Start(t)
	u := fresh(addr)
	s, c := open(t, u), raw(t, addr)
	const most = 9<<20 - 100
	for _, size := range []int{most, 1, 64 << 10, 768 << 10, 2 << 20} {
		r := large("a", size)
		mustPut(t, s, r)
		got, err := s.Get(t.Context(), r.Key)
		if err != nil || string(got.Value) != string(r.Value) || string(got.Metadata) != string(r.Metadata) || got.Size != int64(size) {
			t.Errorf("of %d bytes %d came back with %s, %v", size, len(got.Value), got.Metadata, err)
		}
		want := 0
		if size >= 64<<10 {
			want = (size + 22 + 768<<10) / (768 << 10)
		}
		if n := len(documents(t, c, u, "tea_parts")); n != want {
			t.Errorf("of %d bytes there are %d parts, want %d", size, n, want)
		}
	}
	mustPut(t, s, large("b", 100<<10))
	found, err := s.List(t.Context(), driver.Query{Limit: 9, Filters: []driver.Filter{{Path: []string{"name"}, Value: value.String("a")}}})
	if err != nil || len(found) != 1 || len(found[0].Value) != 2<<20 {
		t.Errorf("a filter finds %d, %v", len(found), err)
	}
	hits, err := driver.Search(t.Context(), s, driver.Query{Namespaces: []string{""}, Limit: 9, KeysOnly: true}, []string{"word", "b"})
	if err != nil || len(hits) != 1 || hits[0].Key != key("b") || hits[0].Value != nil {
		t.Errorf("a search finds %v, %v", hits, err)
	}
	if _, err := s.Put(t.Context(), large("c", 9<<20), driver.Condition{}); !errors.Is(err, driver.ErrFull) {
		t.Errorf("too large a record: %v", err)
	}
	if _, err := driver.DeleteBatch(t.Context(), s, []driver.Ref{{Key: key("a")}, {Key: key("b")}}); err != nil {
		t.Error(err)
	}
	if n := len(documents(t, c, u, "tea_parts")) + len(documents(t, c, u, "tea_user")); n != 0 {
		t.Errorf("%d documents are left", n)
	}
}

// Who reads a large value while it is replaced, deleted and put again gets one
// of them wholly.
func TestLargeValuesAreWhole(t *testing.T) {
	t.Parallel()
	u := fresh(firestoreserver.Start(t))
	s := open(t, u)
	mustPut(t, s, driver.Record{Key: key("k"), Value: []byte(strings.Repeat("0", 1<<20)), Metadata: []byte("{}"), UpdatedAt: 1})
	ctx, cancel := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		defer cancel()
		for i := range 20 {
			v := strings.Repeat(fmt.Sprint(i%10), 1<<20+i)
			mustPut(t, s, driver.Record{Key: key("k"), Value: []byte(v), Metadata: []byte("{}"), UpdatedAt: 1})
			if i%5 == 4 {
				if _, err := s.Delete(t.Context(), key("k"), 0); err != nil {
					t.Error(err)
				}
			}
		}
	})
	reader := open(t, u)
	for ctx.Err() == nil {
		r, err := reader.Get(t.Context(), key("k"))
		if errors.Is(err, driver.ErrNotFound) {
			continue
		}
		if err != nil || int64(len(r.Value)) != r.Size || strings.Count(string(r.Value), string(r.Value[:1])) != len(r.Value) {
			t.Fatalf("%d of %d bytes, %v", len(r.Value), r.Size, err)
		}
	}
	writing.Wait()
}

// What is too much for an index is found all the same.
func TestManyWordsAndValues(t *testing.T) {
	t.Parallel()
	s := open(t, fresh(firestoreserver.Start(t)))
	words, members := make([]string, 5000), make([]value.Member, 100)
	for i := range words {
		words[i] = fmt.Sprint("w", i)
	}
	for i := range members {
		members[i] = value.M(fmt.Sprint("m", i), value.Int(int64(i)))
	}
	mustPut(t, s, driver.Record{
		Key: key("k"), Metadata: value.Object(members...).AppendJSON(nil), Terms: strings.Join(words, " "), UpdatedAt: 1,
	})
	q := driver.Query{Namespaces: []string{""}, Limit: 5}
	if hits, err := driver.Search(t.Context(), s, q, []string{"w4999", "w1"}); err != nil || len(hits) != 1 {
		t.Errorf("words: %d, %v", len(hits), err)
	}
	q.Filters = []driver.Filter{{Path: []string{"m99"}, Value: value.Int(99)}}
	if found, err := s.List(t.Context(), q); err != nil || len(found) != 1 {
		t.Errorf("metadata: %d, %v", len(found), err)
	}
}

// Where a TTL policy takes a part of an expired record first, the record is gone;
// any other that lacks a part is corrupt, and not taken for a shorter one.
func TestMissingParts(t *testing.T) {
	t.Parallel()
	addr := firestoreserver.Start(t)
	u := fresh(addr)
	s := open(t, u)
	for name, want := range map[string]error{"expiring": driver.ErrNotFound, "lasting": driver.ErrCorrupt} {
		r := large(name, 1<<20)
		if want == driver.ErrNotFound { //nolint:errorlint // it is the very one
			r.ExpiresAt = 2
		}
		mustPut(t, s, r)
		removeParts(t, addr, u)
		if _, err := s.Get(t.Context(), r.Key); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		mustPut(t, s, r)
		if got, err := s.Get(t.Context(), r.Key); err != nil || len(got.Value) != 1<<20 {
			t.Errorf("%s, put again: %v", name, err)
		}
	}
}
