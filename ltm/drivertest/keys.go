package drivertest

import (
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// awkward returns texts that a careless store takes for something else.
func awkward() []string {
	return []string{
		"'", `"`, "`", `\`, "%", "_", "a%", "a_c", "*", "?", "[a]", "$", "$.a", "--", ";", "' OR 1=1 --",
		"\x00", "a\x00", "a\x00b", "a", "A", "ä", "a\u0308", "ß", "日本語", "😀", "\u202e", " ", " a", "a ",
		"\t\n", "..", "../a", "/", "//", "a/b", ":", "a:b", "%00", "%2F", "null", "0", "00", "1e3",
		"\U0010ffff", "\ufeff", strings.Repeat("k", 10_000), strings.Repeat("k", 9_999) + "l", strings.Repeat("長", 64<<10/3),
	}
}

func keyRules() []rule {
	return []rule{
		{"key/awkward", "Every valid UTF-8 text is a key of its own.", func(c *checker) {
			for _, key := range awkward() {
				c.must(c.put(rec(user(key), key)), "%.60q is taken for another key", key)
			}
			for _, key := range awkward() {
				c.must(c.value(user(key)) == key, "%.60q holds %.60q", key, c.value(user(key)))
			}
			c.must(len(c.list(driver.Query{})) == len(awkward()), "List does not return them all")
			for _, key := range awkward() {
				c.must(c.delete(user(key), 0), "%.60q cannot be deleted", key)
			}
		}},
		{"key/awkward namespace", "Every valid UTF-8 text is a namespace of its own.", func(c *checker) {
			for _, name := range append(awkward(), "") {
				c.must(c.put(rec(cached(name, "k"), name)), "%.60q is taken for another namespace", name)
			}
			for _, name := range append(awkward(), "") {
				c.must(c.value(cached(name, "k")) == name, "%.60q holds another's value", name)
				found := c.list(driver.Query{Space: driver.Cache, Namespaces: []string{name}})
				c.must(len(found) == 1 && found[0].Key.Namespace == name, "%.60q lists %d records", name, len(found))
			}
		}},
		{"key/spaces", "Spaces are apart.", func(c *checker) {
			spaces := []driver.Space{driver.User, driver.Cache, driver.Lease, driver.Run}
			for _, s := range spaces {
				c.must(c.put(rec(driver.Key{Space: s, Key: "k"}, s.String())), "%s meets another space", s)
			}
			c.delete(driver.Key{Space: driver.Lease, Key: "k"}, 0)
			for _, s := range spaces {
				if s != driver.Lease {
					c.must(c.value(driver.Key{Space: s, Key: "k"}) == s.String(), "%s meets another space", s)
				}
			}
		}},
		{"key/namespaces", "Namespaces are apart, however they join with the key.", func(c *checker) {
			for i, pair := range [][2]string{{"a", "b:c"}, {"a:b", "c"}, {"", "a:b:c"}, {"a", "b/c"}, {"a/b", "c"},
				{"a", "b\x00c"}, {"a\x00b", "c"}, {"ab", "c"}, {"a", "bc"}} {
				c.must(c.put(rec(cached(pair[0], pair[1]), "v")), "pair %d is taken for another", i)
			}
		}},
	}
}

func conditionRules() []rule {
	absent := driver.Condition{Absent: true}
	return []rule{
		{"absent/free", "Put if absent stores where there is nothing.", func(c *checker) {
			created, err := c.Put(c.ctx, rec(user("k"), "1"), absent)
			c.ok(err)
			c.must(created && c.value(user("k")) == "1", "it was not created")
		}},
		{"absent/taken", "Put if absent leaves a live record as it is and returns ErrConflict.", func(c *checker) {
			c.put(rec(user("k"), "1"))
			before := c.get(user("k"))
			_, err := c.Put(c.ctx, rec(user("k"), "2"), absent)
			c.is(err, driver.ErrConflict)
			after := c.get(user("k"))
			c.must(string(after.Value) == "1" && after.Revision == before.Revision, "it has changed")
		}},
		{"absent/expired", "Put if absent replaces a record from its expiry on, and not before.", func(c *checker) {
			c.put(expiring(user("k"), now+5))
			r := rec(user("k"), "2")
			r.UpdatedAt = now + 4
			_, err := c.Put(c.ctx, r, absent)
			c.is(err, driver.ErrConflict)
			r.UpdatedAt = now + 5
			created, err := c.Put(c.ctx, r, absent)
			c.ok(err)
			c.must(created && c.value(user("k")) == "2", "it was not replaced")
		}},
		{"revision/fits", "Put if of a revision overwrites that revision.", func(c *checker) {
			c.put(rec(user("k"), "1"))
			created, err := c.Put(c.ctx, rec(user("k"), "2"), driver.Condition{Revision: c.get(user("k")).Revision})
			c.ok(err)
			c.must(!created && c.value(user("k")) == "2", "it was not overwritten")
		}},
		{"revision/stale", "Put if of a revision leaves another revision as it is.", func(c *checker) {
			c.put(rec(user("k"), "1"))
			old := c.get(user("k")).Revision
			c.put(rec(user("k"), "2"))
			_, err := c.Put(c.ctx, rec(user("k"), "3"), driver.Condition{Revision: old})
			c.is(err, driver.ErrConflict)
			c.must(c.value(user("k")) == "2", "it has changed")
		}},
		{"revision/gone", "Put if of a revision creates nothing.", func(c *checker) {
			c.put(rec(cached("", "k"), "1"))
			old := c.get(cached("", "k")).Revision
			c.delete(cached("", "k"), 0)
			_, err := c.Put(c.ctx, rec(cached("", "k"), "2"), driver.Condition{Revision: old})
			c.is(err, driver.ErrConflict)
			c.missing(cached("", "k"))
		}},
		{"revision/and absent", "Both conditions must hold: of that revision, and expired.", func(c *checker) {
			c.put(expiring(user("k"), now+5))
			both := driver.Condition{Absent: true, Revision: c.get(user("k")).Revision}
			r := rec(user("k"), "2")
			_, err := c.Put(c.ctx, r, both)
			c.is(err, driver.ErrConflict)
			r.UpdatedAt = now + 5
			_, err = c.Put(c.ctx, r, driver.Condition{Absent: true, Revision: both.Revision + 1})
			c.is(err, driver.ErrConflict)
			created, err := c.Put(c.ctx, r, both)
			c.ok(err)
			c.must(created && c.value(user("k")) == "2", "it was not replaced")
		}},
	}
}

func deleteRules() []rule {
	return []rule{
		{"delete/tells", "Delete removes the record and tells whether there was one.", func(c *checker) {
			c.must(!c.delete(user("k"), 0), "it deleted what was not there")
			c.putAll("k")
			c.must(c.delete(user("k"), 0), "it did not delete")
			c.missing(user("k"))
			c.must(!c.delete(user("k"), 0), "it deleted twice")
			c.finds(driver.Query{})
		}},
		{"delete/only", "Delete removes that record only.", func(c *checker) {
			c.putAll("k", "K", "k ", "kk", "%", "*")
			c.put(rec(cached("", "k"), "v"))
			c.put(rec(driver.Key{Namespace: "n", Key: "k"}, "v"))
			c.delete(user("*"), 0)
			c.delete(user("%"), 0)
			c.delete(user("k"), 0)
			c.finds(driver.Query{Namespaces: []string{""}}, "K", "k ", "kk")
			c.get(cached("", "k"))
			c.get(driver.Key{Namespace: "n", Key: "k"})
		}},
		{"delete/revision", "Delete of a revision removes that revision only.", func(c *checker) {
			c.putAll("k")
			old := c.get(user("k")).Revision
			c.putAll("k")
			c.must(!c.delete(user("k"), old), "it deleted another revision")
			c.must(c.delete(user("k"), c.get(user("k")).Revision), "it did not delete the present revision")
			c.missing(user("k"))
		}},
	}
}
