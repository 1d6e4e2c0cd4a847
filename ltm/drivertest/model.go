package drivertest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

const ruleModel = "After any changes, any query lists what a plain model of the contract does."

// step is a change of the store, and then a query.
type step struct {
	key     driver.Key
	delete  bool
	absent  bool
	at      int64 // UpdatedAt, relative to now
	expires int64 // relative to now; 0 is never
	number  int   // in the metadata under n
	word    string
	query   driver.Query
}

// scripts generates sequences of steps over few keys, so that they meet.
func scripts() *rapid.Generator[[]step] {
	key := rapid.Custom(func(t *rapid.T) driver.Key {
		return driver.Key{
			Space:     driver.Space(rapid.IntRange(0, 1).Draw(t, "space")),
			Namespace: rapid.SampledFrom([]string{"", "n", "*"}).Draw(t, "namespace"),
			Key:       rapid.SampledFrom([]string{"a", "ab", "b", "a*", "a%", "A", "ä", "aba"}).Draw(t, "key"),
		}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			key:     key.Draw(t, "key"),
			delete:  rapid.IntRange(0, 4).Draw(t, "delete") == 0,
			absent:  rapid.IntRange(0, 3).Draw(t, "absent") == 0,
			at:      rapid.Int64Range(-3, 3).Draw(t, "at"),
			expires: rapid.Int64Range(-3, 3).Draw(t, "expires"),
			number:  rapid.IntRange(0, 3).Draw(t, "number"),
			word:    rapid.SampledFrom([]string{"x", "y", "'"}).Draw(t, "word"),
			query:   queries().Draw(t, "query"),
		}
	}), 1, 30)
}

func queries() *rapid.Generator[driver.Query] {
	return rapid.Custom(func(t *rapid.T) driver.Query {
		q := driver.Query{
			Space:  driver.Space(rapid.IntRange(0, 1).Draw(t, "space")),
			Prefix: rapid.SampledFrom([]string{"", "", "a", "a*", "ä"}).Draw(t, "prefix"),
			Glob:   rapid.SampledFrom([]string{"", "", "*", "a*", "*a", "a*a", "a%", "ab", "*b*"}).Draw(t, "glob"),
			Order:  driver.Order(rapid.IntRange(0, int(driver.ByExpiry)).Draw(t, "order")),
			Desc:   rapid.Bool().Draw(t, "desc"),
			Limit:  rapid.IntRange(1, 12).Draw(t, "limit"),
		}
		q.Namespaces = rapid.SampledFrom([][]string{nil, nil, {""}, {"n", "*"}}).Draw(t, "namespaces")
		q.Filters = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) driver.Filter {
			number := value.Int(rapid.Int64Range(0, 3).Draw(t, "number"))
			return rapid.SampledFrom([]driver.Filter{
				{Path: []string{"n"}, Op: driver.Eq, Value: number},
				{Path: []string{"n"}, Op: driver.Lt, Value: number},
				{Path: []string{"n"}, Op: driver.Ge, Value: number},
				{Path: []string{"o", "w"}, Op: driver.In, Value: value.Must([]any{"x", "'"})},
				{Path: []string{"o", "none"}, Op: driver.Exists},
			}).Draw(t, "filter")
		}), 0, 2).Draw(t, "filters")
		switch rapid.IntRange(0, 3).Draw(t, "time") {
		case 0:
			q.ExpiredBy = now + rapid.Int64Range(-3, 3).Draw(t, "expired by")
		case 1:
			q.LiveAt = now + rapid.Int64Range(-3, 3).Draw(t, "live at")
		}
		return q
	})
}

// modelRules runs some scripts that never change; Run adds random ones.
func modelRules() []rule {
	var all []rule
	for seed := range 10 {
		all = append(all, rule{fmt.Sprintf("model/%d", seed), ruleModel, func(c *checker) {
			c.follow(scripts().Example(seed))
		}})
	}
	return all
}

// modelled is a record as the model knows it.
type modelled struct {
	key                       driver.Key
	created, updated, expires int64
	number                    int
	word                      string
}

// follow runs a script on the store and on the model.
func (c *checker) follow(script []step) {
	model := map[driver.Key]modelled{}
	for i, s := range script {
		if s.delete {
			_, there := model[s.key]
			delete(model, s.key)
			c.must(c.delete(s.key, 0) == there, "step %d: Delete %v does not tell %v", i, s.key, there)
		} else {
			c.followPut(i, s, model)
		}
		var want []string
		for _, r := range expected(model, s.query) {
			want = append(want, fmt.Sprintf("%+v", r))
		}
		var got []string
		for _, r := range c.list(s.query) {
			got = append(got, fmt.Sprintf("%+v", asModelled(c, &r)))
		}
		c.must(slices.Equal(got, want), "step %d: %+v\nlists %s\nwant  %s", i, s.query,
			strings.Join(got, "\n      "), strings.Join(want, "\n      "))
	}
}

func (c *checker) followPut(i int, s step, model map[driver.Key]modelled) {
	r := driver.Record{Key: s.key, Value: []byte(s.word), UpdatedAt: now + s.at}
	r.Metadata = fmt.Appendf(nil, `{"n":%d,"o":{"w":%q}}`, s.number, s.word)
	if s.expires != 0 {
		r.ExpiresAt = now + s.expires
	}
	old, there := model[s.key]
	live := there && (old.expires == 0 || old.expires > r.UpdatedAt)
	created, err := c.Put(c.ctx, r, driver.Condition{Absent: s.absent})
	if s.absent && live {
		c.is(err, driver.ErrConflict)
		return
	}
	c.ok(err)
	c.must(created == !live, "step %d: Put %v tells created=%v", i, s.key, created)
	m := modelled{s.key, r.UpdatedAt, r.UpdatedAt, r.ExpiresAt, s.number, s.word}
	if live {
		m.created = old.created
	}
	model[s.key] = m
}

// asModelled reads back what a record of a script holds.
func asModelled(c *checker, r *driver.Record) modelled {
	v, err := value.Parse(r.Metadata)
	c.ok(err)
	n, _ := v.At("n").AsInt()
	return modelled{r.Key, r.CreatedAt, r.UpdatedAt, r.ExpiresAt, int(n), string(r.Value)}
}

// expected lists what q should, in the simplest way.
func expected(model map[driver.Key]modelled, q driver.Query) []modelled {
	all := slices.DeleteFunc(slices.Collect(maps.Values(model)), func(m modelled) bool {
		return !m.matches(&q)
	})
	at := func(m modelled) int64 {
		return map[driver.Order]int64{
			driver.ByCreated: m.created, driver.ByUpdated: m.updated,
			driver.ByAccessed: m.updated, driver.ByExpiry: m.expires,
		}[q.Order]
	}
	slices.SortFunc(all, func(a, b modelled) int {
		return cmp.Or(cmp.Compare(at(a), at(b)), strings.Compare(a.key.Namespace, b.key.Namespace),
			strings.Compare(a.key.Key, b.key.Key))
	})
	if q.Desc {
		slices.Reverse(all)
	}
	return all[:min(q.Limit, len(all))]
}

func (m *modelled) matches(q *driver.Query) bool {
	expiredAt := func(t int64) bool { return m.expires > 0 && m.expires <= t }
	ok := m.key.Space == q.Space && strings.HasPrefix(m.key.Key, q.Prefix)
	ok = ok && (q.Namespaces == nil || slices.Contains(q.Namespaces, m.key.Namespace))
	ok = ok && (q.Glob == "" || globs(q.Glob, m.key.Key))
	ok = ok && (q.ExpiredBy == 0 || expiredAt(q.ExpiredBy))
	ok = ok && (q.LiveAt == 0 || !expiredAt(q.LiveAt))
	ok = ok && (q.Order != driver.ByExpiry || m.expires > 0)
	for _, f := range q.Filters {
		n, _ := f.Value.AsInt()
		switch f.Op {
		case driver.Eq:
			ok = ok && m.number == int(n)
		case driver.Lt:
			ok = ok && m.number < int(n)
		case driver.Ge:
			ok = ok && m.number >= int(n)
		case driver.In:
			ok = ok && (m.word == "x" || m.word == "'")
		default:
			ok = false
		}
	}
	return ok
}

// globs matches a pattern by its definition, character by character.
func globs(pattern, s string) bool {
	switch {
	case pattern == "":
		return s == ""
	case pattern[0] == '*':
		return globs(pattern[1:], s) || s != "" && globs(pattern, s[1:])
	default:
		return s != "" && s[0] == pattern[0] && globs(pattern[1:], s[1:])
	}
}
