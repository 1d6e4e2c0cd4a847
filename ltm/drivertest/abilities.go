package drivertest

import (
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
