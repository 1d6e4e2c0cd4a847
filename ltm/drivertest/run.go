package drivertest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/ltm/driver"
)

// rule is one sentence of the contract.
type rule struct {
	name  string // group/what
	text  string // printed when it is broken
	check func(c *checker)
}

// Run checks the store that open returns, a fresh and empty one at each call.
// Run closes it.
func Run(t *testing.T, open func(t *testing.T) driver.Store) {
	t.Helper()
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
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
		rapid.Check(t, func(rt *rapid.T) {
			script := scripts().Draw(rt, "script")
			s := open(t)
			model := rule{check: func(c *checker) { c.follow(script) }}
			if err := model.broken(t.Context(), s); err != nil {
				rt.Fatalf("broken rule: %s\n%v", ruleModel, err)
			}
			if err := s.Close(); err != nil {
				rt.Fatalf("Close: %v", err)
			}
		})
	})
}

// Violations returns the broken rules of the stores that open returns, a fresh
// one at each call, as "name: why". It tries those whose name begins with group
// ("" is all) and does not repeat them with random data.
func Violations(ctx context.Context, group string, open func() driver.Store) []string {
	var broken []string
	for _, r := range rules() {
		if !strings.HasPrefix(r.name, group) {
			continue
		}
		s := open()
		if err := r.broken(ctx, s); err != nil {
			broken = append(broken, fmt.Sprintf("%s: %v", r.name, err))
		}
		_ = s.Close() // what it returns is a rule of its own
	}
	return broken
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
		expirerRules(), fullTextRules(), otherAbilityRules(), modelRules(),
	} {
		all = append(all, group...)
	}
	return all
}
