package ltm_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/sqliteltm"
	"github.com/tea-agents/tea/value"
)

// basic is a store without any optional ability.
type basic struct{ driver.Store }

// eachStore runs a test on a memory over stores with few and with all abilities.
func eachStore(t *testing.T, f func(t *testing.T, m *ltm.Memory, c *clock)) {
	t.Helper()
	for name, open := range map[string]func() (driver.Store, error){
		"basic": func() (driver.Store, error) { return basic{memltm.New()}, nil },
		"mem":   func() (driver.Store, error) { return memltm.New(), nil },
		"sqlite": func() (driver.Store, error) {
			return sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: ":memory:"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := open()
			if err != nil {
				t.Fatal(err)
			}
			c := newClock()
			m := ltm.New(s, &ltm.Options{Now: c.now})
			t.Cleanup(func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
			f(t, m, c)
		})
	}
}

func search(t *testing.T, m *ltm.Memory, q ltm.Query) ltm.Page {
	t.Helper()
	p, err := m.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return p
}

func keys(p ltm.Page) string {
	var all []string
	for _, e := range p.Entries {
		all = append(all, e.Key)
	}
	return strings.Join(all, " ")
}

func TestTextSearch(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, m *ltm.Memory, _ *clock) {
		t.Helper()
		put(t, m, "likes", value.String("Anna likes GREEN tea, and tea only"), nil)
		put(t, m, "order-42", value.Must(map[string]any{"item": []any{"tea"}, "count": 7}), nil)
		put(t, m, "meta", value.Null(), &ltm.PutOptions{Metadata: value.Must(map[string]any{"tag": "Straße 日本語"})})
		for text, want := range map[string]string{
			"TEA": "likes order-42", "green anna": "likes", "42": "order-42", "7": "order-42", "item": "order-42",
			"straße": "meta", "本": "meta", "日語": "meta", "te": "", "coffee": "", "tag": "meta", "a' OR \"b": "",
		} {
			got := strings.Fields(keys(search(t, m, ltm.Query{Text: text})))
			if strings.Join(sorted(got), " ") != want {
				t.Errorf("%q finds %v, want %q", text, got, want)
			}
		}
		if p := search(t, m, ltm.Query{Text: "tea", Limit: 1}); p.Entries[0].Score <= 0 || p.Next == "" {
			t.Errorf("got %+v", p)
		}
	})
}

func sorted(list []string) []string {
	for i := range list {
		for j := i; j > 0 && list[j] < list[j-1]; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}

func TestCursorReachesEverythingOnce(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, m *ltm.Memory, c *clock) {
		t.Helper()
		for i := range 25 {
			put(t, m, fmt.Sprintf("k%02d", i), value.String("word"), nil)
			c.advance(time.Duration(i%2) * time.Millisecond)
		}
		for _, q := range []ltm.Query{
			{}, {Desc: true}, {Order: driver.ByUpdated, Desc: true}, {Text: "word"}, {KeysOnly: true},
		} {
			seen := map[string]int{}
			q.Limit = 5
			pages := 0
			for {
				p := search(t, m, q)
				pages++
				for _, e := range p.Entries {
					seen[e.Key]++
				}
				if q.Cursor = p.Next; p.Next == "" {
					break
				}
			}
			if len(seen) != 25 || pages != 5 {
				t.Errorf("%+v: %d keys on %d pages", q, len(seen), pages)
			}
		}
		p := search(t, m, ltm.Query{Limit: 1})
		if _, err := m.Search(t.Context(), ltm.Query{Prefix: "k", Cursor: p.Next}); !errors.Is(err, ltm.ErrInvalid) {
			t.Errorf("the cursor of another query: %v", err)
		}
	})
}

func TestSearchByMetadataAndExpiry(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, m *ltm.Memory, c *clock) {
		t.Helper()
		for i := range 6 {
			put(t, m, fmt.Sprint(i), value.Null(), &ltm.PutOptions{
				Metadata: value.Must(map[string]any{"n": i, "o": map[string]any{"even": i%2 == 0}}),
				TTL:      time.Duration(i) * time.Minute,
			})
		}
		c.advance(2 * time.Minute)
		even := []ltm.Filter{{Path: []string{"o", "even"}, Value: value.Bool(true)}}
		for want, q := range map[string]ltm.Query{
			"0 3 4 5":     {},
			"0 1 2 3 4 5": {IncludeExpired: true},
			"1 2":         {ExpiredBefore: c.now()},
			"1":           {ExpiredBefore: c.now(), Order: driver.ByExpiry, Limit: 1},
			"0 4":         {Metadata: even},
			"4":           {Metadata: append(even, ltm.Filter{Path: []string{"n"}, Op: ltm.Gt, Value: value.Int(0)})},
			"0 2 4":       {Metadata: even, IncludeExpired: true},
		} {
			if got := keys(search(t, m, q)); got != want {
				t.Errorf("%+v finds %q, want %q", q, got, want)
			}
		}
	})
}

func TestSweepsOnEveryStore(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, m *ltm.Memory, c *clock) {
		t.Helper()
		cache := m.In(driver.Cache, "a")
		for i := range 12 {
			put(t, cache.In(driver.Cache, fmt.Sprint(i%2)), fmt.Sprint("k", i), value.String("tea"), &ltm.PutOptions{
				TTL: time.Duration(12-i) * time.Minute})
			put(t, m, fmt.Sprint("k", i), value.String("tea"), nil)
		}
		stats, err := cache.Stats(t.Context())
		if err != nil || len(stats) != 2 || stats[1].Namespace != "1" || stats[1].Entries != 6 || stats[1].Bytes == 0 {
			t.Errorf("stats %+v, %v", stats, err)
		}
		c.advance(5 * time.Minute)
		for _, want := range []int{3, 2, 0} {
			if n, err := cache.DeleteExpired(t.Context(), 3); n != want || err != nil {
				t.Errorf("deleted %d, %v; want %d", n, err, want)
			}
		}
		n, err := cache.DeleteWhere(t.Context(), ltm.Query{AllNamespaces: true, Limit: 4}, nil)
		if n != 4 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
		n, err = cache.DeleteWhere(t.Context(), ltm.Query{Namespaces: []string{"0", "1"}}, nil)
		if n != 3 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
		var reported []string
		n, err = m.DeleteWhere(t.Context(), ltm.Query{Text: "tea"}, func(e ltm.Entry) { reported = append(reported, e.Key) })
		if n != 12 || len(reported) != 12 || err != nil {
			t.Errorf("deleted %d, reported %v, %v", n, reported, err)
		}
	})
}

func TestTouchOrdersByAccess(t *testing.T) {
	t.Parallel()
	m, c := newMemory(t)
	put(t, m, "a", value.Null(), nil)
	put(t, m, "b", value.Null(), nil)
	c.advance(time.Second)
	if err := m.Touch(t.Context(), "a", "gone"); err != nil {
		t.Fatal(err)
	}
	if got := keys(search(t, m, ltm.Query{Order: driver.ByAccessed})); got != "b a" {
		t.Errorf("got %q", got)
	}
}

func TestStoresWithoutAbilities(t *testing.T) {
	t.Parallel()
	m := ltm.New(basic{memltm.New()}, nil)
	if _, err := m.Revision(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Revision: %v", err)
	}
	if err := m.Touch(t.Context(), "k"); err != nil {
		t.Errorf("Touch: %v", err)
	}
}
