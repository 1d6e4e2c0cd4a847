package drivertest

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// checks returns how many random queries are asked: all of them when soaking, a
// twentieth where TEA_TEST_REQUIRE=all says that this is continuous integration,
// else a hundredth.
func (o *Options) checks() int {
	full := cmp.Or(o.Checks, 100_000)
	switch {
	case Soaking():
		return full
	case os.Getenv("TEA_TEST_REQUIRE") == "all":
		return max(1, full/20)
	default:
		return max(1, full/100)
	}
}

// randomRules returns what is checked with random data, seeded.
func randomRules(checks int, seed uint64) []rule {
	dice := func() *dice { return &dice{rand.New(rand.NewPCG(seed, 0))} }
	return []rule{
		{"random/filters", "Any query lists what the reference does, of any records, and nothing of another namespace.", func(c *checker) {
			c.randomQueries(dice(), checks)
		}},
		{"random/text", "Any text search finds what holds all its words.", func(c *checker) {
			if x, ok := c.Store.(driver.FullText); ok && has(c, x) {
				c.randomSearches(dice(), x, max(1, checks/20))
			}
		}},
	}
}

// dice makes random things.
type dice struct{ *rand.Rand }

func pick[T any](d *dice, of []T) T { return of[d.IntN(len(of))] }

// words are texts that are awkward in a query, or near to another one.
func (d *dice) word() string {
	return pick(d, []string{"a", "A", "b", "ab", "a.b", "ä", "a\u0308", "日本", "", " ", "'", `"`, `\`, "%", "_", "$", "$.a", "*", "?",
		"\x00", "a\x00", "a\x00b", "1", "true", "null", "[0]", "#-1", "' OR 1=1 --", "\U0010ffff", "{}", "\n",
		strings.Repeat("k", 10_000)})
}

// number returns a number that is awkward to compare.
func (d *dice) number() value.Value {
	texts := []string{"0", "-0.0", "1", "1.0", "-1", "2", "2.5", "10", "9", "9007199254740992", "9007199254740993", "9007199254740992.0",
		"9223372036854775807", "-9223372036854775808", "9223372036854775808", "9223372036854775808.0",
		"123456789012345678901234567890", "123456789012345678901234567891", "1e300", "-1e300", "5e-324", "0.1", "0.30000000000000004"}
	if d.IntN(3) == 0 {
		return value.Int(int64(d.IntN(7)))
	}
	v, err := value.Number(pick(d, texts))
	if err != nil {
		panic(err)
	}
	return v
}

// value returns any value, nested up to a depth.
func (d *dice) value(depth int) value.Value {
	switch n := d.IntN(10); {
	case n < 4:
		return d.number()
	case n < 7 || depth == 0:
		return value.String(d.word())
	case n == 7:
		return pick(d, []value.Value{value.Null(), value.Bool(true), value.Bool(false)})
	case n == 8:
		return value.List(d.value(depth-1), d.value(depth-1))
	default:
		return d.object(depth - 1)
	}
}

func (d *dice) object(depth int) value.Value {
	m := map[string]value.Value{}
	for range d.IntN(4) {
		m[d.word()] = d.value(depth)
	}
	return value.Map(m)
}

// record returns a record of few namespaces.
func (d *dice) record(i int) driver.Record {
	r := driver.Record{
		Key: driver.Key{Space: pick(d, []driver.Space{driver.User, driver.Cache}),
			Namespace: pick(d, []string{"mine", "mine", "mine", "other", "mine2", ""}), Key: d.word() + strconv.Itoa(i%40)},
		Value: []byte(strconv.Itoa(i)), UpdatedAt: now + int64(d.IntN(10)),
	}
	meta, err := d.object(3).With("n", d.number()).Canonical()
	if err != nil {
		panic(err)
	}
	r.Metadata = meta
	if d.IntN(2) == 0 {
		r.ExpiresAt = now + int64(d.IntN(20))
	}
	return r
}

// path returns a way into v, mostly one that leads somewhere, and what is there.
func (d *dice) path(v value.Value) ([]string, value.Value) {
	var path []string
	for {
		keys := v.Keys()
		if d.IntN(12) == 0 || len(path) == 0 && len(keys) == 0 {
			return append(path, d.word()), value.Null()
		}
		if len(keys) == 0 || len(path) > 0 && d.IntN(3) == 0 {
			return path, v
		}
		key := pick(d, keys)
		path = append(path, key)
		v = v.At(key)
	}
}

// near returns v or something that is easily taken for it.
func (d *dice) near(v value.Value) value.Value {
	f, isNumber := v.AsFloat()
	s, isText := v.AsString()
	switch n := d.IntN(8); {
	case n < 4:
		return v
	case n == 4 && isNumber && math.Abs(f) < 1e15:
		return value.Float(f + float64(d.IntN(3)-1)/2)
	case n == 4 && isText:
		return value.String(s + pick(d, []string{"", "a", "\x00", " "}))
	case n == 5 && isNumber:
		return value.String(v.String())
	case n == 5 && isText:
		return value.String(strings.ToUpper(s))
	default:
		return d.value(1)
	}
}

// filter returns a filter that is about one of the records.
func (d *dice) filter(records []driver.Record) driver.Filter {
	r := pick(d, records)
	meta, err := value.Parse(r.Metadata)
	if err != nil {
		panic(err)
	}
	path, there := d.path(meta)
	f := driver.Filter{Path: path, Op: driver.Op(d.IntN(int(driver.Exists) + 1)), Value: d.near(there)}
	if f.Op == driver.In {
		items := make([]value.Value, d.IntN(4))
		for i := range items {
			items[i] = d.near(there)
		}
		f.Value = value.List(items...)
	}
	return f
}

// query returns a query that is about some of the records.
func (d *dice) query(records []driver.Record) driver.Query {
	q := driver.Query{
		Space:      pick(d, []driver.Space{driver.User, driver.Cache}),
		Namespaces: pick(d, [][]string{{"mine"}, {"mine"}, {"mine"}, nil, {"mine", "other"}}),
		Order:      driver.Order(d.IntN(int(driver.ByExpiry) + 1)), Desc: d.IntN(2) == 0,
		Limit: 1 + d.IntN(30), KeysOnly: d.IntN(4) == 0,
	}
	for range d.IntN(3) {
		q.Filters = append(q.Filters, d.filter(records))
	}
	key := pick(d, records).Key
	head := string([]rune(key.Key)[:min(1, len([]rune(key.Key)))])
	switch d.IntN(8) {
	case 0:
		q.Prefix = head
	case 1:
		q.Glob = key.Key
	case 2:
		q.Glob = head + "*"
	case 3:
		q.Glob = "*" + key.Key[len(key.Key)-1:]
	case 4:
		q.NamespacePrefix = "mine"
	}
	switch d.IntN(4) {
	case 0:
		q.LiveAt = now + int64(d.IntN(20))
	case 1:
		q.ExpiredBy = now + int64(d.IntN(20))
	}
	return q
}

// randomQueries compares the store with memltm.
func (c *checker) randomQueries(d *dice, checks int) {
	reference := memltm.New()
	defer func() { c.ok(reference.Close()) }()
	var records []driver.Record
	for i := range 120 {
		r := d.record(i)
		records = append(records, r)
		c.put(r)
		_, err := reference.Put(c.ctx, r, driver.Condition{})
		c.ok(err)
	}
	found := 0
	for i := range checks {
		q := d.query(records)
		for range 3 { // pages
			got, want := c.list(q), (&checker{c.ctx, reference}).list(q)
			c.same(i, q, got, want)
			found += len(got)
			if len(got) < q.Limit {
				break
			}
			last := q.Position(&got[len(got)-1])
			q.After = &last
		}
	}
	c.must(found >= checks/2, "%d queries found only %d records", checks, found)
}

// same compares what a query lists with what the reference does.
func (c *checker) same(i int, q driver.Query, got, want []driver.Record) {
	for _, r := range got {
		c.must(q.Namespaces == nil || slices.Contains(q.Namespaces, r.Key.Namespace),
			"query %d %+v lists a record of the namespace %q", i, q, r.Key.Namespace)
	}
	show := func(records []driver.Record) string {
		var b strings.Builder
		for _, r := range records {
			fmt.Fprintf(&b, "\n  %q %.40q %.200s", r.Key.Namespace, r.Key.Key, r.Metadata)
		}
		return b.String()
	}
	equal := slices.EqualFunc(got, want, func(a, b driver.Record) bool {
		return a.Key == b.Key && bytes.Equal(a.Value, b.Value) && bytes.Equal(a.Metadata, b.Metadata)
	})
	c.must(equal, "query %d %+v lists%s\nwant%s", i, q, show(got), show(want))
}

// randomSearches compares text searches with a plain look at all records.
func (c *checker) randomSearches(d *dice, x driver.FullText, checks int) {
	vocabulary := []string{"tea", "teas", "te", "a", "or", "and", "not", "near", "日", "本", "ä", "a\u0308", "straße", "42", "4", "नमस्ते"}
	terms := map[string][]string{}
	for i := range 60 {
		r := rec(user(fmt.Sprint(i)), "v")
		for range d.IntN(8) {
			terms[r.Key.Key] = append(terms[r.Key.Key], pick(d, vocabulary))
		}
		r.Terms = strings.Join(terms[r.Key.Key], " ")
		c.put(r)
		r.Key.Namespace = "other"
		c.put(r)
	}
	for range checks {
		asked := []string{pick(d, vocabulary)}
		if d.IntN(2) == 0 {
			asked = append(asked, pick(d, vocabulary))
		}
		var want []string
		for key, there := range terms {
			if !slices.ContainsFunc(asked, func(term string) bool { return !slices.Contains(there, term) }) {
				want = append(want, key)
			}
		}
		slices.Sort(want)
		c.says(x, driver.Query{Namespaces: []string{""}}, asked, want...)
	}
}
