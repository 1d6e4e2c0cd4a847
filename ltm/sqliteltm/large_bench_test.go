package sqliteltm_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// largeRecord is a record whose value has size bytes, another one with each i.
// One in ten is of the group that the list by metadata asks for.
func largeRecord(i, size int) driver.Record {
	r := oneKB(fmt.Sprint("large", i%200))
	r.Value = bytes.Repeat(fmt.Appendf(nil, "%016d", i), size/16)
	r.Metadata = fmt.Appendf(nil, `{"group":%d}`, i%10)
	r.ExpiresAt = 1_000_000
	return r
}

// BenchmarkLarge tells what large values cost, and what the listing of keys and
// the small values beside them do.
func BenchmarkLarge(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20} {
		s := openURL(b, "sqlite://"+filepath.Join(b.TempDir(), "large.db"))
		for i := range 200 {
			mustPut(b, s, largeRecord(i, size))
			mustPut(b, s, oneKB(fmt.Sprint(i)))
		}
		for name, step := range largeSteps(s, size) {
			b.Run(fmt.Sprintf("size=%d/%s", size, name), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					if err := step(b, i); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// largeSteps returns what is measured, each the i-th time that it is done.
func largeSteps(s driver.Store, size int) map[string]func(b *testing.B, i int) error {
	list := func(b *testing.B, q driver.Query) error {
		b.Helper()
		q.Space, q.Limit = driver.Cache, 500
		_, err := s.List(b.Context(), q)
		return err
	}
	at := int64(1)
	return map[string]func(*testing.B, int) error{
		"get": func(b *testing.B, i int) error {
			b.Helper()
			_, err := s.Get(b.Context(), largeRecord(i, 0).Key)
			return err
		},
		"get small": func(b *testing.B, i int) error {
			b.Helper()
			_, err := s.Get(b.Context(), oneKB(fmt.Sprint(i%200)).Key)
			return err
		},
		"put over": func(b *testing.B, i int) error {
			b.Helper()
			mustPut(b, s, largeRecord(i, size))
			return nil
		},
		"touch": func(b *testing.B, i int) error {
			b.Helper()
			at++
			return driver.Touch(b.Context(), s, []driver.Key{largeRecord(i, 0).Key}, at)
		},
		"list keys": func(b *testing.B, _ int) error {
			b.Helper()
			return list(b, driver.Query{KeysOnly: true, Order: driver.ByAccessed})
		},
		"list keys by metadata": func(b *testing.B, _ int) error {
			b.Helper()
			return list(b, driver.Query{KeysOnly: true, Filters: []driver.Filter{
				{Path: []string{"group"}, Op: driver.Eq, Value: value.Int(3)}}})
		},
		"stats": func(b *testing.B, _ int) error {
			b.Helper()
			_, err := driver.CountStats(b.Context(), s, driver.Cache)
			return err
		},
		"delete expired": func(b *testing.B, i int) error {
			b.Helper()
			b.StopTimer()
			r := largeRecord(i, size)
			r.Key.Key, r.ExpiresAt = "expired", 2
			mustPut(b, s, r)
			b.StartTimer()
			n, err := driver.DeleteExpired(b.Context(), s, driver.Cache, 10, 5)
			if err == nil && n != 1 {
				err = fmt.Errorf("%d were deleted", n)
			}
			return err
		},
	}
}
