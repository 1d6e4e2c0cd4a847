package drivertest_test

import (
	"context"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/ltm/memltm"
)

// eight returns eight clients on what wrap makes of a sound store.
func eight(wrap func(s driver.Store) driver.Store) []driver.Store {
	s := memltm.New()
	var clients []driver.Store
	for range 8 {
		clients = append(clients, wrap(s))
	}
	return clients
}

func TestASoundStoreIsLinearizable(t *testing.T) {
	t.Parallel()
	drivertest.Linearizable(t, eight(func(s driver.Store) driver.Store { return s }), drivertest.History{})
}

// stale returns what it has read before, for a while.
type stale struct {
	driver.Layer
	kept map[driver.Key]driver.Record
	n    int
}

func (s *stale) Get(ctx context.Context, k driver.Key) (driver.Record, error) {
	if s.n++; s.n%20 == 0 {
		clear(s.kept)
	}
	if r, ok := s.kept[k]; ok {
		return r, nil
	}
	r, err := s.Store.Get(ctx, k)
	if err == nil {
		s.kept[k] = r
	}
	return r, err
}

// racy checks conditions before it puts.
type racy struct{ driver.Layer }

func (r racy) Put(ctx context.Context, rec driver.Record, c driver.Condition) (bool, error) {
	old, err := r.Get(ctx, rec.Key)
	if err == nil && !c.Holds(&old, rec.UpdatedAt) || err != nil && c.Revision != 0 {
		return false, driver.ErrConflict
	}
	time.Sleep(10 * time.Microsecond)
	return r.Store.Put(ctx, rec, driver.Condition{})
}

// liar says that it has put, sometimes without having done so.
type liar struct {
	driver.Layer
	n int
}

func (l *liar) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if l.n++; l.n%50 == 0 {
		return false, nil
	}
	return l.Store.Put(ctx, r, c)
}

func TestEveryMutationOfOrderIsNoticed(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(s driver.Store) driver.Store{
		"returns what it has read before": func(s driver.Store) driver.Store {
			return &stale{Layer: driver.Layer{Store: s}, kept: map[driver.Key]driver.Record{}}
		},
		"checks first, then puts":          func(s driver.Store) driver.Store { return racy{driver.Layer{Store: s}} },
		"does not put what it says it did": func(s driver.Store) driver.Store { return &liar{Layer: driver.Layer{Store: s}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if drivertest.IsLinearizable(t.Context(), eight(wrap), drivertest.History{Operations: 500, Keys: 2}) {
				t.Error("it was not noticed")
			}
		})
	}
}
