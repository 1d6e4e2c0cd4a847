package drivertest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/driver"
)

// rule is one sentence of the contract.
type rule struct {
	name  string // group/what
	text  string // printed when it is broken
	check func(c *checker)
}

// Options tell Run about a driver. The zero Options are right for most.
type Options struct {
	// Again opens the same data as s once more, as another process would. With
	// it Run checks that what one sees the other does.
	Again func(t *testing.T, s driver.Store) driver.Store
	// Faulty opens a fresh store with faults that Run may inject, one after
	// another.
	Faulty func(t *testing.T) (driver.Store, []Fault)
	// Checks is how many random queries are asked when soaking, with TEA_SOAK=1;
	// 0 is 100,000. A twentieth are asked with TEA_TEST_REQUIRE=all, else a
	// hundredth.
	Checks int
	// Scripts is how many random scripts are followed, each on a fresh store;
	// 0 is as many as package rapid makes of it, 100.
	Scripts int
	// Except are names of rules that the driver is known to break, each with the
	// reason, which Run prints as it skips them. A name that is no rule fails.
	Except map[string]string
}

// Fault is a way in which the path to a store breaks: the server is killed, the
// network holds back what is sent, another process holds a lock.
type Fault struct {
	Name string
	// Begin breaks the path until end is called, and waits until it is whole.
	Begin func(t *testing.T) (end func())
	// Patience is how long after the end a call may still fail; 0 is one second.
	Patience time.Duration
}

// Run checks the store that open returns, a fresh and empty one at each call.
// Run closes it.
func Run(t *testing.T, open func(t *testing.T) driver.Store, o Options) {
	t.Helper()
	o.checkNames(t)
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the seed of random/ was %d", seed)
		}
	})
	o.runAgain(t, open)
	o.runFaults(t)
	for _, r := range append(rules(), randomRules(o.checks(), seed)...) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			o.skip(t, r.name)
			s := open(t)
			if err := r.broken(t.Context(), s); err != nil {
				t.Errorf("broken rule: %s\n%v", r.text, err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	t.Run("random/model", func(t *testing.T) {
		t.Parallel()
		o.skip(t, "random/model")
		followed, failed := 0, false
		rapid.Check(t, func(rt *rapid.T) {
			script := scripts().Draw(rt, "script")
			if followed++; o.Scripts > 0 && followed > o.Scripts && !failed {
				return
			}
			s := open(t)
			model := rule{check: func(c *checker) { c.follow(script) }}
			if err := model.broken(t.Context(), s); err != nil {
				failed = true // from now on rapid makes it shorter
				rt.Fatalf("broken rule: %s\n%v", ruleModel, err)
			}
			if err := s.Close(); err != nil {
				rt.Fatalf("Close: %v", err)
			}
		})
	})
}

// skip skips a rule that the driver is excepted from.
func (o *Options) skip(t *testing.T, name string) {
	t.Helper()
	if why, ok := o.Except[name]; ok {
		t.Skip(why)
	}
}

// checkNames checks that every exception is a rule.
func (o *Options) checkNames(t *testing.T) {
	t.Helper()
	known := map[string]bool{"random/model": true, "faults": true}
	for _, r := range append(rules(), randomRules(1, 0)...) {
		known[r.name] = true
	}
	for _, r := range againRules() {
		known[r.name] = true
	}
	for name := range o.Except {
		if !known[name] {
			t.Errorf("Except names %q, which is no rule", name)
		}
	}
}

// Violations returns the broken rules of the stores that open returns, a fresh
// one at each call, as "name: why". It tries those whose name begins with group
// ("" is all); of random data it takes a fixed, small set.
func Violations(ctx context.Context, group string, open func() driver.Store) []string {
	return slices.Collect(violations(ctx, group, open))
}

func violations(ctx context.Context, group string, open func() driver.Store) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, r := range append(rules(), randomRules(300, 1)...) {
			if !strings.HasPrefix(r.name, group) {
				continue
			}
			s := open()
			err := r.broken(ctx, s)
			_ = s.Close() // what it returns is a rule of its own
			if err != nil && !yield(fmt.Sprintf("%s: %v", r.name, err)) {
				return
			}
		}
	}
}

// broken returns why the rule does not hold, nil when it does.
func (r *rule) broken(ctx context.Context, s driver.Store) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case violation:
			err = x
		default:
			panic(x)
		}
	}()
	r.check(&checker{ctx: ctx, Store: s})
	return nil
}

// violation is how a check ends early; it never leaves this package.
type violation string

func (v violation) Error() string { return string(v) }

// rules returns the whole contract.
func rules() []rule {
	var all []rule
	for _, group := range [][]rule{
		recordRules(), putRules(), keyRules(), conditionRules(), deleteRules(),
		listRules(), filterRules(), orderRules(), pageRules(), concurrencyRules(), lifeRules(),
		expirerRules(), fullTextRules(), batchRules(), otherAbilityRules(), modelRules(),
	} {
		all = append(all, group...)
	}
	return all
}
