package drivertest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

func batchRules() []rule {
	return []rule{
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
	}
}
