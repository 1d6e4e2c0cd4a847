// Package readonly lets a store be read, and not written to.
package readonly

import (
	"context"
	"sync/atomic"

	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store on another one, every change of which is
// driver.ErrReadOnly. Make one with New.
type Store struct {
	driver.Layer
	closed atomic.Bool
}

// New returns a store through which s can be read. It owns s from now on.
func New(s driver.Store) *Store { return &Store{Layer: driver.Layer{Store: s}} }

func (s *Store) refuse(ctx context.Context) error {
	switch {
	case s.closed.Load():
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return driver.ErrReadOnly
}

// Put returns driver.ErrReadOnly.
func (s *Store) Put(ctx context.Context, _ driver.Record, _ driver.Condition) (bool, error) {
	return false, s.refuse(ctx)
}

// Delete returns driver.ErrReadOnly.
func (s *Store) Delete(ctx context.Context, _ driver.Key, _ int64) (bool, error) {
	return false, s.refuse(ctx)
}

// DeleteExpired returns driver.ErrReadOnly.
func (s *Store) DeleteExpired(ctx context.Context, _ driver.Space, _ int64, _ int) (int, error) {
	return 0, s.refuse(ctx)
}

// PutBatch returns driver.ErrReadOnly.
func (s *Store) PutBatch(ctx context.Context, _ []driver.Record) ([]bool, error) {
	return nil, s.refuse(ctx)
}

// DeleteBatch returns driver.ErrReadOnly.
func (s *Store) DeleteBatch(ctx context.Context, _ []driver.Ref) ([]bool, error) {
	return nil, s.refuse(ctx)
}

// Touch returns driver.ErrReadOnly.
func (s *Store) Touch(ctx context.Context, _ []driver.Key, _ int64) error { return s.refuse(ctx) }

// Close implements driver.Store.
func (s *Store) Close() error {
	s.closed.Store(true)
	return s.Store.Close()
}
