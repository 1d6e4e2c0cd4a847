package engine

import (
	"context"
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
)

// unreachable is a store that could not be opened: every call fails and says
// why.
type unreachable struct{ err error }

func (u unreachable) failure() error {
	return fmt.Errorf("%w: it could not be opened: %w", driver.ErrUnavailable, u.err)
}

// Get implements driver.Store.
func (u unreachable) Get(context.Context, driver.Key) (driver.Record, error) {
	return driver.Record{}, u.failure()
}

// Put implements driver.Store.
func (u unreachable) Put(context.Context, driver.Record, driver.Condition) (bool, error) {
	return false, u.failure()
}

// Delete implements driver.Store.
func (u unreachable) Delete(context.Context, driver.Key, int64) (bool, error) {
	return false, u.failure()
}

// List implements driver.Store.
func (u unreachable) List(context.Context, driver.Query) ([]driver.Record, error) {
	return nil, u.failure()
}

// Close implements driver.Store.
func (u unreachable) Close() error { return nil }
