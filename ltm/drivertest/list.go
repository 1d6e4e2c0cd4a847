package drivertest

import (
	"github.com/tea-agents/tea/ltm/driver"
)

func listRules() []rule {
	return []rule{
		{"list/nothing", "List of an empty store is empty.", func(c *checker) { c.finds(driver.Query{}) }},
		{"list/space", "List stays in its space.", func(c *checker) {
			c.putAll("mine")
			c.put(rec(cached("", "cached"), "v"))
			c.finds(driver.Query{}, "mine")
			c.finds(driver.Query{Space: driver.Cache}, "cached")
			c.finds(driver.Query{Space: driver.Run})
		}},
		{"list/namespaces", "Nil is every namespace, a list is exactly those in it.", func(c *checker) {
			for _, name := range []string{"", "a", "ab", "b"} {
				c.put(rec(cached(name, "in "+name), "v"))
			}
			c.finds(driver.Query{Space: driver.Cache}, "in ", "in a", "in ab", "in b")
			c.finds(driver.Query{Space: driver.Cache, Namespaces: []string{"a"}}, "in a")
			c.finds(driver.Query{Space: driver.Cache, Namespaces: []string{""}}, "in ")
			c.finds(driver.Query{Space: driver.Cache, Namespaces: []string{"b", "a", "none"}}, "in a", "in b")
			c.finds(driver.Query{Space: driver.Cache, Namespaces: []string{}})
			c.finds(driver.Query{Space: driver.Cache, Namespaces: []string{"*"}})
		}},
		{"list/namespace prefix", "A prefix of the namespace is literal, and holds beside the list of them.", func(c *checker) {
			for _, name := range []string{"", "a", "a%", "a%b", "ab", "A%", "ä", "a\x00"} {
				c.put(rec(cached(name, "in "+name), "v"))
			}
			c.finds(driver.Query{Space: driver.Cache, NamespacePrefix: "a%"}, "in a%", "in a%b")
			c.finds(driver.Query{Space: driver.Cache, NamespacePrefix: "a"}, "in a", "in a\x00", "in a%", "in a%b", "in ab")
			c.finds(driver.Query{Space: driver.Cache, NamespacePrefix: "a", Namespaces: []string{"ab", "ä"}}, "in ab")
			c.finds(driver.Query{Space: driver.Cache, NamespacePrefix: "none"})
		}},
		{"list/whole", "List returns what Get does.", func(c *checker) {
			r := meta("k", `{"a":1}`)
			r.ExpiresAt = now + 9
			c.put(r)
			got, want := c.list(driver.Query{})[0], c.get(user("k"))
			c.must(string(got.Value) == string(want.Value) && string(got.Metadata) == string(want.Metadata), "bytes differ")
			got.Value, want.Value, got.Metadata, want.Metadata = nil, nil, nil, nil
			c.must(sameHead(&got, &want), "List: %+v\nGet: %+v", got, want)
		}},
		{"list/keys only", "With KeysOnly there is all but value and metadata, also where metadata are filtered.", func(c *checker) {
			c.put(meta("k", `{"a":1}`))
			want := c.get(user("k"))
			for _, filters := range [][]driver.Filter{nil, {{Path: []string{"a"}, Op: driver.Exists}}} {
				got := c.list(driver.Query{KeysOnly: true, Filters: filters})
				c.must(len(got) == 1 && got[0].Value == nil && got[0].Metadata == nil && sameHead(&got[0], &want), "got %+v", got)
			}
		}},
		{"list/once", "An overwritten record is listed once, a deleted one is not.", func(c *checker) {
			c.putAll("a", "a", "b", "b")
			c.delete(user("b"), 0)
			c.finds(driver.Query{}, "a")
		}},
		{"list/prefix", "A prefix is literal.", func(c *checker) {
			c.putAll("a%", "a%b", "ab", "a", "a*", "a_", "A%", "%", "b", "a\x00", "ä", "äb")
			c.finds(driver.Query{Prefix: "a%"}, "a%", "a%b")
			c.finds(driver.Query{Prefix: "a*"}, "a*")
			c.finds(driver.Query{Prefix: "a_"}, "a_")
			c.finds(driver.Query{Prefix: "%"}, "%")
			c.finds(driver.Query{Prefix: "ä"}, "ä", "äb")
			c.finds(driver.Query{Prefix: "a\x00"}, "a\x00")
			c.finds(driver.Query{Prefix: "a"}, "a", "a\x00", "a%", "a%b", "a*", "a_", "ab")
			c.finds(driver.Query{Prefix: "none"})
		}},
		{"list/prefix end", "A prefix of the highest characters works.", func(c *checker) {
			c.putAll("\U0010ffff", "\U0010ffffa", "\u07ff", "\u07ffa", "\u0800")
			c.finds(driver.Query{Prefix: "\U0010ffff"}, "\U0010ffff", "\U0010ffffa")
			c.finds(driver.Query{Prefix: "\u07ff"}, "\u07ff", "\u07ffa")
		}},
		{"list/glob", `In a glob "*" is any text, also across separators, and matches the whole key.`, func(c *checker) {
			c.putAll("cache:x:1", "cache:x:2", "cache:y:1", "cache:", "cache", "a\n:1", "xcache:x:1")
			c.finds(driver.Query{Glob: "cache:x:*"}, "cache:x:1", "cache:x:2")
			c.finds(driver.Query{Glob: "cache:*"}, "cache:", "cache:x:1", "cache:x:2", "cache:y:1")
			c.finds(driver.Query{Glob: "*:1"}, "a\n:1", "cache:x:1", "cache:y:1", "xcache:x:1")
			c.finds(driver.Query{Glob: "cache*:*1"}, "cache:x:1", "cache:y:1")
			c.finds(driver.Query{Glob: "*e:x*"}, "cache:x:1", "cache:x:2", "xcache:x:1")
			c.finds(driver.Query{Glob: "cache"}, "cache")
			c.finds(driver.Query{Glob: "CACHE"})
			c.finds(driver.Query{Glob: "*", Limit: 2}, "a\n:1", "cache")
			c.finds(driver.Query{Glob: "**x**2"}, "cache:x:2")
		}},
		{"list/glob literal", "In a glob every character but the star stands for itself.", func(c *checker) {
			c.putAll("a?", "ab", "[a]", "a", "a%", "a_", `a\`, "a.", "(a)", "a+")
			for _, key := range []string{"a?", "[a]", "a%", "a_", `a\`, "a.", "(a)", "a+"} {
				c.finds(driver.Query{Glob: key}, key)
				c.finds(driver.Query{Glob: "*" + key}, key)
				c.finds(driver.Query{Glob: key + "*"}, key)
			}
		}},
		{"list/glob overlap", "The parts of a glob do not overlap.", func(c *checker) {
			c.putAll("aba", "ababa", "abba", "a", "aa")
			c.finds(driver.Query{Glob: "aba*aba"})
			c.finds(driver.Query{Glob: "ab*ba"}, "ababa", "abba")
			c.finds(driver.Query{Glob: "a*a"}, "aa", "aba", "ababa", "abba")
		}},
		{"list/prefix and glob", "Prefix, glob and namespace must all hold.", func(c *checker) {
			c.putAll("ab1", "ab2", "ac1", "b1")
			c.put(rec(driver.Key{Namespace: "n", Key: "ab1"}, "v"))
			c.finds(driver.Query{Namespaces: []string{""}, Prefix: "ab", Glob: "*1"}, "ab1")
		}},
		{"list/expired by", "ExpiredBy selects what has an expiry not later than that time.", func(c *checker) {
			c.put(rec(user("never"), "v"))
			for key, at := range map[string]int64{"a": now - 1, "b": now, "c": now + 1} {
				c.put(expiring(user(key), at))
			}
			c.finds(driver.Query{ExpiredBy: now}, "a", "b")
			c.finds(driver.Query{ExpiredBy: 1})
		}},
		{"list/live at", "LiveAt selects what has no expiry, or a later one.", func(c *checker) {
			c.put(rec(user("never"), "v"))
			for key, at := range map[string]int64{"a": now - 1, "b": now, "c": now + 1} {
				c.put(expiring(user(key), at))
			}
			c.finds(driver.Query{LiveAt: now}, "c", "never")
			c.finds(driver.Query{}, "a", "b", "c", "never")
		}},
	}
}

// sameHead compares all but bytes.
func sameHead(a, b *driver.Record) bool {
	return a.Key == b.Key && a.CreatedAt == b.CreatedAt && a.UpdatedAt == b.UpdatedAt &&
		a.AccessedAt == b.AccessedAt && a.ExpiresAt == b.ExpiresAt && a.Revision == b.Revision && a.Size == b.Size
}
