package firestoreltm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

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

// Who reads a large value that is replaced between its document and its parts
// gets the new one wholly, and where it is deleted then none.
func TestLargeValuesAreWhole(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(driver.Store) error{
		"replaced": func(s driver.Store) error {
			_, err := s.Put(context.WithoutCancel(t.Context()), large("b", 1<<20), driver.Condition{})
			return err
		},
		"replaced by a smaller one": func(s driver.Store) error {
			_, err := s.Put(context.WithoutCancel(t.Context()), large("b", 10), driver.Condition{})
			return err
		},
		"deleted": func(s driver.Store) error {
			_, err := s.Delete(context.WithoutCancel(t.Context()), key("b"), 0)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spy := watch(t)
			u := fresh(spy.addr)
			reader, writer := open(t, u), open(t, strings.Replace(u, spy.addr, spy.upstream, 1))
			old := large("b", 1<<20)
			old.Value[0] = 'a'
			mustPut(t, writer, old)
			changed := false
			spy.answer(func(r any) error {
				if get, ok := r.(*pb.BatchGetDocumentsRequest); ok && !changed && strings.Contains(get.GetDocuments()[0], "/tea_parts/") {
					changed = true
					return change(writer)
				}
				return nil
			}, nil)
			got, err := reader.Get(t.Context(), key("b"))
			if name == "deleted" {
				if !errors.Is(err, driver.ErrNotFound) {
					t.Errorf("%d bytes, %v", len(got.Value), err)
				}
			} else if want, lost := writer.Get(t.Context(), key("b")); err != nil || lost != nil || got.Revision != want.Revision ||
				!bytes.Equal(got.Value, want.Value) || got.Size != int64(len(want.Value)) {
				t.Errorf("%d of %d bytes of revision %d, want %d, %v, %v", len(got.Value), got.Size, got.Revision, want.Revision, err, lost)
			}
			if !changed {
				t.Error("no part was read")
			}
		})
	}
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
