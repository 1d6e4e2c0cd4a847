package drivertest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

// able makes the check of an optional ability; a store without it passes.
func able[A any](check func(c *checker, a A)) func(c *checker) {
	return func(c *checker) {
		if a, ok := c.Store.(A); ok && has(c, a) {
			check(c, a)
		}
	}
}

// has tells whether the store really has the ability whose methods it has.
func has[A any](c *checker, a A) bool {
	var err error
	switch ability := any(&a).(type) {
	case *driver.FullText:
		_, err = (*ability).Search(c.ctx, driver.Query{Limit: 1}, []string{"a"})
	case *driver.Reviser:
		_, err = (*ability).Revision(c.ctx)
	case *driver.Toucher:
		err = (*ability).Touch(c.ctx, nil, now)
	}
	return !errors.Is(err, errors.ErrUnsupported)
}

func (c *checker) expire(x driver.Expirer, s driver.Space, limit, want int) {
	n, err := x.DeleteExpired(c.ctx, s, now, limit)
	c.ok(err)
	c.must(n == want, "deleted %d, want %d", n, want)
}

func expirerRules() []rule {
	return []rule{
		{"expirer/oldest", "DeleteExpired takes the oldest expiry first, across namespaces, up to the limit.", able(
			func(c *checker, x driver.Expirer) {
				for i, name := range []string{"c", "a", "b", "d"} {
					c.put(expiring(cached(name, name), now-int64(i)))
				}
				c.expire(x, driver.Cache, 2, 2)
				c.finds(driver.Query{Space: driver.Cache}, "a", "c")
				c.expire(x, driver.Cache, 9, 2)
				c.expire(x, driver.Cache, 9, 0)
			})},
		{"expirer/instant", "DeleteExpired takes what expires at that very time, nothing later and nothing without expiry.", able(
			func(c *checker, x driver.Expirer) {
				c.putAll("never")
				c.put(expiring(user("now"), now))
				c.put(expiring(user("later"), now+1))
				c.expire(x, driver.User, 10, 1)
				c.finds(driver.Query{}, "later", "never")
			})},
		{"expirer/space", "DeleteExpired stays in its space.", able(func(c *checker, x driver.Expirer) {
			c.put(expiring(user("k"), 1))
			c.expire(x, driver.Cache, 10, 0)
			c.get(user("k"))
		})},
		{"expirer/limit", "DeleteExpired with no or a negative limit deletes nothing.", able(func(c *checker, x driver.Expirer) {
			c.put(expiring(user("k"), 1))
			c.expire(x, driver.User, 0, 0)
			c.expire(x, driver.User, -1, 0)
			c.get(user("k"))
		})},
		{"expirer/all", "Repeated, it reaches every expired record under however many live ones.", able(
			func(c *checker, x driver.Expirer) {
				for i := range 60 {
					c.put(expiring(cached("live", fmt.Sprint(i)), now+1+int64(i)))
				}
				for i := range 23 {
					c.put(expiring(cached(fmt.Sprint(i%4), fmt.Sprint("old", i)), now-int64(i)))
				}
				for range 4 {
					c.expire(x, driver.Cache, 5, 5)
				}
				c.expire(x, driver.Cache, 5, 3)
				c.must(len(c.list(driver.Query{Space: driver.Cache})) == 60, "live records are gone")
			})},
		{"expirer/renewed", "A record that was put again has its new expiry only.", able(func(c *checker, x driver.Expirer) {
			c.put(expiring(user("later"), now-5))
			c.put(expiring(user("later"), now+5))
			c.put(expiring(user("never"), now-5))
			c.put(rec(user("never"), "v"))
			c.put(expiring(user("earlier"), now+5))
			c.put(expiring(user("earlier"), now-5))
			c.expire(x, driver.User, 10, 1)
			c.finds(driver.Query{}, "later", "never")
		})},
	}
}

// said puts a record that is found by terms.
func (c *checker) said(key, terms string) {
	r := rec(user(key), "v")
	r.Terms = terms
	c.put(r)
}

func (c *checker) hits(x driver.FullText, q driver.Query, terms ...string) []driver.Hit {
	if q.Limit == 0 {
		q.Limit = 1000
	}
	hits, err := x.Search(c.ctx, q, terms)
	c.ok(err)
	for i := 1; i < len(hits); i++ {
		c.must(hits[i-1].Score >= hits[i].Score, "a lower score comes first")
	}
	return hits
}

// says checks the keys that a text search finds, in any order.
func (c *checker) says(x driver.FullText, q driver.Query, terms []string, want ...string) {
	var got []string
	for _, h := range c.hits(x, q, terms...) {
		got = append(got, h.Key.Key)
	}
	slices.Sort(got)
	c.must(slices.Equal(got, want), "%q in %+v finds %q, want %q", terms, q, got, want)
}

func fullTextRules() []rule {
	return []rule{
		{"text/words", "A search finds what holds every term as a whole word.", able(func(c *checker, x driver.FullText) {
			c.said("1", "red tea green tea")
			c.said("2", "green teapot")
			c.said("3", "tea")
			c.said("4", "")
			c.says(x, driver.Query{}, []string{"tea"}, "1", "3")
			c.says(x, driver.Query{}, []string{"green", "tea"}, "1")
			c.says(x, driver.Query{}, []string{"te"})
			c.says(x, driver.Query{}, []string{"tea", "none"})
		})},
		{"text/any script", "Terms of any script are words, with marks and digits.", able(func(c *checker, x driver.FullText) {
			for _, term := range []string{"straße", "日", "本", "чай", "cafe\u0301", "नमस्ते", "42", "x86"} {
				c.said(term, "before "+term+" after")
			}
			for _, term := range []string{"straße", "日", "чай", "cafe\u0301", "नमस्ते", "42", "x86"} {
				c.says(x, driver.Query{}, []string{term}, term)
			}
			c.says(x, driver.Query{}, []string{"strasse"})
			c.says(x, driver.Query{}, []string{"cafe"})
		})},
		{"text/literal", "A term is never read as an operator.", able(func(c *checker, x driver.FullText) {
			c.said("k", "or and not near a")
			for _, term := range []string{"or", "and", "not", "near"} {
				c.says(x, driver.Query{}, []string{term, "a"}, "k")
			}
		})},
		{"text/present", "A search sees the present terms of what is there.", able(func(c *checker, x driver.FullText) {
			c.said("changed", "old")
			c.said("changed", "new")
			c.said("silent", "old")
			c.said("silent", "")
			c.said("deleted", "old new")
			c.delete(user("deleted"), 0)
			c.says(x, driver.Query{}, []string{"old"})
			c.says(x, driver.Query{}, []string{"new"}, "changed")
			c.said("deleted", "again")
			c.says(x, driver.Query{}, []string{"new"}, "changed")
		})},
		{"text/query", "A text search keeps to the rest of the query.", able(func(c *checker, x driver.FullText) {
			for _, key := range []string{"a1", "a2", "b1"} {
				r := meta(key, fmt.Sprintf(`{"k":%q}`, key))
				r.Terms = "word"
				c.put(r)
			}
			r := expiring(driver.Key{Namespace: "n", Key: "c"}, now)
			r.Terms = "word"
			c.put(r)
			word := []string{"word"}
			c.says(x, driver.Query{}, word, "a1", "a2", "b1", "c")
			c.says(x, driver.Query{LiveAt: now}, word, "a1", "a2", "b1")
			c.says(x, driver.Query{Namespaces: []string{"n"}}, word, "c")
			c.says(x, driver.Query{Prefix: "a"}, word, "a1", "a2")
			c.says(x, driver.Query{Glob: "*1"}, word, "a1", "b1")
			c.says(x, where(driver.Eq, `"a2"`, "k"), word, "a2")
			hits := c.hits(x, driver.Query{KeysOnly: true, Prefix: "b"}, "word")
			c.must(len(hits) == 1 && hits[0].Value == nil && hits[0].Size == 1, "KeysOnly finds %+v", hits)
		})},
		{"text/score", "What holds a term more densely scores higher; all scores are above 0.", able(func(c *checker, x driver.FullText) {
			c.said("much", "tea tea tea")
			c.said("some", "tea with milk and sugar and a very long spoon beside it")
			c.said("none", "coffee")
			hits := c.hits(x, driver.Query{}, "tea")
			c.must(len(hits) == 2 && hits[0].Key.Key == "much" && hits[1].Score > 0, "got %+v", hits)
		})},
		{"text/pages", "Pages of a text search reach every hit once.", able(func(c *checker, x driver.FullText) {
			for i := range 20 {
				c.said(fmt.Sprintf("k%02d", i), "tea"+[]string{"", " tea", " and milk"}[i%3])
			}
			seen := map[string]bool{}
			q := driver.Query{Limit: 3}
			for range 8 {
				hits := c.hits(x, q, "tea")
				for _, h := range hits {
					c.must(!seen[h.Key.Key], "%s comes twice", h.Key.Key)
					seen[h.Key.Key] = true
				}
				if len(hits) == 0 {
					break
				}
				last := &hits[len(hits)-1]
				q.After = &driver.Position{Score: last.Score, Namespace: last.Key.Namespace, Key: last.Key.Key}
			}
			c.must(len(seen) == 20, "%d of 20 were seen", len(seen))
		})},
	}
}

func otherAbilityRules() []rule {
	return []rule{
		{"reviser/changes", "The change counter rises with each change, and with nothing else.", able(func(c *checker, x driver.Reviser) {
			revision := func() int64 {
				n, err := x.Revision(c.ctx)
				c.ok(err)
				return n
			}
			last := revision()
			step := func(what string, changes bool) {
				n := revision()
				c.must(changes == (n != last) && n >= last, "%s: from %d to %d", what, last, n)
				last = n
			}
			c.putAll("k")
			step("put", true)
			c.must(c.get(user("k")).Revision == last, "it is not the revision of the last record")
			step("get", false)
			c.putAll("k")
			step("put again", true)
			c.list(driver.Query{})
			step("list", false)
			_, err := c.Put(c.ctx, rec(user("k"), "v"), driver.Condition{Absent: true})
			c.is(err, driver.ErrConflict)
			step("conflict", false)
			c.delete(user("none"), 0)
			step("delete nothing", false)
			c.delete(user("k"), 0)
			step("delete", true)
			if e, ok := c.Store.(driver.Expirer); ok && has(c, e) {
				c.put(expiring(user("k"), 1))
				step("put", true)
				c.expire(e, driver.User, 1, 1)
				step("expire", true)
			}
		})},
		{"batch/tells", "DeleteBatch tells for each record whether it deleted it.", able(func(c *checker, x driver.BatchDeleter) {
			c.putAll("a", "b", "c")
			stale := c.get(user("b")).Revision
			c.putAll("b")
			deleted, err := x.DeleteBatch(c.ctx, []driver.Ref{
				{Key: user("a"), Revision: c.get(user("a")).Revision},
				{Key: user("b"), Revision: stale},
				{Key: user("none")},
				{Key: user("c")},
				{Key: user("c")},
			})
			c.ok(err)
			c.must(slices.Equal(deleted, []bool{true, false, false, true, false}), "it tells %v", deleted)
			c.finds(driver.Query{}, "b")
			deleted, err = x.DeleteBatch(c.ctx, nil)
			c.ok(err)
			c.must(len(deleted) == 0, "of nothing it tells %v", deleted)
		})},
		{"batch/gets", "GetBatch returns what Get does, and nothing for a missing key.", able(func(c *checker, x driver.BatchGetter) {
			c.put(meta("a", `{"a":1}`))
			c.put(expiring(user("old"), 1))
			c.put(rec(cached("n", "a"), "other"))
			keys := []driver.Key{user("a"), cached("n", "a"), user("none"), user("old"), user("a"), cached("", "a")}
			got, err := x.GetBatch(c.ctx, keys)
			c.ok(err)
			c.must(len(got) == 3, "got %d records, want 3", len(got))
			for key, r := range got {
				want := c.get(key)
				c.must(r.Key == key && sameHead(&r, &want) && bytes.Equal(r.Value, want.Value) &&
					bytes.Equal(r.Metadata, want.Metadata), "got %+v, want %+v", r, want)
			}
			got, err = x.GetBatch(c.ctx, nil)
			c.ok(err)
			c.must(len(got) == 0, "of nothing it returns %v", got)
		})},
		{"batch/gets many", "GetBatch and PutBatch take 1,200 records.", able(func(c *checker, x driver.BatchGetter) {
			var keys []driver.Key
			var records []driver.Record
			for i := range 1200 {
				keys = append(keys, cached("", fmt.Sprint(i)))
				records = append(records, rec(keys[i], fmt.Sprint("v", i)))
			}
			created, err := driver.PutBatch(c.ctx, c.Store, records)
			c.ok(err)
			c.must(len(created) == 1200, "it tells of %d", len(created))
			got, err := x.GetBatch(c.ctx, keys)
			c.ok(err)
			for i, key := range keys {
				c.must(string(got[key].Value) == fmt.Sprint("v", i), "%d is %q", i, got[key].Value)
			}
		})},
		{"batch/puts", "PutBatch puts one after another, as Put does.", able(func(c *checker, x driver.BatchPutter) {
			c.put(rec(user("b"), "old"))
			c.put(expiring(user("c"), now-5))
			later := rec(user("b"), "new")
			later.UpdatedAt, later.ExpiresAt, later.Terms = now+3, now+9, "word"
			created, err := x.PutBatch(c.ctx, []driver.Record{
				meta("a", `{"a":1}`), later, rec(user("c"), "v"), rec(cached("", "twice"), "1"), rec(cached("", "twice"), "2"),
			})
			c.ok(err)
			c.must(slices.Equal(created, []bool{true, false, true, true, false}), "it tells %v", created)
			b := c.get(user("b"))
			c.must(string(b.Value) == "new" && b.CreatedAt == now && b.UpdatedAt == now+3 && b.AccessedAt == now+3 &&
				b.ExpiresAt == now+9, "got %+v", b)
			c.must(c.get(user("c")).ExpiresAt == 0, "the old expiry is kept")
			c.must(c.value(cached("", "twice")) == "2", "the last does not win")
			c.finds(where(driver.Eq, "1", "a"), "a")
			c.must(c.get(user("a")).Revision < b.Revision && b.Revision < c.get(user("c")).Revision &&
				c.get(user("c")).Revision < c.get(cached("", "twice")).Revision, "the revisions do not rise")
			if x, ok := c.Store.(driver.FullText); ok && has(c, x) {
				c.says(x, driver.Query{}, []string{"word"}, "b")
			}
			created, err = x.PutBatch(c.ctx, nil)
			c.ok(err)
			c.must(len(created) == 0, "of nothing it tells %v", created)
		})},
		{"batch/revision", "A batch changes the change counter, and its last record has it.", able(func(c *checker, x driver.BatchPutter) {
			r, ok := c.Store.(driver.Reviser)
			if !ok || !has(c, r) {
				return
			}
			before, err := r.Revision(c.ctx)
			c.ok(err)
			_, err = x.PutBatch(c.ctx, []driver.Record{rec(user("a"), "v"), rec(user("b"), "v")})
			c.ok(err)
			after, err := r.Revision(c.ctx)
			c.ok(err)
			c.must(after > before && c.get(user("b")).Revision == after, "from %d to %d, the record has %d",
				before, after, c.get(user("b")).Revision)
		})},
		{"toucher/times", "Touch moves AccessedAt forward, and changes nothing else.", able(func(c *checker, x driver.Toucher) {
			c.putAll("k", "other")
			before := c.get(user("k"))
			c.ok(x.Touch(c.ctx, []driver.Key{user("k"), user("none")}, now+5))
			c.ok(x.Touch(c.ctx, []driver.Key{user("k")}, now+3))
			after := c.get(user("k"))
			c.must(after.AccessedAt == now+5, "AccessedAt is %d", after.AccessedAt-now)
			after.AccessedAt = before.AccessedAt
			c.must(sameHead(&before, &after), "it changed %+v to %+v", before, after)
			c.missing(user("none"))
			c.finds(driver.Query{Order: driver.ByAccessed}, "other", "k")
			c.finds(driver.Query{Order: driver.ByAccessed, Desc: true}, "k", "other")
		})},
		{"stater/counts", "Stats counts every namespace of the space.", able(func(c *checker, x driver.Stater) {
			c.put(rec(cached("b", "1"), "12345"))
			c.put(rec(cached("b", "2"), ""))
			c.put(rec(cached("a", "1"), "1"))
			c.put(rec(cached("gone", "1"), "1"))
			c.put(rec(cached("a", "1"), "123"))
			c.put(rec(user("k"), "v"))
			c.delete(cached("gone", "1"), 0)
			got, err := x.Stats(c.ctx, driver.Cache)
			c.ok(err)
			want := []driver.Stats{{Namespace: "a", Entries: 1, Bytes: 3}, {Namespace: "b", Entries: 2, Bytes: 5}}
			c.must(slices.Equal(got, want), "got %+v, want %+v", got, want)
		})},
	}
}
