package sqliteltm_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

// BenchmarkLarge tells what large values cost, and what the listing of keys and
// the small values beside them do.
func BenchmarkLarge(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		s := openURL(b, "sqlite://"+filepath.Join(b.TempDir(), "large.db"))
		large := func(i int) driver.Record {
			r := oneKB(fmt.Sprint("large", i%200))
			r.Value = bytes.Repeat([]byte("0123456789abcdef"), size/16)
			return r
		}
		for i := range 200 {
			mustPut(b, s, large(i))
			mustPut(b, s, oneKB(fmt.Sprint(i)))
		}
		get := func(key func(i int) driver.Record) func(*testing.B) {
			return func(b *testing.B) {
				b.Helper()
				for i := 0; b.Loop(); i++ {
					if _, err := s.Get(b.Context(), key(i).Key); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		b.Run(fmt.Sprintf("size=%d/get", size), get(large))
		b.Run(fmt.Sprintf("size=%d/get small", size), get(func(i int) driver.Record { return oneKB(fmt.Sprint(i % 200)) }))
		b.Run(fmt.Sprintf("size=%d/put", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				mustPut(b, s, large(i))
			}
		})
		b.Run(fmt.Sprintf("size=%d/list keys", size), func(b *testing.B) {
			q := driver.Query{Space: driver.Cache, KeysOnly: true, Order: driver.ByAccessed, Limit: 500}
			for b.Loop() {
				if _, err := s.List(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
