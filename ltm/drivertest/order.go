package drivertest

import (
	"fmt"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

// timed puts a record that was created, updated and expires at these times.
func (c *checker) timed(key string, created, updated, expires int64) {
	r := rec(user(key), "v")
	r.UpdatedAt = created
	c.put(r)
	r.UpdatedAt, r.ExpiresAt = updated, expires
	c.put(r)
}

func orderRules() []rule {
	return []rule{
		{"order/key", "ByKey is by the bytes of namespace, then of key.", func(c *checker) {
			keys := []string{"a", "B", "ab", "a\x00", "ä", "Z", "10", "9", "\U0001f600", "\uffff"}
			c.putAll(keys...)
			slices.Sort(keys)
			c.finds(driver.Query{}, keys...)
			c.put(rec(cached("b", "1"), "v"))
			c.put(rec(cached("a", "2"), "v"))
			c.put(rec(cached("", "3"), "v"))
			c.finds(driver.Query{Space: driver.Cache}, "3", "2", "1")
			c.finds(driver.Query{Space: driver.Cache, Desc: true}, "1", "2", "3")
		}},
		{"order/times", "ByCreated, ByUpdated and ByExpiry order by that time.", func(c *checker) {
			c.timed("a", 1, 9, 30)
			c.timed("b", 3, 8, 20)
			c.timed("c", 2, 10, 10)
			c.finds(driver.Query{Order: driver.ByCreated}, "a", "c", "b")
			c.finds(driver.Query{Order: driver.ByUpdated}, "b", "a", "c")
			c.finds(driver.Query{Order: driver.ByExpiry}, "c", "b", "a")
			c.finds(driver.Query{Order: driver.ByAccessed}, "b", "a", "c")
			c.finds(driver.Query{Order: driver.ByCreated, Desc: true}, "b", "c", "a")
			c.finds(driver.Query{Order: driver.ByUpdated, Desc: true, Limit: 1}, "c")
		}},
		{"order/ties", "Equal times are ordered by namespace and key.", func(c *checker) {
			c.putAll("c", "a", "b")
			c.finds(driver.Query{Order: driver.ByCreated}, "a", "b", "c")
			c.finds(driver.Query{Order: driver.ByCreated, Desc: true}, "c", "b", "a")
		}},
		{"order/expiry", "ByExpiry lists only what expires.", func(c *checker) {
			c.putAll("never")
			c.put(expiring(user("some day"), now+1))
			c.finds(driver.Query{Order: driver.ByExpiry}, "some day")
		}},
		{"order/before limit", "Order comes before the limit.", func(c *checker) {
			for i := range 30 {
				c.timed(fmt.Sprintf("k%02d", i), int64(100-i), now, 0)
			}
			c.finds(driver.Query{Order: driver.ByCreated, Limit: 2}, "k29", "k28")
			c.finds(driver.Query{Desc: true, Limit: 2}, "k29", "k28")
		}},
	}
}

// walk follows pages of the given size and calls between after each.
func (c *checker) walk(q driver.Query, size int, between func(page int)) []string {
	q.Limit = size
	seen := []string{}
	for page := 0; page < 1000; page++ {
		records := c.list(q)
		c.must(len(records) <= size, "a page of %d has %d records", size, len(records))
		seen = append(seen, keysOf(records)...)
		if len(records) < size {
			return seen
		}
		last := q.Position(&records[len(records)-1])
		q.After = &last
		between(page)
	}
	c.fail("the pages have no end")
	return nil
}

// orders returns every order in both directions.
func orders() []driver.Query {
	var all []driver.Query
	for o := driver.ByKey; o <= driver.ByExpiry; o++ {
		all = append(all, driver.Query{Order: o}, driver.Query{Order: o, Desc: true})
	}
	return all
}

func pageRules() []rule {
	nothing := func(int) {}
	return []rule{
		{"page/all", "Pages reach every record once, in order, in every order.", func(c *checker) {
			for i := range 23 {
				key := driver.Key{Namespace: fmt.Sprint(i % 3), Key: fmt.Sprintf("k%02d", i)}
				r := expiring(key, now+int64(i%4))
				r.UpdatedAt = now - int64(i%5)
				c.put(r)
			}
			for _, q := range orders() {
				want := keysOf(c.list(q))
				c.must(len(want) == 23, "%+v lists %d of 23", q, len(want))
				for _, size := range []int{1, 5, 23, 24} {
					got := c.walk(q, size, nothing)
					c.must(slices.Equal(got, want), "pages of %d of %+v are\n%q\nwant\n%q", size, q, got, want)
				}
			}
		}},
		{"page/filtered", "Pages of a filtered list reach every match once.", func(c *checker) {
			for i := range 30 {
				c.put(meta(fmt.Sprintf("k%02d", i), fmt.Sprintf(`{"m":%d}`, i%3)))
			}
			for _, q := range []driver.Query{where(driver.Eq, "1", "m"), where(driver.Gt, "1", "m"), {Glob: "*1*"}} {
				c.must(slices.Equal(c.walk(q, 4, nothing), keysOf(c.list(q))), "pages of %+v differ from the whole", q)
			}
		}},
		{"page/deleting", "Deleting what a page showed does not hide what follows.", func(c *checker) {
			for i := range 40 {
				c.putAll(fmt.Sprintf("k%02d", i))
			}
			gone := 0
			seen := c.walk(driver.Query{}, 7, func(page int) {
				for ; gone < (page+1)*7; gone++ {
					c.delete(user(fmt.Sprintf("k%02d", gone)), 0)
				}
			})
			c.must(len(seen) == 40, "%d of 40 were seen", len(seen))
		}},
		{"page/adding", "Adding records does not repeat or hide others.", func(c *checker) {
			for i := range 20 {
				c.putAll(fmt.Sprintf("k%02d", i))
			}
			seen := c.walk(driver.Query{}, 6, func(page int) { c.putAll(fmt.Sprintf("a%d", page)) })
			c.must(len(seen) == 20, "%d of 20 were seen: %q", len(seen), seen)
		}},
		{"page/after gone", "A page may follow a place whose record is gone, or never was.", func(c *checker) {
			c.putAll("a", "c")
			c.finds(driver.Query{After: &driver.Position{Key: "b"}}, "c")
			c.finds(driver.Query{After: &driver.Position{Key: "b"}, Desc: true}, "a")
			c.finds(driver.Query{Order: driver.ByUpdated, After: &driver.Position{At: now, Key: "a"}}, "c")
			c.finds(driver.Query{Order: driver.ByUpdated, After: &driver.Position{At: now + 1}})
		}},
	}
}
