package ltm_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// clock is a time that only the test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

func newClock() *clock { return &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func newMemory(t *testing.T) (*ltm.Memory, *clock) {
	t.Helper()
	c := newClock()
	m := ltm.New(memltm.New(), &ltm.Options{Now: c.now})
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, c
}

func put(t *testing.T, m *ltm.Memory, key string, v value.Value, o *ltm.PutOptions) bool {
	t.Helper()
	created, err := m.Put(t.Context(), key, v, o)
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func TestPutGetDelete(t *testing.T) {
	t.Parallel()
	m, c := newMemory(t)
	v := value.Must(map[string]any{"n": 1, "f": 1.0, "s": "x"})
	meta := value.Object(value.M("kind", value.String("note")))
	if !put(t, m, "k", v, &ltm.PutOptions{Metadata: meta, TTL: time.Minute}) {
		t.Error("the first Put did not create")
	}
	e, err := m.Get(t.Context(), "k")
	if err != nil || !value.Equal(e.Value, v) || !value.Equal(e.Metadata, meta) {
		t.Fatalf("got %v, %v", e, err)
	}
	if !e.CreatedAt.Equal(c.now()) || !e.ExpiresAt.Equal(c.now().Add(time.Minute)) {
		t.Errorf("created %v, expires %v", e.CreatedAt, e.ExpiresAt)
	}
	if e.Expired(c.now().Add(time.Minute-time.Millisecond)) || !e.Expired(c.now().Add(time.Minute)) {
		t.Error("it does not expire at the very instant")
	}
	c.advance(time.Second)
	if put(t, m, "k", value.Null(), nil) {
		t.Error("overwriting created")
	}
	again, err := m.Get(t.Context(), "k")
	if err != nil || !again.Value.IsNull() || !again.CreatedAt.Equal(e.CreatedAt) || again.Revision <= e.Revision {
		t.Errorf("got %+v, %v", again, err)
	}
	for _, want := range []bool{true, false} {
		if deleted, err := m.Delete(t.Context(), "k"); deleted != want || err != nil {
			t.Errorf("deleted %v, %v; want %v", deleted, err, want)
		}
	}
	if _, err := m.Get(t.Context(), "k"); !errors.Is(err, ltm.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	m, c := newMemory(t)
	put(t, m, "k", value.Int(1), &ltm.PutOptions{TTL: time.Second})
	if put(t, m, "k", value.Int(2), &ltm.PutOptions{IfAbsent: true}) {
		t.Error("IfAbsent stored over a live entry")
	}
	e, _ := m.Get(t.Context(), "k")
	if !value.Equal(e.Value, value.Int(1)) {
		t.Errorf("the value is %v", e.Value)
	}
	c.advance(time.Second)
	if !put(t, m, "k", value.Int(3), &ltm.PutOptions{IfAbsent: true}) {
		t.Error("IfAbsent refused to replace an expired entry")
	}
	if _, err := m.Put(t.Context(), "k", value.Int(4), &ltm.PutOptions{IfRevision: e.Revision}); !errors.Is(err, ltm.ErrConflict) {
		t.Errorf("an old revision: %v", err)
	}
}

func TestRepeatedSweepReachesEveryExpiredEntry(t *testing.T) {
	t.Parallel()
	m, c := newMemory(t)
	cache := m.In(driver.Cache, "a")
	for i := range 230 {
		put(t, cache, fmt.Sprintf("live%d", i), value.Int(int64(i)), &ltm.PutOptions{TTL: time.Hour})
	}
	for i := range 100 {
		put(t, m.In(driver.Cache, fmt.Sprint(i%3)), fmt.Sprintf("old%d", i), value.Null(), &ltm.PutOptions{TTL: time.Minute})
	}
	c.advance(time.Minute)
	for range 20 {
		if n, err := cache.DeleteExpired(t.Context(), 5); n != 5 || err != nil {
			t.Fatalf("deleted %d, %v", n, err)
		}
	}
	if n, err := cache.DeleteExpired(t.Context(), 5); n != 0 || err != nil {
		t.Fatalf("deleted %d, %v after all were gone", n, err)
	}
	stats, err := cache.Stats(t.Context())
	if err != nil || len(stats) != 1 || stats[0].Entries != 230 {
		t.Errorf("left is %v, %v", stats, err)
	}
}

func TestDeleteWhereIsExact(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t)
	for i := range 1500 {
		put(t, m, fmt.Sprintf("cache:extract:%d", i), value.Null(), nil)
	}
	put(t, m, "cache:other", value.Null(), nil)
	reported := map[string]bool{}
	n, err := m.DeleteWhere(t.Context(), ltm.Query{Glob: "cache:extract:*"}, func(e ltm.Entry) { reported[e.Key] = true })
	if n != 1500 || len(reported) != 1500 || err != nil {
		t.Errorf("deleted %d, reported %d, %v", n, len(reported), err)
	}
	if _, err := m.Get(t.Context(), "cache:other"); err != nil {
		t.Error(err)
	}
}

func TestInternalSpacesStayOutOfUserSearches(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t)
	put(t, m, "mine", value.String("word"), nil)
	put(t, m.In(driver.Cache, ""), "cached", value.String("word"), nil)
	for _, q := range []ltm.Query{{}, {AllNamespaces: true}, {Text: "word"}, {Glob: "*", IncludeExpired: true}} {
		p, err := m.Search(t.Context(), q)
		if err != nil || len(p.Entries) != 1 || p.Entries[0].Key != "mine" {
			t.Errorf("%+v finds %v, %v", q, p, err)
		}
	}
}

func TestInvalidCalls(t *testing.T) {
	t.Parallel()
	m, c := newMemory(t)
	put := func(m *ltm.Memory, key string, v value.Value, o *ltm.PutOptions) error {
		_, err := m.Put(t.Context(), key, v, o)
		return err
	}
	search := func(q ltm.Query) error {
		_, err := m.Search(t.Context(), q)
		return err
	}
	deep := value.Null()
	for range value.MaxDepth + 1 {
		deep = value.List(deep)
	}
	for name, err := range map[string]error{
		"empty key":       put(m, "", value.Null(), nil),
		"long key":        put(m, string(make([]byte, ltm.MaxKeyBytes+1)), value.Null(), nil),
		"broken key":      put(m, "\xff", value.Null(), nil),
		"star namespace":  put(m.In(driver.User, "*"), "k", value.Null(), nil),
		"secret":          put(m, "k", value.Secret("s"), nil),
		"too deep":        put(m, "k", deep, nil),
		"metadata kind":   put(m, "k", value.Null(), &ltm.PutOptions{Metadata: value.Int(1)}),
		"negative TTL":    put(m, "k", value.Null(), &ltm.PutOptions{TTL: -1}),
		"two expiries":    put(m, "k", value.Null(), &ltm.PutOptions{TTL: 1, ExpiresAt: c.now()}),
		"negative limit":  search(ltm.Query{Limit: -1}),
		"cursor":          search(ltm.Query{Cursor: "x"}),
		"no words":        search(ltm.Query{Text: "…"}),
		"text and order":  search(ltm.Query{Text: "a", Desc: true}),
		"filter sans key": search(ltm.Query{Metadata: []ltm.Filter{{}}}),
	} {
		if !errors.Is(err, ltm.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
