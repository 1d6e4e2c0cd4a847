package redisltm_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

func TestASearchFindsWhatTheReferenceDoes(t *testing.T) {
	t.Parallel()
	rounds := 1_000
	if drivertest.Soaking() {
		rounds = 40_000
	}
	p := newPair(t, 7)
	for now := int64(1); now < int64(rounds); now++ {
		p.change(t, now)
		terms := []string{p.word(), p.word()}[:1+p.dice.IntN(2)]
		if p.dice.IntN(20) == 0 {
			terms = []string{"word7"}
		}
		if err := p.differs(t.Context(), p.query(now), terms); err != nil {
			t.Fatalf("round %d: %v", now, err)
		}
	}
}

// teas puts records with the word tea, one of which has many others.
func (p *pair) teas(t *testing.T) {
	t.Helper()
	for key, terms := range map[string]string{
		"one": "tea green", "two": "tea", "none": "coffee", "many": strings.Join(manyWords(), " ") + " tea",
	} {
		r := driver.Record{Key: driver.Key{Key: key}, Metadata: []byte("{}"), UpdatedAt: 1, Terms: terms}
		put(t, p.store.Store, r)
		put(t, p.model.Store, r)
		p.model.terms[r.Key] = terms
	}
}

// words returns what the index has: for each word the keys of the records, none of
// which has a namespace.
func (p *pair) words(t *testing.T) map[string][]string {
	t.Helper()
	const prefix = "{tea}:1:word:0:\x00\x01"
	all := map[string][]string{}
	for _, name := range p.store.raw.Keys(t.Context(), "{tea}:1:word:*").Val() {
		keys := p.store.raw.HKeys(t.Context(), name).Val()
		slices.Sort(keys)
		all[strings.TrimPrefix(name, prefix)] = keys
	}
	return all
}

func wordKey(word string) string { return "{tea}:1:word:0:\x00\x01" + word }

func TestAnIndexThatSaysTooMuchIsNotBelieved(t *testing.T) {
	t.Parallel()
	p := newPair(t, 1)
	p.teas(t)
	for word := range p.words(t) {
		for _, key := range []string{"one", "two", "none", "many", "gone"} {
			if err := p.store.raw.HSet(t.Context(), wordKey(word), key, "").Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, terms := range [][]string{{"tea"}, {"green"}, {"coffee"}, {"green", "tea"}, {"none"}} {
		if err := p.differs(t.Context(), driver.Query{Limit: 2}, terms); err != nil {
			t.Error(err)
		}
	}
}

func TestAnIndexThatLeavesSomethingOutIsNoticed(t *testing.T) {
	t.Parallel()
	p := newPair(t, 1)
	p.teas(t)
	differs := func() (n int) {
		for _, word := range []string{"tea", "green", "coffee"} {
			if p.differs(t.Context(), driver.Query{Limit: 10}, []string{word}) != nil {
				n++
			}
		}
		return n
	}
	for word, keys := range p.words(t) {
		for _, key := range keys {
			if n := differs(); n != 0 {
				t.Errorf("%d of the searches are wrong", n)
			}
			if err := p.store.raw.HDel(t.Context(), wordKey(word), key).Err(); err != nil {
				t.Fatal(err)
			}
			if n := differs(); n != 1 {
				t.Errorf("%d of the searches miss %q under %q", n, key, word)
			}
			if err := p.store.raw.HSet(t.Context(), wordKey(word), key, "").Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRecordsOfTooManyWordsStandUnderNone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		key, terms, word string
		under            int
	}{
		{"k", strings.TrimPrefix(strings.Join(manyWords(), " "), "word0 "), "word1000", 1000},
		{"k", strings.Join(manyWords(), " "), "word1000", 1},
		{"k", strings.Repeat("tea ", 1<<16) + "milk", "milk", 1},
		{strings.Repeat("k", 64<<10), "three short words", "words", 3},
		{strings.Repeat("k", 64<<10), "no room for all these words", "words", 1},
	} {
		p := newPair(t, 1)
		put(t, p.store.Store, driver.Record{Key: driver.Key{Key: tc.key}, Terms: tc.terms})
		hits, err := driver.Search(t.Context(), p.store.Store, driver.Query{Limit: 9}, []string{tc.word})
		if err != nil || len(hits) != 1 || hits[0].Key.Key != tc.key {
			t.Errorf("%.40q is found %d times by %s, %v", tc.terms, len(hits), tc.word, err)
		}
		if all := p.words(t); len(all) != tc.under || (all[""] != nil) != (tc.under == 1) {
			t.Errorf("%.40q is under %d words, want %d", tc.terms, len(all), tc.under)
		}
	}
}

func TestWordsLeaveTheIndexWithTheirRecords(t *testing.T) {
	t.Parallel()
	p := newPair(t, 1)
	s, c := p.store.Store, p.store.raw
	has := func(want map[string][]string) {
		t.Helper()
		if got := p.words(t); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("the index has %v, want %v", got, want)
		}
	}
	p.teas(t)
	has(map[string][]string{"tea": {"one", "two"}, "green": {"one"}, "coffee": {"none"}, "": {"many"}})
	put(t, s, driver.Record{Key: driver.Key{Key: "one"}, Terms: "green milk"})
	put(t, s, driver.Record{Key: driver.Key{Key: "two"}})
	put(t, s, driver.Record{Key: driver.Key{Key: "many"}, Terms: "few"})
	has(map[string][]string{"green": {"one"}, "milk": {"one"}, "coffee": {"none"}, "few": {"many"}})
	put(t, s, driver.Record{Key: driver.Key{Key: "old"}, Terms: "few", UpdatedAt: 1, ExpiresAt: 5})
	if _, err := driver.DeleteExpired(t.Context(), s, driver.User, 9, 10); err != nil {
		t.Fatal(err)
	}
	vanish(t, c, "one") // and the words are swept
	if hits, err := driver.Search(t.Context(), s, driver.Query{Limit: 9}, []string{"milk"}); len(hits) != 0 || err != nil {
		t.Errorf("got %v, %v", hits, err)
	}
	has(map[string][]string{"coffee": {"none"}, "few": {"many"}})
	vanish(t, c, "none") // and the words are those of the next
	put(t, s, driver.Record{Key: driver.Key{Key: "none"}, Terms: "cocoa"})
	has(map[string][]string{"cocoa": {"none"}, "few": {"many"}})
	for _, key := range []string{"two", "none", "many"} {
		if _, err := s.Delete(t.Context(), driver.Key{Key: key}, 0); err != nil {
			t.Fatal(err)
		}
	}
	has(nil)
	if left := c.Keys(t.Context(), "{tea}:1:terms:*").Val(); len(left) != 0 {
		t.Errorf("the terms %q are left", left)
	}
}

func TestASearchInManyNamespaces(t *testing.T) {
	t.Parallel()
	s := open(t, "redis://"+start(t))
	var names []string
	for i := range 1100 {
		names = append(names, fmt.Sprint("n", i))
		put(t, s, driver.Record{Key: driver.Key{Namespace: names[i], Key: "k"}, Terms: "tea"})
	}
	for _, q := range []driver.Query{{}, {NamespacePrefix: "n"}, {Namespaces: names}, {Namespaces: names, NamespacePrefix: "n"}} {
		q.Limit = 2000
		hits, err := driver.Search(t.Context(), s, q, []string{"tea"})
		if err != nil || len(hits) != len(names) {
			t.Errorf("%d hits, %v", len(hits), err)
		}
	}
}

// commands returns how often the server ran a command, scripts included.
func commands(t *testing.T, c *redis.Client, name string) (n int) {
	t.Helper()
	_, rest, _ := strings.Cut(c.Info(t.Context(), "commandstats").Val(), "cmdstat_"+name+":calls=")
	_, _ = fmt.Sscan(strings.ReplaceAll(rest, ",", " "), &n) // 0 where it ran none
	return n
}

func TestASearchReadsOnlyWhereTheRarestWordIs(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	const n = 1500
	records := make([]driver.Record, n)
	for i := range records {
		records[i] = driver.Record{Key: driver.Key{Key: fmt.Sprintf("k%04d", i)}, Metadata: []byte("{}"), Terms: "tea"}
	}
	records[7].Terms = "green tea"
	if _, err := driver.PutBatch(t.Context(), s, records); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		q           driver.Query
		terms       []string
		found, read int
	}{
		{driver.Query{Limit: 2 * n}, []string{"tea"}, n, n},
		{driver.Query{Limit: 2 * n}, []string{"tea", "green"}, 1, 1},
		{driver.Query{Limit: 2 * n, Prefix: "k00"}, []string{"tea"}, 100, 100},
		{driver.Query{Limit: 2 * n}, []string{"tea", "coffee"}, 0, 0},
		{driver.Query{Limit: 2 * n, Namespaces: []string{"other"}}, []string{"tea"}, 0, 0},
	} {
		before := commands(t, c, "hmget")
		hits, err := driver.Search(t.Context(), s, tc.q, tc.terms)
		read := commands(t, c, "hmget") - before - 1 // one is about the store
		if err != nil || len(hits) != tc.found || read != tc.read {
			t.Errorf("%q in %+v: %d found and %d read, want %d and %d; %v", tc.terms, tc.q, len(hits), read, tc.found, tc.read, err)
		}
	}
}

func TestASearchReadsLargeRecordsInParts(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	for i := range 4 {
		put(t, s, driver.Record{Key: driver.Key{Key: fmt.Sprint(i)}, Value: make([]byte, 5<<20), Terms: "tea"})
	}
	before := commands(t, c, "evalsha")
	hits, err := driver.Search(t.Context(), s, driver.Query{Limit: 9, Namespaces: []string{""}}, []string{"tea"})
	scripts := commands(t, c, "evalsha") - before
	if err != nil || len(hits) != 4 || scripts < 2 || scripts > 3 { // one may be new to the server
		t.Errorf("%d hits by %d scripts, %v", len(hits), scripts, err)
	}
}
