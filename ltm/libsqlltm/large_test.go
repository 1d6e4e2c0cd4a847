package libsqlltm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

// random returns bytes that no two calls with different seeds share.
func random(seed uint64, n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b)
	return b
}

// Values of every size around the bounds, up to 16 MiB, come back as they went,
// by every way to read them.
func TestLargeValues(t *testing.T) {
	t.Parallel()
	s := open(t, one(t))
	sizes := []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 512 << 10, 512<<10 + 1, 4<<20 + 1, 16 << 20}
	var keys []driver.Key
	for i, n := range sizes {
		keys = append(keys, key(fmt.Sprint(i)))
		r := driver.Record{Key: keys[i], Value: random(uint64(i), n), Metadata: []byte("{}"), UpdatedAt: 1}
		if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
	check := func(how string, r driver.Record, i int) {
		if !bytes.Equal(r.Value, random(uint64(i), sizes[i])) || r.Size != int64(sizes[i]) {
			t.Errorf("%s returns %d bytes of %d, or others; the size is %d", how, len(r.Value), sizes[i], r.Size)
		}
	}
	for i := range sizes {
		r, err := s.Get(t.Context(), keys[i])
		if err != nil {
			t.Fatalf("%d bytes: %v", sizes[i], err)
		}
		check("Get", r, i)
	}
	listed, err := s.List(t.Context(), driver.Query{Limit: 100})
	if err != nil || len(listed) != len(sizes) {
		t.Fatalf("%d are listed: %v", len(listed), err)
	}
	got, err := s.(driver.BatchGetter).GetBatch(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sizes {
		check("List", listed[i], i)
		check("GetBatch", got[keys[i]], i)
	}
	for _, k := range keys[1:] { // their parts go with them
		if _, err := s.Delete(t.Context(), k, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// A list is whole however much more it is than one answer of the server: 18 MB
// of rows, where an answer has 10.
func TestLongLists(t *testing.T) {
	t.Parallel()
	s := open(t, one(t))
	const n = 300
	var records []driver.Record
	for i := range n {
		records = append(records, driver.Record{
			Key: key(fmt.Sprintf("k%03d", i)), Value: random(uint64(i), 60<<10), Terms: "word",
			Metadata: fmt.Appendf(nil, `{"n":%d}`, i), UpdatedAt: 1,
		})
	}
	if _, err := s.(driver.BatchPutter).PutBatch(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	check := func(how string, found []driver.Record, err error) {
		t.Helper()
		if err != nil || len(found) != n {
			t.Errorf("%s finds %d of %d: %v", how, len(found), n, err)
			return
		}
		for i := range found {
			if found[i].Key != records[i].Key || !bytes.Equal(found[i].Value, records[i].Value) {
				t.Errorf("%s finds %v at place %d", how, found[i].Key, i)
				return
			}
		}
	}
	found, err := s.List(t.Context(), driver.Query{Limit: 10_000})
	check("List", found, err)
	hits, err := s.(driver.FullText).Search(t.Context(), driver.Query{Limit: 10_000}, []string{"word"})
	found = nil
	for _, h := range hits {
		found = append(found, h.Record)
	}
	check("Search", found, err)
}

// A list by several requests sees one state, whatever happens between them: here
// each round of puts gives all records the same value.
func TestListIsOneState(t *testing.T) {
	t.Parallel()
	raw := one(t)
	s, other := open(t, raw), open(t, raw)
	const n = 4
	round := func(ctx context.Context, i byte) error {
		var records []driver.Record
		for k := range n {
			records = append(records, driver.Record{Key: key(fmt.Sprint(k)), Value: bytes.Repeat([]byte{i}, 70<<10), Metadata: []byte("{}"), UpdatedAt: 1})
		}
		_, err := other.(driver.BatchPutter).PutBatch(ctx, records)
		return err
	}
	if err := round(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := byte(1); ctx.Err() == nil; i++ {
			if err := round(ctx, i); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	for range 30 {
		found, err := s.List(t.Context(), driver.Query{Limit: 10})
		if err != nil || len(found) != n {
			t.Errorf("%d are listed: %v", len(found), err)
			break
		}
		for _, r := range found {
			if len(r.Value) != 70<<10 || r.Value[0] != found[0].Value[0] || r.Value[len(r.Value)-1] != r.Value[0] {
				t.Errorf("the list mixes rounds")
			}
		}
	}
	cancel()
	wg.Wait()
}

// Metadata that no row of the server can hold is too much, and changes nothing.
func TestTooMuchMetadata(t *testing.T) {
	t.Parallel()
	s := open(t, one(t))
	r := driver.Record{Key: key("k"), Metadata: []byte(`{"a":"` + strings.Repeat("x", 6_000_000) + `"}`), UpdatedAt: 1}
	if _, err := s.Put(t.Context(), r, driver.Condition{}); !errors.Is(err, driver.ErrFull) {
		t.Errorf("Put returns %v", err)
	}
	if _, err := s.Get(t.Context(), r.Key); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("Get returns %v", err)
	}
}
