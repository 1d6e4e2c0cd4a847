package drivertest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

// againRule is a rule about two handles on the same data.
type againRule struct {
	name, text string
	check      func(a, b *checker)
}

// runAgain checks the rules about two handles.
func (o *Options) runAgain(t *testing.T, open func(t *testing.T) driver.Store) {
	t.Helper()
	for _, r := range againRules() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			o.skip(t, r.name)
			if o.Again == nil {
				t.Skip("the driver has no second handle")
			}
			a := open(t)
			b := o.Again(t, a)
			both := rule{check: func(c *checker) { r.check(c, &checker{c.ctx, b}) }}
			if err := both.broken(t.Context(), a); err != nil {
				t.Errorf("broken rule: %s\n%v", r.text, err)
			}
			if err := errors.Join(a.Close(), b.Close()); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func againRules() []againRule {
	return []againRule{
		{"again/sees", "What one handle puts or deletes the other sees at once.", func(a, b *checker) {
			for i := range 10 {
				one, other := a, b
				if i%2 == 1 {
					one, other = b, a
				}
				one.put(rec(user("k"), fmt.Sprint(i)))
				other.must(other.value(user("k")) == fmt.Sprint(i), "it still holds %q", other.value(user("k")))
				other.must(len(other.list(driver.Query{})) == 1, "it is not listed once")
			}
			a.delete(user("k"), 0)
			b.missing(user("k"))
			b.finds(driver.Query{})
		}},
		{"again/absent", "Of many who put if absent through two handles, one wins.", func(a, b *checker) {
			for round := range 5 {
				var won atomic.Int64
				a.ok(parallel(8, func(i int) error {
					s := []*checker{a, b}[i%2]
					created, err := s.Put(s.ctx, rec(user(fmt.Sprint(round)), "v"), driver.Condition{Absent: true})
					if created {
						won.Add(1)
					}
					if errors.Is(err, driver.ErrConflict) {
						return nil
					}
					return err
				}))
				a.must(won.Load() == 1, "%d won", won.Load())
			}
		}},
		{"again/revision", "Put if of a revision loses no update through two handles.", func(a, b *checker) {
			a.put(rec(user("n"), "0"))
			a.ok(parallel(4, func(i int) error {
				for range 5 {
					if err := increment(a.ctx, []*checker{a, b}[i%2].Store, user("n")); err != nil {
						return err
					}
				}
				return nil
			}))
			a.must(b.value(user("n")) == "20", "20 increments led to %s", b.value(user("n")))
		}},
		{"again/puts", "Puts through two handles all land, each with a revision of its own.", func(a, b *checker) {
			a.ok(parallel(6, func(i int) error {
				s := []*checker{a, b}[i%2]
				for j := range 8 {
					if _, err := s.Put(s.ctx, rec(user(fmt.Sprint(i, " ", j)), "v"), driver.Condition{}); err != nil {
						return err
					}
				}
				return nil
			}))
			revisions := map[int64]bool{}
			for _, r := range a.list(driver.Query{}) {
				revisions[r.Revision] = true
			}
			a.must(len(revisions) == 48, "there are %d revisions of 48", len(revisions))
		}},
		{"again/counter", "The change counter tells of changes through the other handle.", func(a, b *checker) {
			x, ok := b.Store.(driver.Reviser)
			if !ok || !has(b, x) {
				return
			}
			before, err := x.Revision(b.ctx)
			b.ok(err)
			a.putAll("k")
			after, err := x.Revision(b.ctx)
			b.ok(err)
			b.must(after != before, "it is still %d", after)
			a.delete(user("k"), 0)
			last, err := x.Revision(b.ctx)
			b.ok(err)
			b.must(last != after, "it is still %d after Delete", last)
		}},
		{"again/closed", "What was put is there after the handle that put it was closed.", func(a, b *checker) {
			for i := range 20 {
				a.putAll(fmt.Sprint(i))
			}
			a.ok(a.Close())
			b.must(len(b.list(driver.Query{})) == 20, "%d of 20 are there", len(b.list(driver.Query{})))
			b.putAll("more")
		}},
	}
}
