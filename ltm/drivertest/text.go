package drivertest

import (
	"fmt"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

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
