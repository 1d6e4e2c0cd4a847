package drivertest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/ltm/sqliteltm"
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
	closing func() error
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
		count: s.Revision, batch: s.DeleteBatch, touch: s.Touch, stats: s.Stats, closing: s.Close}
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

// mutations are the ways in which a store may be broken, each with a rule that
// must notice.
func mutations() map[string]func(*mutant) {
	return map[string]func(*mutant){
		"cuts values at NUL": putting(func(r *driver.Record, _ *driver.Condition) {
			r.Value, _, _ = bytes.Cut(r.Value, []byte{0})
		}),
		"drops expired records on Get": func(m *mutant) {
			m.get = func(ctx context.Context, k driver.Key) (driver.Record, error) {
				r, err := m.Store.Get(ctx, k)
				if err == nil && r.Expired(1_700_000_000_000) {
					return driver.Record{}, driver.ErrNotFound
				}
				return r, err
			}
		},
		"returns an empty record for a missing one": func(m *mutant) {
			m.get = func(ctx context.Context, k driver.Key) (driver.Record, error) {
				r, err := m.Store.Get(ctx, k)
				if err == driver.ErrNotFound { //nolint:errorlint // the store under test returns it as it is
					err = nil
				}
				return r, err
			}
		},
		"keeps the old metadata": func(m *mutant) {
			m.put = func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
				if old, err := m.Store.Get(ctx, r.Key); err == nil {
					r.Metadata = old.Metadata
				}
				return m.Store.Put(ctx, r, c)
			}
		},
		"keeps the old expiry": func(m *mutant) {
			m.put = func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
				if old, err := m.Store.Get(ctx, r.Key); err == nil && r.ExpiresAt == 0 {
					r.ExpiresAt = old.ExpiresAt
				}
				return m.Store.Put(ctx, r, c)
			}
		},
		"resets CreatedAt on overwriting": getting(func(r *driver.Record) { r.CreatedAt = r.UpdatedAt }),
		"rounds times to seconds":         putting(func(r *driver.Record, _ *driver.Condition) { r.ExpiresAt -= r.ExpiresAt % 1000 }),
		"forgets the size":                getting(func(r *driver.Record) { r.Size = 0 }),
		"says created always": func(m *mutant) {
			m.put = func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
				_, err := m.Store.Put(ctx, r, c)
				return err == nil, err
			}
		},
		"starts revisions anew": func(m *mutant) {
			m.get = func(ctx context.Context, k driver.Key) (driver.Record, error) {
				r, err := m.Store.Get(ctx, k)
				r.Revision = min(r.Revision, 1)
				return r, err
			}
		},
		"folds case":             rekeyed(func(k driver.Key) driver.Key { k.Key = strings.ToLower(k.Key); return k }),
		"trims keys":             rekeyed(func(k driver.Key) driver.Key { k.Key = strings.TrimSpace(k.Key); return k }),
		"cuts long keys":         rekeyed(func(k driver.Key) driver.Key { k.Key = k.Key[:min(len(k.Key), 255)]; return k }),
		"ignores the space":      rekeyed(func(k driver.Key) driver.Key { k.Space = driver.User; return k }),
		"joins namespace by ':'": rekeyed(func(k driver.Key) driver.Key { return driver.Key{Space: k.Space, Key: k.Namespace + ":" + k.Key} }),
		"ignores absent":         putting(func(_ *driver.Record, c *driver.Condition) { c.Absent = false }),
		"ignores a revision":     putting(func(_ *driver.Record, c *driver.Condition) { c.Revision = 0 }),
		"checks absent first, then puts": func(m *mutant) {
			m.put = slowly(m.put, m.Store)
		},
		"takes expired records for present": func(m *mutant) {
			m.put = func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
				if _, err := m.Store.Get(ctx, r.Key); err == nil && c.Absent {
					return false, driver.ErrConflict
				}
				return m.Store.Put(ctx, r, c)
			}
		},
		"deletes any revision": func(m *mutant) {
			m.del = func(ctx context.Context, k driver.Key, _ int64) (bool, error) { return m.Store.Delete(ctx, k, 0) }
		},
		"says deleted always": func(m *mutant) {
			m.del = func(ctx context.Context, k driver.Key, r int64) (bool, error) {
				_, err := m.Store.Delete(ctx, k, r)
				return err == nil, err
			}
		},
		"limits before it filters": func(m *mutant) {
			m.list = func(ctx context.Context, q driver.Query) ([]driver.Record, error) {
				filters, glob, keysOnly := q.Filters, q.Glob, q.KeysOnly
				q.Filters, q.Glob, q.KeysOnly = nil, "", false
				all, err := m.Store.List(ctx, q)
				q.Filters, q.Glob = filters, glob
				all = slices.DeleteFunc(all, func(r driver.Record) bool { return !exactly(q, &r) })
				for i := range all {
					if keysOnly {
						all[i].Value, all[i].Metadata = nil, nil
					}
				}
				return all, err
			}
		},
		"limits before it orders": func(m *mutant) {
			m.list = func(ctx context.Context, q driver.Query) ([]driver.Record, error) {
				order := q.Order
				if q.After != nil || q.Limit > 2 {
					return m.Store.List(ctx, q)
				}
				q.Order = driver.ByKey
				all, err := m.Store.List(ctx, q)
				q.Order = order
				slices.SortFunc(all, func(a, b driver.Record) int { return q.Compare(q.Position(&a), q.Position(&b)) })
				return all, err
			}
		},
		"ignores Desc":       asking(func(q *driver.Query) { q.Desc = false }),
		"ignores the order":  asking(func(q *driver.Query) { q.Order = driver.ByKey }),
		"ignores After":      asking(func(q *driver.Query) { q.After = nil }),
		"ignores KeysOnly":   asking(func(q *driver.Query) { q.KeysOnly = false }),
		"ignores the prefix": asking(func(q *driver.Query) { q.Prefix = "" }),
		"ignores namespaces": asking(func(q *driver.Query) { q.Namespaces = nil }),
		"takes no namespaces for all": asking(func(q *driver.Query) {
			if len(q.Namespaces) == 0 {
				q.Namespaces = nil
			}
		}),
		"ignores all but the first filter": asking(func(q *driver.Query) { q.Filters = q.Filters[:min(1, len(q.Filters))] }),
		"is off by 1 ms in ExpiredBy": asking(func(q *driver.Query) {
			if q.ExpiredBy != 0 {
				q.ExpiredBy--
			}
		}),
		"is off by 1 ms in LiveAt": asking(func(q *driver.Query) {
			if q.LiveAt != 0 {
				q.LiveAt--
			}
		}),
		"pages by offset": func(m *mutant) {
			m.list = pagesByOffset(m.Store)
		},
		"compares metadata as text":    listing(loosely(asText)),
		"compares metadata as floats":  listing(loosely(asFloat)),
		"takes ? in a glob for a star": asking(func(q *driver.Query) { q.Glob = strings.ReplaceAll(q.Glob, "?", "*") }),
		"takes % in a prefix for a star": asking(func(q *driver.Query) {
			if p, _, ok := strings.Cut(q.Prefix, "%"); ok {
				q.Prefix = p
			}
		}),
		"lists the whole store": listing(func(q driver.Query, r *driver.Record) bool {
			q.Glob = ""
			return exactly(q, r)
		}),
		"goes on when canceled": func(m *mutant) {
			m.put = func(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
				return m.Store.Put(context.WithoutCancel(ctx), r, c)
			}
		},
		"works on when closed": func(m *mutant) { m.closing = func() error { return nil } },
		"fails to close twice": func(m *mutant) {
			n := 0
			m.closing = func() error {
				if n++; n > 1 {
					return driver.ErrClosed
				}
				return m.Store.Close()
			}
		},
		"shares bytes on List": func(m *mutant) {
			m.list = sharing(m.Store)
		},
		"expires by key, not by age": func(m *mutant) {
			m.expire = func(ctx context.Context, s driver.Space, now int64, n int) (int, error) {
				return expireIn(ctx, m.Store, driver.Query{Space: s, ExpiredBy: now, Limit: max(n, 0)})
			}
		},
		"expires in the first 10 records only": func(m *mutant) {
			m.expire = func(ctx context.Context, s driver.Space, now int64, n int) (int, error) {
				q := driver.Query{Space: s, Limit: 10}
				first, err := m.Store.List(ctx, q)
				deleted := 0
				for _, r := range first {
					if r.Expired(now) && deleted < n {
						_, err = m.Store.Delete(ctx, r.Key, 0)
						deleted++
					}
				}
				return deleted, err
			}
		},
		"expires one too many": func(m *mutant) {
			m.expire = func(ctx context.Context, s driver.Space, now int64, n int) (int, error) {
				return m.Store.DeleteExpired(ctx, s, now+1, n)
			}
		},
		"expires in every space": func(m *mutant) {
			m.expire = func(ctx context.Context, _ driver.Space, now int64, n int) (int, error) {
				return m.Store.DeleteExpired(ctx, driver.User, now, n)
			}
		},
		"counts reads": func(m *mutant) {
			n := int64(0)
			m.count = func(ctx context.Context) (int64, error) {
				r, err := m.Store.Revision(ctx)
				n++
				return r + n, err
			}
		},
		"does not count": func(m *mutant) {
			m.count = func(ctx context.Context) (int64, error) {
				_, err := m.Store.Revision(ctx)
				return 1, err
			}
		},
		"deletes stale batches": func(m *mutant) {
			m.batch = func(ctx context.Context, refs []driver.Ref) ([]bool, error) {
				refs = slices.Clone(refs)
				for i := range refs {
					refs[i].Revision = 0
				}
				return m.Store.DeleteBatch(ctx, refs)
			}
		},
		"touches nothing": func(m *mutant) {
			m.touch = func(ctx context.Context, _ []driver.Key, _ int64) error {
				_, err := m.Store.Revision(ctx)
				return err
			}
		},
		"counts all spaces": func(m *mutant) {
			m.stats = func(ctx context.Context, _ driver.Space) ([]driver.Stats, error) {
				return m.Store.Stats(ctx, driver.User)
			}
		},
	}
}

func TestSoundStoreBreaksNoRule(t *testing.T) {
	t.Parallel()
	broken := drivertest.Violations(t.Context(), "", func() driver.Store { return sound() })
	if broken != nil {
		t.Errorf("broken: %s", strings.Join(broken, "\n"))
	}
}

func TestEveryMutationIsNoticed(t *testing.T) {
	t.Parallel()
	for name, mutate := range mutations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := drivertest.Violations(t.Context(), "", func() driver.Store {
				m := sound()
				mutate(m)
				return m
			})
			if len(broken) == 0 {
				t.Error("no rule noticed")
			}
		})
	}
}

// textMutant is a sound store with a broken text search.
type textMutant struct {
	*sqliteltm.Store
	search func(context.Context, *sqliteltm.Store, driver.Query, []string) ([]driver.Hit, error)
	terms  func(string) string
}

func (m *textMutant) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	return m.search(ctx, m.Store, q, terms)
}

func (m *textMutant) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if m.terms != nil {
		r.Terms = m.terms(r.Terms)
	}
	return m.Store.Put(ctx, r, c)
}

func TestEveryTextMutationIsNoticed(t *testing.T) {
	t.Parallel()
	type search = func(context.Context, *sqliteltm.Store, driver.Query, []string) ([]driver.Hit, error)
	good := func(ctx context.Context, s *sqliteltm.Store, q driver.Query, terms []string) ([]driver.Hit, error) {
		return s.Search(ctx, q, terms)
	}
	with := func(change func(*driver.Query, *[]string)) search {
		return func(ctx context.Context, s *sqliteltm.Store, q driver.Query, terms []string) ([]driver.Hit, error) {
			terms = slices.Clone(terms)
			change(&q, &terms)
			return s.Search(ctx, q, terms)
		}
	}
	for name, m := range map[string]textMutant{
		"asks for the first term only": {search: with(func(_ *driver.Query, terms *[]string) { *terms = (*terms)[:1] })},
		"ignores the glob":             {search: with(func(q *driver.Query, _ *[]string) { q.Glob = "" })},
		"ignores the filters":          {search: with(func(q *driver.Query, _ *[]string) { q.Filters = nil })},
		"ignores the expiry":           {search: with(func(q *driver.Query, _ *[]string) { q.LiveAt = 0 })},
		"ignores After":                {search: with(func(q *driver.Query, _ *[]string) { q.After = nil })},
		"drops marks":                  {search: good, terms: func(s string) string { return strings.ReplaceAll(s, "\u0301", "") }},
		"drops what is not ASCII": {search: good, terms: func(s string) string {
			return strings.Map(func(r rune) rune {
				if r > 127 {
					return ' '
				}
				return r
			}, s)
		}},
		"scores all alike": {search: func(ctx context.Context, s *sqliteltm.Store, q driver.Query, terms []string) ([]driver.Hit, error) {
			hits, err := s.Search(ctx, q, terms)
			for i := range hits {
				hits[i].Score = 0
			}
			return hits, err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := drivertest.Violations(t.Context(), "text/", func() driver.Store {
				s, err := sqliteltm.Open(t.Context(), &url.URL{Scheme: "sqlite", Opaque: ":memory:"})
				if err != nil {
					t.Fatal(err)
				}
				broken := m
				broken.Store = s.(*sqliteltm.Store)
				return &broken
			})
			if len(broken) == 0 {
				t.Error("no rule noticed")
			}
		})
	}
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
		for range 100 {
			runtime.Gosched()
		}
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
