package postgresltm_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

func TestSizes(t *testing.T) {
	t.Parallel()
	s := openURL(t, fresh(pgserver.Start(t)))
	put := func(name string, change func(r *driver.Record)) driver.Record {
		t.Helper()
		r := driver.Record{Key: driver.Key{Key: name}, Value: []byte("v"), Metadata: []byte("{}"), UpdatedAt: 1}
		change(&r)
		if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := s.Get(t.Context(), r.Key)
		if err != nil || !bytes.Equal(got.Value, r.Value) || !bytes.Equal(got.Metadata, r.Metadata) {
			t.Errorf("%s: it comes back otherwise, %v", name, err)
		}
		return got
	}
	finds := func(what string, want int, f driver.Filter) {
		t.Helper()
		got, err := s.List(t.Context(), driver.Query{Limit: 10, Filters: []driver.Filter{f}})
		if err != nil || len(got) != want {
			t.Errorf("%s: %d found, %v; want %d", what, len(got), err, want)
		}
	}
	put("16 MiB", func(r *driver.Record) { r.Value = bytes.Repeat([]byte("0123456789abcdef"), 1<<20) })

	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	put("deep", func(r *driver.Record) { r.Metadata = []byte(deep(value.MaxDepth)) })
	path := make([]string, value.MaxDepth)
	for i := range path {
		path[i] = "a"
	}
	finds("deep", 1, driver.Filter{Path: path, Op: driver.Eq, Value: value.Int(1)})
	finds("too deep", 0, driver.Filter{Path: append(path, "a"), Op: driver.Exists})

	nines := strings.Repeat("9", 5000)
	for _, text := range []string{nines, "-" + nines, nines + "0"} {
		put("integer "+text[:2]+fmt.Sprint(len(text)), func(r *driver.Record) { r.Metadata = []byte(`{"n":` + text + `}`) })
	}
	n, err := value.Number(nines)
	if err != nil {
		t.Fatal(err)
	}
	finds("an equal integer", 1, driver.Filter{Path: []string{"n"}, Op: driver.Eq, Value: n})
	finds("a larger integer", 1, driver.Filter{Path: []string{"n"}, Op: driver.Gt, Value: n})
	finds("a smaller integer", 1, driver.Filter{Path: []string{"n"}, Op: driver.Lt, Value: n})
	finds("above 0", 2, driver.Filter{Path: []string{"n"}, Op: driver.Gt, Value: value.Int(0)})

	many := make([]value.Value, 1000)
	for i := range many {
		many[i] = value.Int(int64(i))
	}
	put("one of many", func(r *driver.Record) { r.Metadata = []byte(`{"m":999}`) })
	finds("one of many", 1, driver.Filter{Path: []string{"m"}, Op: driver.In, Value: value.List(many...)})
}

func TestTextsOfAnySize(t *testing.T) {
	t.Parallel()
	s := openURL(t, fresh(pgserver.Start(t)))
	long, other := strings.Repeat("w", 5000), strings.Repeat("w", 4999)+"v"
	var book strings.Builder // more words than a vector holds
	for i := range 300_000 {
		fmt.Fprintf(&book, "word%d ", i)
	}
	for key, terms := range map[string]string{
		"long word": long + " a", "other long word": other + " a", "book": book.String() + "a",
		"often": strings.TrimSpace(strings.Repeat("tea ", 50_000)), "nul": "x\x00y a", "quotes": `it's \ a`,
	} {
		r := driver.Record{Key: driver.Key{Key: key}, Metadata: []byte("{}"), UpdatedAt: 1, Terms: terms}
		if _, err := s.Put(t.Context(), r, driver.Condition{}); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	for _, c := range []struct {
		terms []string
		want  string
	}{
		{[]string{long}, "long word"},
		{[]string{other, "a"}, "other long word"},
		{[]string{"word299999"}, "book"},
		{[]string{"word0", "a", "word150000"}, "book"},
		{[]string{"word300000"}, ""},
		{[]string{"tea"}, "often"},
		{[]string{"x\x00y"}, "nul"},
		{[]string{"it's", `\`}, "quotes"},
	} {
		var got []string
		hits, err := s.Search(t.Context(), driver.Query{Limit: 10}, c.terms)
		for _, h := range hits {
			got = append(got, h.Key.Key)
		}
		if err != nil || strings.Join(got, ", ") != c.want {
			t.Errorf("%.40q: found %q, %v; want %q", c.terms, got, err, c.want)
		}
	}
	hits, err := s.Search(t.Context(), driver.Query{Limit: 10}, []string{"a"})
	if err != nil || len(hits) != 5 || hits[4].Key.Key != "book" || hits[4].Score <= 0 {
		t.Errorf("found %d, %v", len(hits), err)
	}
}
