package libsqlltm_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

// record is one of the cache space with a value of 1 KB.
func record(i int) driver.Record {
	return driver.Record{
		Key:   driver.Key{Space: driver.Cache, Namespace: "bench", Key: fmt.Sprintf("k%07d", i)},
		Value: bytes.Repeat([]byte("v"), 1024), Metadata: fmt.Appendf(nil, `{"n":%d,"odd":%t}`, i, i%2 == 1), UpdatedAt: 1,
	}
}

// filled returns a store with n records, and as many words in the user space.
func filled(b *testing.B, n int) driver.Store {
	b.Helper()
	s := open(b, one(b))
	var records []driver.Record
	for i := range n {
		r := record(i)
		r.ExpiresAt = 1_000_000 + int64(i)
		records = append(records, r)
		r.Key.Space, r.Terms, r.ExpiresAt = driver.User, fmt.Sprint("some common words ", i%1000), 0
		if records = append(records, r); len(records) >= 1000 || i == n-1 {
			if _, err := s.(driver.BatchPutter).PutBatch(b.Context(), records); err != nil {
				b.Fatal(err)
			}
			records = records[:0]
		}
	}
	return s
}

func BenchmarkStore(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := filled(b, n)
			must := func(b *testing.B, err error) {
				if err != nil {
					b.Fatal(err)
				}
			}
			b.Run("get", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					_, err := s.Get(b.Context(), record(i*7%n).Key)
					must(b, err)
				}
			})
			b.Run("put", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					_, err := s.Put(b.Context(), record(i*7%n), driver.Condition{})
					must(b, err)
				}
			})
			b.Run("put user", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					r := record(i * 7 % n)
					r.Key.Space, r.Terms = driver.User, fmt.Sprint("some common words ", i%1000)
					_, err := s.Put(b.Context(), r, driver.Condition{})
					must(b, err)
				}
			})
			b.Run("get 16 at once", func(b *testing.B) {
				b.SetParallelism(8)
				b.RunParallel(func(pb *testing.PB) {
					for i := 0; pb.Next(); i++ {
						_, err := s.Get(b.Context(), record(i*7%n).Key)
						must(b, err)
					}
				})
			})
			b.Run("get batch of 100", func(b *testing.B) {
				keys := make([]driver.Key, 100)
				for i := range keys {
					keys[i] = record(i * 7).Key
				}
				for b.Loop() {
					got, err := s.(driver.BatchGetter).GetBatch(b.Context(), keys)
					must(b, err)
					if len(got) != len(keys) {
						b.Fatal(len(got))
					}
				}
			})
			b.Run("search", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					_, err := s.(driver.FullText).Search(b.Context(), driver.Query{Limit: 10}, []string{"words", fmt.Sprint(i % 1000)})
					must(b, err)
				}
			})
			b.Run("list 10", func(b *testing.B) {
				for b.Loop() {
					_, err := s.List(b.Context(), driver.Query{Space: driver.Cache, Prefix: "k00005", Limit: 10})
					must(b, err)
				}
			})
			b.Run("delete 5 expired", func(b *testing.B) {
				for round := 0; b.Loop(); round++ {
					b.StopTimer()
					var old []driver.Record
					for i := range 5 {
						r := record(n + 5*round + i)
						r.ExpiresAt = 2
						old = append(old, r)
					}
					_, err := s.(driver.BatchPutter).PutBatch(b.Context(), old)
					must(b, err)
					b.StartTimer()
					got, err := s.(driver.Expirer).DeleteExpired(b.Context(), driver.Cache, 10, 5)
					must(b, err)
					if got != 5 {
						b.Fatal(got)
					}
				}
			})
		})
	}
}
