package drivertest

import (
	"context"
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tea-agents/tea/ltm/driver"
)

// Notices tells whether any rule of a group is broken.
func Notices(ctx context.Context, group string, open func() driver.Store) bool {
	for range violations(ctx, group, open) {
		return true
	}
	return false
}

// PairViolations returns the broken rules about two handles.
func PairViolations(ctx context.Context, open func() (a, b driver.Store)) []string {
	var broken []string
	for _, r := range againRules() {
		a, b := open()
		both := rule{check: func(c *checker) { r.check(c, &checker{c.ctx, b}) }}
		if err := both.broken(ctx, a); err != nil {
			broken = append(broken, fmt.Sprintf("%s: %v", r.name, err))
		}
	}
	return broken
}

// FaultViolations returns what is wrong with a store during and after a fault.
func FaultViolations(ctx context.Context, s driver.Store, begin func() (end func())) []string {
	x := newFaulty(s)
	if err := x.prepare(ctx); err != nil {
		return []string{err.Error()}
	}
	return x.suffer(ctx, "fault", begin, 0)
}

// IsLinearizable is Linearizable for stores that are not.
func IsLinearizable(ctx context.Context, clients []driver.Store, h History) bool {
	operations, err := h.record(ctx, clients, 1)
	return err == nil && porcupine.CheckOperationsTimeout(register(), operations, time.Minute) == porcupine.Ok
}
