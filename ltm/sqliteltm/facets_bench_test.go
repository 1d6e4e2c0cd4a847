package sqliteltm_test

import (
	"fmt"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

// described is an entry of a user's memory with so many simple values in its metadata.
func described(key string, values, version int) driver.Record {
	r := oneKB(key)
	r.Key.Space, r.Key.Namespace, r.Terms = driver.User, "", "some words of an agent"
	meta := []byte("{")
	for i := range values {
		meta = fmt.Appendf(meta, `"name%02d":"value %d of %s",`, i, version, key)
	}
	r.Metadata = append(meta[:max(1, len(meta)-1)], '}')
	return r
}

// BenchmarkPutMetadata tells what the index of metadata costs those who put.
func BenchmarkPutMetadata(b *testing.B) {
	for _, values := range []int{0, 3, 10} {
		for name, put := range map[string]func(i int) driver.Record{
			"new":             func(i int) driver.Record { return described(fmt.Sprint(i), values, 0) },
			"again":           func(i int) driver.Record { return described(fmt.Sprint(i%100), values, 0) },
			"other over them": func(i int) driver.Record { return described(fmt.Sprint(i%100), values, i) },
		} {
			b.Run(fmt.Sprintf("values=%d/%s", values, name), func(b *testing.B) {
				s := benchStore(b)
				for i := 0; b.Loop(); i++ {
					mustPut(b, s, put(i))
				}
			})
		}
	}
}
