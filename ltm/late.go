package ltm

import (
	"context"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// late is a store that is opened when it is needed first, and tried again when
// that failed.
type late struct{ opener *opener }

func newLate(open storeOpener, now func() time.Time) *late {
	if now == nil {
		now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	return &late{&opener{open: open, now: now}}
}

func asked[R any](ctx context.Context, l *late, call func(driver.Store) (R, error)) (R, error) {
	s, err := l.opener.use(ctx)
	if err != nil {
		var none R
		return none, err
	}
	return call(s)
}

// Get implements driver.Store.
func (l *late) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	return asked(ctx, l, func(s driver.Store) (driver.Record, error) { return s.Get(ctx, key) })
}

// Put implements driver.Store.
func (l *late) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	return asked(ctx, l, func(s driver.Store) (bool, error) { return s.Put(ctx, r, c) })
}

// Delete implements driver.Store.
func (l *late) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	return asked(ctx, l, func(s driver.Store) (bool, error) { return s.Delete(ctx, key, revision) })
}

// DeleteBatch implements driver.BatchDeleter.
func (l *late) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	return asked(ctx, l, func(s driver.Store) ([]bool, error) { return driver.DeleteBatch(ctx, s, refs) })
}

// DeleteExpired implements driver.Expirer.
func (l *late) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	return asked(ctx, l, func(s driver.Store) (int, error) { return driver.DeleteExpired(ctx, s, space, now, limit) })
}

// List implements driver.Store.
func (l *late) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	return asked(ctx, l, func(s driver.Store) ([]driver.Record, error) { return s.List(ctx, q) })
}

// Close implements driver.Store.
func (l *late) Close() error { return l.opener.shut() }
