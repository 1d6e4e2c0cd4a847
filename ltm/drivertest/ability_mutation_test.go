package drivertest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// noticed checks that a rule is broken by each mutation.
func noticed(t *testing.T, mutations map[string]func(*mutant)) {
	t.Helper()
	for name, mutate := range mutations {
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

func TestEveryFilterMutationIsNoticed(t *testing.T) {
	t.Parallel()
	isRange := func(o driver.Op) bool { return o >= driver.Lt && o <= driver.Ge }
	noticed(t, map[string]func(*mutant){
		"takes < for <=": filtering(changed(func(f *driver.Filter) {
			f.Op = map[driver.Op]driver.Op{driver.Lt: driver.Le}[f.Op] + f.Op*b2o(f.Op != driver.Lt)
		})),
		"takes >= for >": filtering(changed(func(f *driver.Filter) {
			if f.Op == driver.Ge {
				f.Op = driver.Gt
			}
		})),
		"looks at the last key of a path only": filtering(changed(func(f *driver.Filter) { f.Path = f.Path[len(f.Path)-1:] })),
		"splits keys at dots": filtering(changed(func(f *driver.Filter) {
			f.Path = strings.Split(strings.Join(f.Path, "."), ".")
		})),
		"looks at the first of a list only": filtering(changed(func(f *driver.Filter) {
			if f.Op == driver.In && f.Value.Len() > 1 {
				f.Value = value.List(f.Value.Index(0))
			}
		})),
		"takes null for missing": filtering(func(f *driver.Filter, meta value.Value) bool {
			return f.Match(meta) && (f.Op != driver.Exists || !meta.At(f.Path...).IsNull())
		}),
		"takes missing for null": filtering(func(f *driver.Filter, meta value.Value) bool {
			return f.Match(meta) || f.Op == driver.Eq && f.Value.IsNull() && meta.At(f.Path...).IsNull()
		}),
		"compares numbers with texts": filtering(func(f *driver.Filter, meta value.Value) bool {
			got := meta.At(f.Path...)
			return f.Match(meta) || f.Op == driver.Gt && got.Kind() == value.KindString && f.Value.Kind() == value.KindInt
		}),
		"compares numbers as floats": filtering(func(f *driver.Filter, meta value.Value) bool {
			x, isX := meta.At(f.Path...).AsFloat()
			y, isY := f.Value.AsFloat()
			if !isRange(f.Op) || !isX || !isY {
				return f.Match(meta)
			}
			return map[driver.Op]bool{driver.Lt: x < y, driver.Le: x <= y, driver.Gt: x > y, driver.Ge: x >= y}[f.Op]
		}),
		"folds the case of texts": filtering(func(f *driver.Filter, meta value.Value) bool {
			s, ok := meta.At(f.Path...).AsString()
			want, _ := f.Value.AsString()
			return f.Match(meta) || f.Op == driver.Eq && ok && want != "" && strings.EqualFold(s, want)
		}),
		"cuts texts at NUL": filtering(changed(func(f *driver.Filter) {
			if s, ok := f.Value.AsString(); ok {
				s, _, _ = strings.Cut(s, "\x00")
				f.Value = value.String(s)
			}
		})),
	})
}

// b2o is 1 for true.
func b2o(b bool) driver.Op {
	if b {
		return 1
	}
	return 0
}

func TestEveryBatchMutationIsNoticed(t *testing.T) {
	t.Parallel()
	noticed(t, map[string]func(*mutant){
		"ignores the prefix of namespaces": asking(func(q *driver.Query) { q.NamespacePrefix = "" }),
		"takes a prefix of namespaces for one": asking(func(q *driver.Query) {
			if q.NamespacePrefix != "" {
				q.Namespaces, q.NamespacePrefix = []string{q.NamespacePrefix}, ""
			}
		}),
		"gets empty records for missing ones": func(m *mutant) {
			m.gets = func(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
				found, err := m.Store.GetBatch(ctx, keys)
				for _, key := range keys {
					if _, ok := found[key]; !ok && err == nil {
						found[key] = driver.Record{Key: key}
					}
				}
				return found, err
			}
		},
		"gets no expired records in a batch": func(m *mutant) {
			m.gets = func(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
				found, err := m.Store.GetBatch(ctx, keys)
				maps.DeleteFunc(found, func(_ driver.Key, r driver.Record) bool { return r.Expired(1_700_000_000_000) })
				return found, err
			}
		},
		"gets 1,000 at most": func(m *mutant) {
			m.gets = func(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
				return m.Store.GetBatch(ctx, keys[:min(1000, len(keys))])
			}
		},
		"puts a batch in another order": func(m *mutant) {
			m.puts = func(ctx context.Context, records []driver.Record) ([]bool, error) {
				records = slices.Clone(records)
				slices.Reverse(records)
				created, err := m.Store.PutBatch(ctx, records)
				slices.Reverse(created)
				return created, err
			}
		},
		"says created of a whole batch": func(m *mutant) {
			m.puts = func(ctx context.Context, records []driver.Record) ([]bool, error) {
				created, err := m.Store.PutBatch(ctx, records)
				for i := range created {
					created[i] = true
				}
				return created, err
			}
		},
		"drops expiries in a batch": func(m *mutant) {
			m.puts = func(ctx context.Context, records []driver.Record) ([]bool, error) {
				records = slices.Clone(records)
				for i := range records {
					records[i].ExpiresAt = 0
				}
				return m.Store.PutBatch(ctx, records)
			}
		},
		"ignores the context in a batch": func(m *mutant) {
			m.puts = func(ctx context.Context, records []driver.Record) ([]bool, error) {
				return m.Store.PutBatch(context.WithoutCancel(ctx), records)
			}
		},
		"lists other namespaces too": asking(func(q *driver.Query) {
			if len(q.Filters) == 2 {
				q.Namespaces = nil
			}
		}),
	})
}

// handle is one of two handles on a store.
type handle struct {
	driver.Layer
	keeps  bool     // it keeps what it has read
	copies sync.Map // of driver.Key to driver.Record
	mine   bool     // it has conditions of its own
	count  int64    // what it takes for the change counter
}

func (h *handle) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	if r, ok := h.copies.Load(k); ok {
		return r.(driver.Record), nil
	}
	r, err := h.Store.Get(ctx, k)
	if err == nil && h.keeps {
		h.copies.Store(k, r)
	}
	return r, err
}

func (h *handle) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if h.mine {
		old, err := h.Store.Get(ctx, r.Key)
		if err == nil && !c.Holds(&old, r.UpdatedAt) {
			return false, driver.ErrConflict
		}
		time.Sleep(time.Millisecond)
		c = driver.Condition{}
	}
	return h.Store.Put(ctx, r, c)
}

func (h *handle) Revision(ctx context.Context) (int64, error) {
	if h.count > 0 {
		return h.count, nil
	}
	return h.Layer.Revision(ctx)
}

func (h *handle) Close() error { return nil }

func TestEveryMutationOfTwoHandlesIsNoticed(t *testing.T) {
	t.Parallel()
	open := func(change func(a, b *handle)) func() (driver.Store, driver.Store) {
		return func() (driver.Store, driver.Store) {
			s := memltm.New()
			a, b := &handle{Layer: driver.Layer{Store: s}}, &handle{Layer: driver.Layer{Store: s}}
			change(a, b)
			return a, b
		}
	}
	if broken := drivertest.PairViolations(t.Context(), open(func(_, _ *handle) {})); broken != nil {
		t.Errorf("broken: %s", strings.Join(broken, "\n"))
	}
	for name, change := range map[string]func(a, b *handle){
		"keeps what it has read":       func(_, b *handle) { b.keeps = true },
		"checks conditions for itself": func(a, b *handle) { a.mine, b.mine = true, true },
		"counts its own changes only":  func(_, b *handle) { b.count = 7 },
		"has data of its own":          func(_, b *handle) { b.Store = memltm.New() },
	} {
		if len(drivertest.PairViolations(t.Context(), open(change))) == 0 {
			t.Errorf("%s: no rule noticed", name)
		}
	}
}

// suffering is a store with a fault.
type suffering struct {
	driver.Layer
	fault string
	after string
	on    bool
}

func (s *suffering) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	switch {
	case s.on && s.fault == "loses what it acknowledged":
		return true, nil
	case s.on && s.fault == "ignores its deadline":
		time.Sleep(700 * time.Millisecond)
	case s.on && s.fault == "fails in words of its own":
		return false, errors.New("EOF")
	case s.on:
		return false, driver.ErrUnavailable
	case s.fault == "never comes back" && s.after == "over":
		return false, driver.ErrUnavailable
	}
	return s.Store.Put(ctx, r, c)
}

func (s *suffering) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	if s.on && s.fault == "takes a fault for nothing there" {
		return driver.Record{}, driver.ErrNotFound
	}
	return s.Store.Get(ctx, k)
}

func TestEveryMutationUnderFaultsIsNoticed(t *testing.T) {
	t.Parallel()
	run := func(fault string) []string {
		s := &suffering{Layer: driver.Layer{Store: memltm.New()}, fault: fault}
		return drivertest.FaultViolations(t.Context(), s, func() func() {
			s.on = true
			return func() { s.on, s.after = false, "over" }
		})
	}
	if broken := run("sound"); broken != nil {
		t.Errorf("broken: %s", strings.Join(broken, "\n"))
	}
	for _, fault := range []string{"loses what it acknowledged", "ignores its deadline", "fails in words of its own",
		"never comes back", "takes a fault for nothing there"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			if len(run(fault)) == 0 {
				t.Error("nothing was noticed")
			}
		})
	}
}
