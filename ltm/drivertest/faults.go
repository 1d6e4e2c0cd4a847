package drivertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	faultDeadline = 300 * time.Millisecond // of each call during a fault
	faultGrace    = 250 * time.Millisecond // how late it may be
)

// faultKinds are the errors that a call may return because of a fault.
func faultKinds() []error {
	return []error{context.DeadlineExceeded, driver.ErrUnavailable, driver.ErrFull, driver.ErrReadOnly}
}

// runFaults injects every fault and checks that each call keeps its deadline,
// says what is wrong, and that nothing that was acknowledged is lost.
func (o *Options) runFaults(t *testing.T) {
	t.Helper()
	const name = "faults"
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		o.skip(t, name)
		if o.Faulty == nil {
			t.Skip("the driver has no faults to inject")
		}
		s, faults := o.Faulty(t)
		x := &faulty{Store: s, last: map[string]string{}, maybe: map[string]map[string]bool{}}
		for i := range 10 {
			x.put(t.Context(), fmt.Sprint("before ", i), "v")
		}
		for _, f := range faults {
			t.Run(f.Name, func(t *testing.T) { x.suffer(t, f) })
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}

// faulty is a store with what it must hold.
type faulty struct {
	driver.Store
	last  map[string]string          // what was acknowledged
	maybe map[string]map[string]bool // what was not, since
}

// put puts a record and notes what came of it.
func (x *faulty) put(ctx context.Context, key, v string) error {
	_, err := x.Put(ctx, rec(user(key), v), driver.Condition{})
	if err == nil {
		x.last[key] = v
		delete(x.maybe, key)
		return nil
	}
	if x.maybe[key] == nil {
		x.maybe[key] = map[string]bool{}
	}
	x.maybe[key][v] = true
	return err
}

// suffer makes calls during a fault.
func (x *faulty) suffer(t *testing.T, f Fault) {
	end := f.Begin(t)
	calls := map[string]func(ctx context.Context) error{
		"Get": func(ctx context.Context) error { _, err := x.Get(ctx, user("before 0")); return err },
		"Put": func(ctx context.Context) error { return x.put(ctx, "before 1", "during "+f.Name) },
		"Put of a new one": func(ctx context.Context) error {
			return x.put(ctx, "during "+f.Name, "v")
		},
		"Delete": func(ctx context.Context) error { _, err := x.Delete(ctx, user("never there"), 0); return err },
		"List":   func(ctx context.Context) error { _, err := x.List(ctx, driver.Query{Limit: 5}); return err },
		"Search": func(ctx context.Context) error {
			_, err := driver.Search(ctx, x.Store, driver.Query{Limit: 5}, []string{"a"})
			if errors.Is(err, errors.ErrUnsupported) {
				return nil
			}
			return err
		},
	}
	for name, call := range calls {
		ctx, cancel := context.WithTimeout(t.Context(), faultDeadline)
		start := time.Now()
		err := call(ctx)
		took := time.Since(start)
		cancel()
		if took > faultDeadline+faultGrace {
			t.Errorf("%s took %v; its deadline was %v", name, took, faultDeadline)
		}
		if err != nil && !isAny(err, faultKinds()) {
			t.Errorf("%s returns %v, which wraps none of %v", name, err, faultKinds())
		}
	}
	end()
	x.recover(t, cmp.Or(f.Patience, time.Second))
}

func isAny(err error, kinds []error) bool {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// recover waits until the store answers again, and checks what it holds.
func (x *faulty) recover(t *testing.T, patience time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		try, over := context.WithTimeout(t.Context(), 5*time.Second)
		err := x.put(try, "after", fmt.Sprint(len(x.last)))
		over()
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("%v after the end it does not work yet: %v", patience, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	for key, want := range x.last {
		r, err := x.Get(t.Context(), user(key))
		if err != nil {
			t.Errorf("%q was acknowledged and is lost: %v", key, err)
		} else if got := string(r.Value); got != want && !x.maybe[key][got] {
			t.Errorf("%q holds %q, acknowledged was %q", key, got, want)
		}
	}
}
