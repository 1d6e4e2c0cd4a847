package drivertest_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// mutant is a sound store of which some methods are replaced.
type mutant struct {
	*memltm.Store
	get     func(context.Context, driver.Key) (driver.Record, error)
	put     func(context.Context, driver.Record, driver.Condition) (bool, error)
	del     func(context.Context, driver.Key, int64) (bool, error)
	list    func(context.Context, driver.Query) ([]driver.Record, error)
	expire  func(context.Context, driver.Space, int64, int) (int, error)
	count   func(context.Context) (int64, error)
	batch   func(context.Context, []driver.Ref) ([]bool, error)
	touch   func(context.Context, []driver.Key, int64) error
	stats   func(context.Context, driver.Space) ([]driver.Stats, error)
	gets    func(context.Context, []driver.Key) (map[driver.Key]driver.Record, error)
	puts    func(context.Context, []driver.Record) ([]bool, error)
	closing func() error
}

func (m *mutant) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	return m.gets(ctx, keys)
}
func (m *mutant) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	return m.puts(ctx, records)
}

func (m *mutant) Get(ctx context.Context, k driver.Key) (driver.Record, error) { return m.get(ctx, k) }
func (m *mutant) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	return m.put(ctx, r, c)
}
func (m *mutant) Delete(ctx context.Context, k driver.Key, r int64) (bool, error) {
	return m.del(ctx, k, r)
}
func (m *mutant) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	return m.list(ctx, q)
}
func (m *mutant) DeleteExpired(ctx context.Context, s driver.Space, now int64, n int) (int, error) {
	return m.expire(ctx, s, now, n)
}
func (m *mutant) Revision(ctx context.Context) (int64, error) { return m.count(ctx) }
func (m *mutant) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	return m.batch(ctx, refs)
}
func (m *mutant) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	return m.touch(ctx, keys, at)
}
func (m *mutant) Stats(ctx context.Context, s driver.Space) ([]driver.Stats, error) {
	return m.stats(ctx, s)
}
func (m *mutant) Close() error { return m.closing() }

// sound returns a mutant that is none yet.
func sound() *mutant {
	s := memltm.New()
	return &mutant{Store: s, get: s.Get, put: s.Put, del: s.Delete, list: s.List, expire: s.DeleteExpired,
		count: s.Revision, batch: s.DeleteBatch, touch: s.Touch, stats: s.Stats, gets: s.GetBatch, puts: s.PutBatch, closing: s.Close}
}

// putting changes what is put.
func putting(change func(*driver.Record, *driver.Condition)) func(*mutant) {
	return func(m *mutant) {
		m.put = func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
			change(&r, &c)
			return m.Store.Put(ctx, r, c)
		}
	}
}

// getting changes what Get returns.
func getting(change func(*driver.Record)) func(*mutant) {
	return func(m *mutant) {
		m.get = func(ctx context.Context, k driver.Key) (driver.Record, error) {
			r, err := m.Store.Get(ctx, k)
			change(&r)
			return r, err
		}
	}
}

// asking changes what is asked of List.
func asking(change func(*driver.Query)) func(*mutant) {
	return func(m *mutant) {
		m.list = func(ctx context.Context, q driver.Query) ([]driver.Record, error) {
			change(&q)
			return m.Store.List(ctx, q)
		}
	}
}

// rekeyed maps every key to another one.
func rekeyed(change func(driver.Key) driver.Key) func(*mutant) {
	return func(m *mutant) {
		m.get = func(ctx context.Context, k driver.Key) (driver.Record, error) { return m.Store.Get(ctx, change(k)) }
		m.del = func(ctx context.Context, k driver.Key, r int64) (bool, error) {
			return m.Store.Delete(ctx, change(k), r)
		}
		m.put = func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
			r.Key = change(r.Key)
			return m.Store.Put(ctx, r, c)
		}
	}
}

// listing replaces the conditions of List by match; what follows is sound.
func listing(match func(q driver.Query, r *driver.Record) bool) func(*mutant) {
	return func(m *mutant) {
		m.list = func(ctx context.Context, q driver.Query) ([]driver.Record, error) {
			limit, after := q.Limit, q.After
			loose := driver.Query{Space: q.Space, Order: q.Order, Desc: q.Desc, Limit: 1 << 20}
			all, err := m.Store.List(ctx, loose)
			var kept []driver.Record
			for i := range all {
				late := after == nil || q.Compare(q.Position(&all[i]), *after) > 0
				if match(q, &all[i]) && late && len(kept) < limit {
					if q.KeysOnly {
						all[i].Value, all[i].Metadata = nil, nil
					}
					kept = append(kept, all[i])
				}
			}
			return kept, err
		}
	}
}

func exactly(q driver.Query, r *driver.Record) bool {
	ok, _ := q.Match(r)
	return ok
}

// loosely matches with values that a conversion has made alike.
func loosely(convert func(value.Value) value.Value) func(q driver.Query, r *driver.Record) bool {
	return func(q driver.Query, r *driver.Record) bool {
		filters := q.Filters
		q.Filters = nil
		meta, _ := value.Parse(r.Metadata)
		for _, f := range filters {
			if f.Op == driver.Eq {
				got := convert(meta.At(f.Path...))
				if !value.Equal(got, convert(f.Value)) {
					return false
				}
			} else if !f.Match(meta) {
				return false
			}
		}
		return exactly(q, r)
	}
}

func asText(v value.Value) value.Value {
	if s, ok := v.AsString(); ok {
		return value.String(s)
	}
	return value.String(v.String())
}

func asFloat(v value.Value) value.Value {
	if f, ok := v.AsFloat(); ok {
		return value.Float(f)
	}
	return v
}

type putFunc = func(context.Context, driver.Record, driver.Condition) (bool, error)

// slowly lets others come between the check and the put.
func slowly(put putFunc, s *memltm.Store) putFunc {
	return func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
		if !c.Absent || c.Revision != 0 {
			return put(ctx, r, c)
		}
		old, err := s.Get(ctx, r.Key)
		if err == nil && !c.Holds(&old, r.UpdatedAt) {
			return false, driver.ErrConflict
		}
		time.Sleep(time.Millisecond)
		created, err := s.Put(ctx, r, driver.Condition{})
		return created || err == nil, err
	}
}

// pagesByOffset remembers how many records it has shown instead of where.
func pagesByOffset(s *memltm.Store) func(context.Context, driver.Query) ([]driver.Record, error) {
	shown := 0
	return func(ctx context.Context, q driver.Query) ([]driver.Record, error) {
		if q.After == nil {
			shown = 0
		}
		offset, limit := shown, q.Limit
		q.After, q.Limit = nil, offset+limit
		all, err := s.List(ctx, q)
		page := all[min(offset, len(all)):]
		shown += len(page)
		return page, err
	}
}

// sharing returns records that all have the bytes of the first.
func sharing(s *memltm.Store) func(context.Context, driver.Query) ([]driver.Record, error) {
	return func(ctx context.Context, q driver.Query) ([]driver.Record, error) {
		all, err := s.List(ctx, q)
		for i := range all {
			if bytes.Equal(all[i].Value, all[0].Value) {
				all[i].Value = all[0].Value
			}
		}
		return all, err
	}
}

// expireIn deletes what q lists.
func expireIn(ctx context.Context, s *memltm.Store, q driver.Query) (int, error) {
	old, err := s.List(ctx, q)
	if err != nil {
		return 0, fmt.Errorf("list: %w", err)
	}
	for _, r := range old {
		if _, err := s.Delete(ctx, r.Key, 0); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

// filtering replaces how a filter matches.
func filtering(match func(f *driver.Filter, meta value.Value) bool) func(*mutant) {
	return listing(func(q driver.Query, r *driver.Record) bool {
		filters := q.Filters
		q.Filters = nil
		meta, _ := value.Parse(r.Metadata)
		for i := range filters {
			if !match(&filters[i], meta) {
				return false
			}
		}
		return exactly(q, r)
	})
}

// changed matches a filter after changing it.
func changed(change func(f *driver.Filter)) func(*driver.Filter, value.Value) bool {
	return func(f *driver.Filter, meta value.Value) bool {
		other := *f
		change(&other)
		return other.Match(meta)
	}
}
