package redisltm_test

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// restore makes what a program of format 1 left: three entries of the memory, k0
// to k2, and one of the cache. The file has a command a line, its words quoted.
func restore(t *testing.T, c *redis.Client) {
	t.Helper()
	text, err := os.ReadFile("testdata/format1.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var args []any
		for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				t.Fatal(err)
			}
			arg, _ := strconv.Unquote(quoted)
			args, line = append(args, arg), line[len(quoted):]
		}
		if err := c.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// found returns the keys that hold a word, through the fallback if need be.
func found(t *testing.T, s driver.Store, word string) string {
	t.Helper()
	page, err := ltm.New(s, nil).Search(t.Context(), ltm.Query{Text: word})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, e := range page.Entries {
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

func remember(t *testing.T, s driver.Store, key, text string) {
	t.Helper()
	if _, err := ltm.New(s, nil).Put(t.Context(), key, value.String(text), nil); err != nil {
		t.Fatal(err)
	}
}

// indexed tells whether a search goes by the index.
func indexed(t *testing.T, s driver.Store) bool {
	t.Helper()
	_, err := driver.Search(t.Context(), s, driver.Query{Limit: 1}, []string{"tea"})
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal(err)
	}
	return err == nil
}

func about(t *testing.T, c *redis.Client, field string) string {
	t.Helper()
	text, err := c.HGet(t.Context(), "{tea}:store", field).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	return text
}

func TestAnOldStoreIsSearchedWhole(t *testing.T) {
	t.Parallel()
	addr := start(t)
	c := raw(t, addr)
	restore(t, c)
	reader := open(t, "redis://"+addr+"?readonly=true")
	if got := found(t, reader, "tea"); got != "k0 k1" || indexed(t, reader) || about(t, c, "format") != "1" {
		t.Errorf("reading it: %q, format %s", got, about(t, c, "format"))
	}
	s := open(t, "redis://"+addr)
	if about(t, c, "format") != "2" {
		t.Errorf("it has format %s", about(t, c, "format"))
	}
	remember(t, s, "k3", "tea again")
	for _, s := range []driver.Store{s, reader} {
		if got := found(t, s, "tea"); got != "k0 k1 k3" || indexed(t, s) {
			t.Errorf("got %q", got)
		}
	}
	r, err := s.Get(t.Context(), driver.Key{Key: "k1"})
	if err != nil || r.AccessedAt != 1_700_000_099_000 || string(r.Metadata) != `{"n":1}` {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestAnOldStoreIsIndexedWhenAllOfItWasPutAgain(t *testing.T) {
	t.Parallel()
	addr := start(t)
	c := raw(t, addr)
	restore(t, c)
	// The counter is ahead of the clock, so the last old revision is the one noted.
	const last = "4503599627370496"
	c.HSet(t.Context(), "{tea}:store", "revision", last)
	c.HSet(t.Context(), rowOf("k2"), "h", "1700000003000 1700000003000 1700000003000 0 "+last+" 41")
	s, other := open(t, "redis://"+addr), open(t, "redis://"+addr)
	if got := about(t, c, "wordless"); got != last {
		t.Errorf("it is wordless up to %s", got)
	}
	remember(t, s, "k0", "green tea")
	remember(t, s, "k1", "black tea with milk")
	if err := driver.Touch(t.Context(), s, []driver.Key{{Key: "k2"}}, 1<<45); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, "tea"); got != "k0 k1" || indexed(t, s) {
		t.Errorf("got %q before the last", got)
	}
	if _, err := s.Delete(t.Context(), driver.Key{Key: "k2"}, 0); err != nil {
		t.Fatal(err)
	}
	reader := open(t, "redis://"+addr+"?readonly=true")
	if !indexed(t, reader) || about(t, c, "wordless") == "" {
		t.Error("a reader does not see that all have words, or notes it")
	}
	for _, s := range []driver.Store{s, other, reader} {
		if got := found(t, s, "tea"); got != "k0 k1" || !indexed(t, s) {
			t.Errorf("got %q", got)
		}
	}
	if about(t, c, "wordless") != "" {
		t.Error("nobody noted that all have words")
	}
}

func TestAFreshStoreIsIndexedAtOnce(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	if about(t, c, "wordless") != "" || !indexed(t, s) {
		t.Error("it is not")
	}
}

func TestWhatOldProgramsPutAfterAFlushIsFound(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	for i := range 2 { // the second time the old one was there with another space
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		restore(t, c)
		if i == 1 {
			put(t, s, driver.Record{Key: driver.Key{Space: driver.Cache, Key: "c"}})
		} else {
			remember(t, s, "k3", "tea again")
		}
		if got := found(t, s, "green"); got != "k0" || indexed(t, s) {
			t.Errorf("got %q", got)
		}
	}
}
