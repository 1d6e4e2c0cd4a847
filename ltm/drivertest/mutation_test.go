package drivertest_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
)

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
			noticed := drivertest.Notices(t.Context(), "", func() driver.Store {
				m := sound()
				mutate(m)
				return m
			})
			if !noticed {
				t.Error("no rule noticed")
			}
		})
	}
}
