package firestoreltm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/testserver/firestoreserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// Lists reach all of more records than are read at once, also where an index
// finds too many, and where keys are equal as far as they are indexed.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	s := open(t, fresh(firestoreserver.Start(t)))
	long := strings.Repeat("k", 2000)
	var records []driver.Record
	for i := range 900 {
		name := fmt.Sprintf("key %03d", i)
		if i%3 == 0 {
			name = long + name
		}
		records = append(records, driver.Record{Key: key(name), Metadata: fmt.Appendf(nil, `{"odd":%t}`, i%2 == 1), UpdatedAt: int64(i % 7)})
	}
	if _, err := driver.PutBatch(t.Context(), s, records); err != nil {
		t.Fatal(err)
	}
	odd := []driver.Filter{{Path: []string{"odd"}, Value: value.Bool(true)}}
	for _, q := range []driver.Query{
		{}, {Desc: true}, {Order: driver.ByUpdated}, {Order: driver.ByCreated, Desc: true}, {Filters: odd},
		{Filters: odd, Order: driver.ByUpdated, Desc: true}, {Prefix: long}, {Prefix: long, Filters: odd, Desc: true, KeysOnly: true},
	} {
		q.Namespaces = []string{""}
		checkList(t, s, q, records)
	}
}

// checkList holds pages of a list against Query.Select.
func checkList(t *testing.T, s driver.Store, q driver.Query, records []driver.Record) {
	t.Helper()
	all := make([]*driver.Record, len(records))
	for i := range records {
		r := records[i]
		r.CreatedAt = r.UpdatedAt
		all[i] = &r
	}
	q.Limit = len(records)
	selected, err := q.Select(all)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, len(selected))
	for i, r := range selected {
		want[i] = r.Key.Key
	}
	for _, size := range []int{150, 1000} {
		got := []string{}
		q.After, q.Limit = nil, size
		for {
			page, err := s.List(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page {
				got = append(got, r.Key.Key)
			}
			if len(page) < size {
				break
			}
			last := q.Position(&page[size-1])
			q.After = &last
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.200v: pages of %d list %d records, want %d", q, size, len(got), len(want))
		}
	}
}
