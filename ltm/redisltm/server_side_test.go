package redisltm_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/redisltm"
	"github.com/tea-agents/tea/value"
)

func put(tb testing.TB, s driver.Store, r driver.Record) {
	tb.Helper()
	if r.Metadata == nil {
		r.Metadata = []byte("{}")
	}
	if _, err := s.Put(tb.Context(), r, driver.Condition{}); err != nil {
		tb.Fatal(err)
	}
}

func keysOf(tb testing.TB, s driver.Store, q driver.Query) []string {
	tb.Helper()
	q.Limit = max(q.Limit, 1000)
	found, err := s.List(tb.Context(), q)
	if err != nil {
		tb.Fatal(err)
	}
	keys := []string{}
	for _, r := range found {
		keys = append(keys, r.Key.Key)
	}
	return keys
}

// rowOf returns the name of the row of a key of the user space.
func rowOf(key string) string { return "{tea}:1:row:0:\x00\x01" + key }

const index = "{tea}:1:index:0"

func TestTheServerKeepsRowsAnHourLonger(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	const at = 1_000_000
	for key, want := range map[string]struct {
		expires int64
		ttl     time.Duration
	}{
		"never":    {0, -1},
		"expired":  {1, time.Hour},
		"a minute": {at + 60_000, time.Hour + time.Minute},
		"far":      {1 << 52, -1},
	} {
		for _, before := range []int64{0, at + 5, 1} { // an overwritten row has the new end only
			put(t, s, driver.Record{Key: driver.Key{Key: key}, UpdatedAt: at, ExpiresAt: before})
			put(t, s, driver.Record{Key: driver.Key{Key: key}, UpdatedAt: at, ExpiresAt: want.expires})
			got, err := c.PTTL(t.Context(), rowOf(key)).Result()
			if err != nil || got > want.ttl || got < want.ttl-10*time.Second {
				t.Errorf("%s: %v, %v; want %v", key, got, err, want.ttl)
			}
		}
	}
}

// vanish deletes rows behind the store's back, as the server's TTL does.
func vanish(t *testing.T, c *redis.Client, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if n, err := c.Del(t.Context(), rowOf(key)).Result(); n != 1 || err != nil {
			t.Fatal(key, n, err)
		}
	}
}

func members(t *testing.T, c *redis.Client) int64 {
	t.Helper()
	n, err := c.ZCard(t.Context(), index).Result()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRowsThatVanishedAreGone(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	for i := range 20 {
		put(t, s, driver.Record{Key: driver.Key{Key: fmt.Sprintf("k%02d", i)}, UpdatedAt: 5, ExpiresAt: int64(10 + i),
			Metadata: []byte(`{"a":1}`)})
	}
	vanish(t, c, "k03", "k04", "k19")
	want := func(q driver.Query) {
		t.Helper()
		if got := keysOf(t, s, q); len(got) != 17 || slices.Contains(got, "k03") {
			t.Errorf("%+v lists %q", q, got)
		}
	}
	for o := driver.ByKey; o <= driver.ByExpiry; o++ {
		want(driver.Query{Order: o})
		want(driver.Query{Order: o, Desc: true, Filters: []driver.Filter{{Path: []string{"a"}, Value: value.Int(1)}}})
	}
	if got := keysOf(t, s, driver.Query{Order: driver.ByExpiry, Limit: 1000, ExpiredBy: 14}); !slices.Equal(got, []string{"k00", "k01", "k02"}) {
		t.Errorf("got %q", got)
	}
	if n := members(t, c); n != 17*6 {
		t.Errorf("the index has %d members, want %d", n, 17*6)
	}
	n, err := driver.DeleteExpired(t.Context(), s, driver.User, 100, 100)
	if n != 17 || err != nil || members(t, c) != 0 {
		t.Errorf("deleted %d, %v; %d members are left", n, err, members(t, c))
	}
}

func TestDeleteExpiredSweepsTheIndex(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	for i := range 300 {
		put(t, s, driver.Record{Key: driver.Key{Key: fmt.Sprint(i)}, UpdatedAt: 5, ExpiresAt: 10, Metadata: fmt.Appendf(nil, `{"a":%d}`, i)})
		if i%2 == 0 {
			vanish(t, c, fmt.Sprint(i))
		}
	}
	for range 100 {
		if _, err := driver.DeleteExpired(t.Context(), s, driver.User, 1, 5); err != nil {
			t.Fatal(err)
		}
	}
	if n := members(t, c); n != 150*6 {
		t.Errorf("the index has %d members, want %d", n, 150*6)
	}
	if n, err := driver.DeleteExpired(t.Context(), s, driver.User, 10, 1000); n != 150 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
}

func TestAVanishedRowThatIsPutAgain(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	put(t, s, driver.Record{Key: driver.Key{Key: "k"}, UpdatedAt: 5, ExpiresAt: 9, Metadata: []byte(`{"a":1}`)})
	vanish(t, c, "k")
	put(t, s, driver.Record{Key: driver.Key{Key: "k"}, UpdatedAt: 7, ExpiresAt: 20, Metadata: []byte(`{"a":2}`)})
	for o := driver.ByKey; o <= driver.ByExpiry; o++ {
		if got := keysOf(t, s, driver.Query{Order: o}); len(got) != 1 {
			t.Errorf("order %d lists %q", o, got)
		}
	}
	if n, err := driver.DeleteExpired(t.Context(), s, driver.User, 9, 10); n != 0 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
}

func TestRevisionsDoNotReturnAfterAFlush(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s, c := open(t, "redis://"+addr), raw(t, addr)
	var last int64
	for range 5 {
		put(t, s, driver.Record{Key: driver.Key{Key: "k"}, UpdatedAt: 1})
		r, err := s.Get(t.Context(), driver.Key{Key: "k"})
		if err != nil || r.Revision <= last {
			t.Errorf("%d follows %d, %v", r.Revision, last, err)
		}
		last = r.Revision
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMuchMetadata(t *testing.T) {
	t.Parallel()
	s := open(t, "redis://"+start(t))
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	put(t, s, driver.Record{Key: driver.Key{Key: "much"}, Metadata: []byte("{" + b.String() + `"a":1}`)})
	put(t, s, driver.Record{Key: driver.Key{Key: "little"}, Metadata: []byte(`{"a":1}`)})
	q := driver.Query{Filters: []driver.Filter{{Path: []string{"a"}, Value: value.Int(1)}}}
	if got := keysOf(t, s, q); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

func TestSixteenMiB(t *testing.T) {
	t.Parallel()
	s := open(t, "redis://"+start(t))
	v := make([]byte, 16<<20)
	v[len(v)-1] = 1
	put(t, s, driver.Record{Key: driver.Key{Key: "a"}, Value: v})
	put(t, s, driver.Record{Key: driver.Key{Key: "b"}, Value: v})
	found, err := s.List(t.Context(), driver.Query{Limit: 10})
	if err != nil || len(found) != 2 || len(found[1].Value) != len(v) || found[1].Value[len(v)-1] != 1 {
		t.Errorf("%d records, %v", len(found), err)
	}
}

func TestWhatIsThereAlready(t *testing.T) {
	t.Parallel()
	addr := start(t)
	c := raw(t, addr)
	for name, tc := range map[string]struct {
		make func(ctx context.Context, store string) error
		want error
	}{
		"newer": {func(ctx context.Context, store string) error { return c.HSet(ctx, store, "format", 3).Err() }, driver.ErrNewer},
		"text":  {func(ctx context.Context, store string) error { return c.Set(ctx, store, "x", 0).Err() }, driver.ErrCorrupt},
		"other": {func(ctx context.Context, store string) error { return c.HSet(ctx, store, "format", "x").Err() }, driver.ErrCorrupt},
	} {
		if err := tc.make(t.Context(), "{"+name+"}:store"); err != nil {
			t.Fatal(err)
		}
		if _, err := openErr(t.Context(), "redis://"+addr+"?prefix="+name); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := open(t, "redis://"+addr)
	put(t, s, driver.Record{Key: driver.Key{Key: "k"}})
	if err := c.HSet(t.Context(), rowOf("k"), "h", "no numbers").Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), driver.Key{Key: "k"}); !errors.Is(err, driver.ErrCorrupt) {
		t.Errorf("a damaged row: %v", err)
	}
	if deleted, err := s.Delete(t.Context(), driver.Key{Key: "k"}, 0); !deleted || err != nil {
		t.Errorf("a damaged row is not deleted: %v", err)
	}
	// Another process has moved the store on.
	if err := c.HSet(t.Context(), "{tea}:store", "format", 3).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), driver.Record{Key: driver.Key{Key: "k"}}, driver.Condition{}); !errors.Is(err, driver.ErrNewer) {
		t.Errorf("Put into a newer store: %v", err)
	}
}

func TestManyOpenAFreshStoreAtOnce(t *testing.T) {
	t.Parallel()
	where := "redis://" + start(t)
	var wg sync.WaitGroup
	for i := range 8 {
		s := make(chan driver.Store, 1)
		wg.Go(func() { s <- open(t, where) })
		wg.Go(func() { put(t, <-s, driver.Record{Key: driver.Key{Key: fmt.Sprint(i)}}) })
	}
	wg.Wait()
	if got := keysOf(t, open(t, where), driver.Query{}); len(got) != 8 {
		t.Errorf("got %q", got)
	}
}

func TestPrefixesAndDatabasesAreApart(t *testing.T) {
	t.Parallel()
	addr := start(t)
	for _, where := range []string{"", "?prefix=a", "?prefix=ab", "/1", "/1?prefix=a"} {
		s := open(t, "redis://"+addr+where)
		if got := keysOf(t, s, driver.Query{}); len(got) != 0 {
			t.Errorf("%s holds %q", where, got)
		}
		put(t, s, driver.Record{Key: driver.Key{Key: "in " + where}})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	addr := start(t)
	put(t, open(t, "redis://"+addr), driver.Record{Key: driver.Key{Key: "k"}})
	s := open(t, "redis://"+addr+"?readonly=true")
	if got := keysOf(t, s, driver.Query{}); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	_, err := s.Put(t.Context(), driver.Record{Key: driver.Key{Key: "k"}}, driver.Condition{})
	_, err2 := s.Delete(t.Context(), driver.Key{Key: "k"}, 0)
	if !errors.Is(err, driver.ErrReadOnly) || !errors.Is(err2, driver.ErrReadOnly) {
		t.Errorf("%v, %v", err, err2)
	}
}

func TestAReplica(t *testing.T) {
	t.Parallel()
	addr := start(t, "--repl-diskless-sync-delay", "0")
	put(t, open(t, "redis://"+addr), driver.Record{Key: driver.Key{Key: "k"}})
	replica := start(t, "--replicaof", strings.Replace(addr, ":", " ", 1))
	c := raw(t, replica)
	for begun := time.Now(); c.Exists(t.Context(), rowOf("k")).Val() == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Skip("the replica does not follow")
		}
	}
	s := open(t, "redis://"+replica+"?readonly=true")
	if got := keysOf(t, s, driver.Query{Order: driver.ByUpdated}); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	if _, err := openErr(t.Context(), "redis://"+replica+"?prefix=new"); !errors.Is(err, driver.ErrReadOnly) {
		t.Errorf("opening a replica to write: %v", err)
	}
}

func TestAFullServer(t *testing.T) {
	t.Parallel()
	addr := start(t, "--maxmemory", "4mb", "--maxmemory-policy", "noeviction")
	s := open(t, "redis://"+addr)
	var err error
	for i := 0; err == nil && i < 100; i++ {
		r := driver.Record{Key: driver.Key{Key: fmt.Sprint(i)}, Value: make([]byte, 1<<20), Metadata: []byte("{}")}
		_, err = s.Put(t.Context(), r, driver.Condition{})
	}
	if !errors.Is(err, driver.ErrFull) {
		t.Error(err)
	}
	if _, err := s.Delete(t.Context(), driver.Key{Key: "0"}, 0); err != nil {
		t.Errorf("a full server deletes nothing: %v", err)
	}
}

func TestAServerThatForgets(t *testing.T) {
	t.Parallel()
	addr := start(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	if _, err := openErr(t.Context(), "redis://"+addr); !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), "allkeys-lru") {
		t.Error(err)
	}
	put(t, open(t, "redis://"+addr+"?eviction=allow"), driver.Record{Key: driver.Key{Key: "k"}})
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	addr := start(t, "--requirepass", "secret")
	admin := redis.NewClient(&redis.Options{Addr: addr, Password: "secret"})
	defer admin.Close()
	if err := admin.Do(t.Context(), "ACL", "SETUSER", "reader", "on", ">word", "~*", "+@read", "+eval", "+evalsha").Err(); err != nil {
		t.Fatal(err)
	}
	open(t, "redis://:secret@"+addr) // makes the store
	for where, want := range map[string]error{
		":secret@" + addr:                     nil,
		"default:secret@" + addr:              nil,
		addr:                                  driver.ErrConfig,
		":wrong@" + addr:                      driver.ErrConfig,
		"reader:word@" + addr:                 nil,
		"reader:word@" + addr + "?readonly=1": nil,
		":secret@" + addr + "/99":             driver.ErrConfig,
	} {
		s, err := openErr(t.Context(), "redis://"+where)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", where, err, want)
		}
		if err == nil {
			s.Close()
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "wrong@") {
			t.Errorf("it shows the password: %v", err)
		}
	}
	reader := open(t, "redis://reader:word@"+addr)
	if _, err := reader.Put(t.Context(), driver.Record{Key: driver.Key{Key: "k"}}, driver.Condition{}); !errors.Is(err, driver.ErrReadOnly) {
		t.Errorf("a user who may not write: %v", err)
	}
}

func TestACluster(t *testing.T) {
	t.Parallel()
	addr := start(t, "--cluster-enabled", "yes")
	c := raw(t, addr)
	if err := c.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); !strings.Contains(c.ClusterInfo(t.Context()).Val(), "cluster_state:ok"); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatal(c.ClusterInfo(t.Context()).Val())
		}
	}
	for _, where := range []string{"", "?cluster=true"} {
		s := open(t, "redis://"+addr+where)
		for i := range 20 {
			put(t, s, driver.Record{Key: driver.Key{Namespace: fmt.Sprint(i % 3), Key: fmt.Sprint(i)}, UpdatedAt: 1, ExpiresAt: 5})
		}
		if _, err := driver.PutBatch(t.Context(), s, []driver.Record{{Key: driver.Key{Key: "a"}}, {Key: driver.Key{Key: "b"}}}); err != nil {
			t.Error(err)
		}
		if got := keysOf(t, s, driver.Query{}); len(got) != 22 {
			t.Errorf("%s: %d are listed", where, len(got))
		}
		put(t, s, driver.Record{Key: driver.Key{Key: "b"}, Terms: "tea with milk"})
		hits, err := driver.Search(t.Context(), s, driver.Query{Limit: 9}, []string{"milk", "tea"})
		if len(hits) != 1 || err != nil {
			t.Errorf("%s: %d are found, %v", where, len(hits), err)
		}
		if n, err := driver.DeleteExpired(t.Context(), s, driver.User, 5, 100); n != 20 || err != nil {
			t.Errorf("%s: %d, %v", where, n, err)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	if _, err := openErr(t.Context(), "redis://127.0.0.1:1"); !errors.Is(err, driver.ErrUnavailable) {
		t.Error(err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestBadURLs(t *testing.T) {
	t.Parallel()
	m := &ltm.Mux{}
	for _, scheme := range []string{"redis", "rediss"} {
		m.Handle(scheme, redisltm.Params(), func(u *url.URL, _ *ltm.Options) (func(context.Context) (driver.Store, error), error) {
			return redisltm.Opener(u)
		})
	}
	for where, want := range map[string]string{
		"redis:":                              "host is missing",
		"redis:///0":                          "host is missing",
		"redis://h/x":                         "not the number of a database",
		"redis://h/-1":                        "not the number of a database",
		"redis://h?prefix=a{b}":               "letters",
		"redis://h?prefix=":                   "letters",
		"redis://h?timeout=0":                 "not a duration",
		"redis://h?dial_timeout=soon":         "not a duration",
		"redis://h?pool_size=0":               "not a number",
		"redis://h?readonly=perhaps":          "not true or false",
		"redis://h/1?cluster=true":            "no db but 0",
		"redis://h?eviction=no":               `not "allow"`,
		"redis://h?ca=/x":                     "rediss",
		"rediss://h?ca=/none/such":            "no such file",
		"redis://u:secret@h?prefx=a":          `did you mean "prefix"?`,
		"redis://u:secret@h/x?timeout=x":      "not a duration",
		"redis://h?prefix=a&prefix=b":         "2 times",
		"redis://u:secret@h?password=secret2": "unknown parameter",
	} {
		_, err := m.Open(t.Context(), where, nil)
		if !errors.Is(err, ltm.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", where, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q shows a password: %v", where, err)
		}
	}
}
