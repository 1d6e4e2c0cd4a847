package drivertest

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// Soaking tells whether the environment asks for everything in full: TEA_SOAK=1.
func Soaking() bool { return os.Getenv("TEA_SOAK") == "1" }

// Bench measures the store that open returns, a fresh and empty one at each
// call, among 1,000 and 100,000 records and, with TEA_SOAK=1, 1,000,000: get and
// put of 1 KB, a search by a word that one record in a thousand holds, a search
// by metadata, and DeleteExpired of five. Bench closes the stores.
func Bench(b *testing.B, open func(b *testing.B) driver.Store) {
	b.Helper()
	sizes := []int{1_000, 100_000}
	if Soaking() {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			s := open(b)
			defer func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			}()
			bench{s, n}.run(b)
		})
	}
}

// bench measures a store of n records.
type bench struct {
	driver.Store
	n int
}

func (x bench) run(b *testing.B) {
	b.Helper()
	x.fill(b)
	b.Run("get", x.get)
	b.Run("put", x.put)
	b.Run("search", x.search)
	b.Run("filter", x.filter)
	b.Run("common-filter", x.commonFilter)
	b.Run("put-metadata", x.putMetadata)
	b.Run("delete-expired", x.deleteExpired)
}

// numbered returns the i-th of the records that are there.
func (x bench) numbered(i int) driver.Record {
	r := rec(user(fmt.Sprintf("key-%09d", i)), "")
	r.Value = bytes.Repeat([]byte("v"), 200)
	r.Metadata = fmt.Appendf(nil, `{"group":%d,"kind":"note","n":%d}`, i%(x.n/10), i)
	r.Terms = fmt.Sprintf("some text of an agent number %d about %d", i%1000, i)
	if i%2 == 0 {
		r.ExpiresAt = now + int64(i)
	}
	return r
}

func (x bench) fill(b *testing.B) {
	b.Helper()
	part := make([]driver.Record, 0, 1000)
	for i := range x.n {
		part = append(part, x.numbered(i))
		if len(part) == cap(part) || i == x.n-1 {
			if _, err := driver.PutBatch(b.Context(), x.Store, part); err != nil {
				b.Fatal(err)
			}
			part = part[:0]
		}
	}
	for i := range 100 {
		x.mustPut(b, kilobyte(i))
	}
}

// kilobyte returns the i-th record of 1 KB.
func kilobyte(i int) driver.Record {
	r := rec(cached("bench", fmt.Sprint(i)), "")
	r.Value = bytes.Repeat([]byte("v"), 1024)
	return r
}

func (x bench) mustPut(b *testing.B, r driver.Record) {
	b.Helper()
	if _, err := x.Put(b.Context(), r, driver.Condition{}); err != nil {
		b.Fatal(err)
	}
}

func (x bench) get(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		if _, err := x.Get(b.Context(), kilobyte(i%100).Key); err != nil {
			b.Fatal(err)
		}
	}
}

func (x bench) put(b *testing.B) {
	for i := 100; b.Loop(); i++ {
		x.mustPut(b, kilobyte(i))
	}
}

func (x bench) search(b *testing.B) {
	q := driver.Query{Namespaces: []string{""}, Limit: 10}
	if _, err := driver.Search(b.Context(), x.Store, q, []string{"0"}); err != nil {
		b.Skip(err)
	}
	for i := 0; b.Loop(); i++ {
		hits, err := driver.Search(b.Context(), x.Store, q, []string{fmt.Sprint(i % 1000)})
		if err != nil || len(hits) == 0 {
			b.Fatal(len(hits), err)
		}
	}
}

func (x bench) filter(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		found, err := x.List(b.Context(), driver.Query{Namespaces: []string{""}, Limit: 10, Filters: []driver.Filter{
			{Path: []string{"group"}, Op: driver.Eq, Value: value.Int(int64(i % (x.n / 10)))}}})
		if err != nil || len(found) != 10 {
			b.Fatal(len(found), err)
		}
	}
}

// commonFilter asks for what every record has.
func (x bench) commonFilter(b *testing.B) {
	for b.Loop() {
		found, err := x.List(b.Context(), driver.Query{Namespaces: []string{""}, Limit: 10, Filters: []driver.Filter{
			{Path: []string{"kind"}, Op: driver.Eq, Value: value.String("note")}}})
		if err != nil || len(found) != 10 {
			b.Fatal(len(found), err)
		}
	}
}

// putMetadata puts records that have metadata and words.
func (x bench) putMetadata(b *testing.B) {
	for i := x.n; b.Loop(); i++ {
		x.mustPut(b, x.numbered(i))
	}
}

func (x bench) deleteExpired(b *testing.B) {
	for next := 0; b.Loop(); {
		b.StopTimer()
		for range 5 {
			x.mustPut(b, expiring(user(fmt.Sprint("old", next)), now-1))
			next++
		}
		b.StartTimer()
		if n, err := driver.DeleteExpired(b.Context(), x.Store, driver.User, now-1, 5); n != 5 || err != nil {
			b.Fatal(n, err)
		}
	}
}
