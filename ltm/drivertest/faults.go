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

// faultDeadline is that of each call during a fault.
const faultDeadline = 300 * time.Millisecond

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
		x := newFaulty(s)
		if err := x.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, f := range faults {
			t.Run(f.Name, func(t *testing.T) {
				begin := func() func() { return f.Begin(t) }
				for _, wrong := range x.suffer(t.Context(), f.Name, begin, cmp.Or(f.Patience, time.Second)) {
					t.Error(wrong)
				}
			})
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
	wrong []string
}

func newFaulty(s driver.Store) *faulty {
	return &faulty{Store: s, last: map[string]string{}, maybe: map[string]map[string]bool{}}
}

// prepare puts what must not get lost.
func (x *faulty) prepare(ctx context.Context) error {
	for i := range 10 {
		if err := x.put(ctx, fmt.Sprint("before ", i), "v"); err != nil {
			return err
		}
	}
	return nil
}

func (x *faulty) says(format string, args ...any) {
	x.wrong = append(x.wrong, fmt.Sprintf(format, args...))
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

// suffer makes calls during a fault and after it, and returns what is wrong.
func (x *faulty) suffer(ctx context.Context, name string, begin func() (end func()), patience time.Duration) []string {
	x.wrong = nil
	end := begin()
	for call, f := range x.calls(name) {
		x.timed(ctx, call, f)
	}
	end()
	x.recover(ctx, patience)
	return x.wrong
}

// calls returns the calls that are made during a fault.
func (x *faulty) calls(fault string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Get": func(ctx context.Context) error { _, err := x.Get(ctx, user("before 0")); return err },
		"Put": func(ctx context.Context) error { return x.put(ctx, "before 1", "during "+fault) },
		"Put of a new one": func(ctx context.Context) error {
			return x.put(ctx, "during "+fault, "v")
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
}

// timed makes a call with a deadline.
func (x *faulty) timed(ctx context.Context, name string, call func(context.Context) error) {
	limited, cancel := context.WithTimeout(ctx, faultDeadline)
	defer cancel()
	late, err := Late(limited, call)
	if late > Grace {
		x.says("%s returns %v after its deadline", name, late)
	}
	if err != nil && !isAny(err, faultKinds()) {
		x.says("%s returns %v, which wraps none of %v", name, err, faultKinds())
	}
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
func (x *faulty) recover(ctx context.Context, patience time.Duration) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		try, over := context.WithTimeout(ctx, 5*time.Second)
		err := x.put(try, "after", fmt.Sprint(len(x.last)))
		over()
		if err == nil {
			break
		}
		if limited.Err() != nil {
			x.says("%v after the end it does not work yet: %v", patience, err)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	for key, want := range x.last {
		r, err := x.Get(ctx, user(key))
		if err != nil {
			x.says("%q was acknowledged and is lost: %v", key, err)
		} else if got := string(r.Value); got != want && !x.maybe[key][got] {
			x.says("%q holds %q, acknowledged was %q", key, got, want)
		}
	}
}
