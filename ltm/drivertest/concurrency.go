package drivertest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// parallel runs f in n goroutines, which begin together, and returns their
// errors.
func parallel(n int, f func(i int) error) error {
	var wg sync.WaitGroup
	begin := make(chan struct{})
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			<-begin
			errs[i] = f(i)
		})
	}
	close(begin)
	wg.Wait()
	return errors.Join(errs...)
}

func concurrencyRules() []rule {
	absent := driver.Condition{Absent: true}
	return []rule{
		{"concurrent/absent", "Of many who put if absent at once, one wins.", func(c *checker) {
			for round := range 5 {
				key := user(strconv.Itoa(round))
				var won atomic.Int64
				c.ok(parallel(8, func(i int) error {
					created, err := c.Put(c.ctx, rec(key, strconv.Itoa(i)), absent)
					switch {
					case errors.Is(err, driver.ErrConflict):
						return nil
					case err == nil && created:
						won.Add(1)
					}
					return err
				}))
				c.must(won.Load() == 1, "%d won", won.Load())
			}
		}},
		{"concurrent/revision", "Put if of a revision loses no update.", func(c *checker) {
			key := cached("", "counter")
			c.put(rec(key, "0"))
			c.ok(parallel(6, func(int) error {
				for range 5 {
					if err := increment(c.ctx, c.Store, key); err != nil {
						return err
					}
				}
				return nil
			}))
			c.must(c.value(key) == "30", "30 increments led to %s", c.value(key))
		}},
		{"concurrent/puts", "Puts at once all land.", func(c *checker) {
			c.ok(parallel(8, func(i int) error {
				for j := range 10 {
					if _, err := c.Put(c.ctx, rec(user(fmt.Sprint(i, " ", j)), "v"), driver.Condition{}); err != nil {
						return err
					}
				}
				return nil
			}))
			found := c.list(driver.Query{})
			c.must(len(found) == 80, "%d of 80 are there", len(found))
			revisions := map[int64]bool{}
			for _, r := range found {
				revisions[r.Revision] = true
			}
			c.must(len(revisions) == 80, "two records share a revision")
		}},
		{"concurrent/whole", "A reader sees a Put wholly or not at all.", func(c *checker) {
			version := func(i int) driver.Record {
				r := meta("k", fmt.Sprintf(`{"v":%d}`, i))
				r.Value, r.ExpiresAt = fmt.Appendf(nil, `{"v":%d}`, i), int64(now+i)
				return r
			}
			c.put(version(0))
			c.ok(parallel(4, func(who int) error {
				for i := range 25 {
					if who == 0 {
						if _, err := c.Put(c.ctx, version(i), driver.Condition{}); err != nil {
							return err
						}
						continue
					}
					if err := oneVersion(c, who%2 == 0); err != nil {
						return err
					}
				}
				return nil
			}))
		}},
		{"concurrent/delete", "Of many who delete a record at once, one is told that it did.", func(c *checker) {
			c.putAll("k")
			var deleted atomic.Int64
			c.ok(parallel(8, func(int) error {
				ok, err := c.Delete(c.ctx, user("k"), 0)
				if ok {
					deleted.Add(1)
				}
				return err
			}))
			c.must(deleted.Load() == 1, "%d were told", deleted.Load())
		}},
	}
}

// increment adds one to a number by put if of a revision.
func increment(ctx context.Context, s driver.Store, key driver.Key) error {
	for range 1000 {
		r, err := s.Get(ctx, key)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(r.Value))
		if err != nil {
			return err
		}
		_, err = s.Put(ctx, rec(key, strconv.Itoa(n+1)), driver.Condition{Revision: r.Revision})
		if !errors.Is(err, driver.ErrConflict) {
			return err
		}
	}
	return errors.New("the revision just read never holds")
}

// oneVersion reads the record k, which holds the same in value, metadata and
// expiry.
func oneVersion(c *checker, byList bool) error {
	r, err := c.Get(c.ctx, user("k"))
	if byList {
		var all []driver.Record
		if all, err = c.List(c.ctx, driver.Query{Limit: 10}); err == nil {
			if len(all) != 1 {
				return fmt.Errorf("%d records are listed", len(all))
			}
			r = all[0]
		}
	}
	if err != nil {
		return err
	}
	if want := fmt.Sprintf(`{"v":%d}`, r.ExpiresAt-now); string(r.Value) != want || string(r.Metadata) != want {
		return fmt.Errorf("value %s, metadata %s, expiry %d", r.Value, r.Metadata, r.ExpiresAt-now)
	}
	return nil
}

// calls makes every call of a store.
func calls(ctx context.Context, s driver.Store) map[string]error {
	_, get := s.Get(ctx, user("k"))
	_, put := s.Put(ctx, rec(user("new"), "v"), driver.Condition{})
	_, del := s.Delete(ctx, user("k"), 0)
	_, list := s.List(ctx, driver.Query{Limit: 1})
	errs := map[string]error{"Get": get, "Put": put, "Delete": del, "List": list}
	if x, ok := s.(driver.Expirer); ok {
		_, errs["DeleteExpired"] = x.DeleteExpired(ctx, driver.User, now, 10)
	}
	if x, ok := s.(driver.FullText); ok {
		_, errs["Search"] = x.Search(ctx, driver.Query{Limit: 1}, []string{"a"})
	}
	if x, ok := s.(driver.Reviser); ok {
		_, errs["Revision"] = x.Revision(ctx)
	}
	if x, ok := s.(driver.BatchDeleter); ok {
		_, errs["DeleteBatch"] = x.DeleteBatch(ctx, []driver.Ref{{Key: user("k")}})
	}
	if x, ok := s.(driver.BatchGetter); ok {
		_, errs["GetBatch"] = x.GetBatch(ctx, []driver.Key{user("k")})
	}
	if x, ok := s.(driver.BatchPutter); ok {
		_, errs["PutBatch"] = x.PutBatch(ctx, []driver.Record{rec(user("new"), "v")})
	}
	if x, ok := s.(driver.Toucher); ok {
		errs["Touch"] = x.Touch(ctx, []driver.Key{user("k")}, now+99)
	}
	if x, ok := s.(driver.Stater); ok {
		_, errs["Stats"] = x.Stats(ctx, driver.User)
	}
	for name, err := range errs {
		if errors.Is(err, errors.ErrUnsupported) {
			delete(errs, name)
		}
	}
	return errs
}

func lifeRules() []rule {
	return []rule{
		{"context/canceled", "A call whose context is canceled does nothing and says so.", func(c *checker) {
			c.put(expiring(user("k"), now-1))
			before := c.get(user("k"))
			ctx, cancel := context.WithCancel(c.ctx)
			cancel()
			for name, err := range calls(ctx, c.Store) {
				c.must(errors.Is(err, context.Canceled), "%s returns %v", name, err)
			}
			c.missing(user("new"))
			after := c.get(user("k"))
			c.must(sameHead(&before, &after), "the record has changed")
		}},
		{"context/deadline", "A call whose deadline is over says so.", func(c *checker) {
			ctx, cancel := context.WithTimeout(c.ctx, -time.Second)
			defer cancel()
			for name, err := range calls(ctx, c.Store) {
				c.must(errors.Is(err, context.DeadlineExceeded), "%s returns %v", name, err)
			}
		}},
		{"close/closed", "After Close every call returns ErrClosed, and Close nil.", func(c *checker) {
			c.putAll("k")
			c.ok(c.Close())
			for name, err := range calls(c.ctx, c.Store) {
				c.must(errors.Is(err, driver.ErrClosed), "%s returns %v", name, err)
			}
			c.ok(c.Close())
		}},
	}
}
