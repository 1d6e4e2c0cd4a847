package duckdbltm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store in a DuckDB file. It has every optional ability. Make
// one with Open.
type Store struct {
	config config
	file   *file

	changes atomic.Int64 // made by this store

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup
	// closing ends the waiting of calls for the file.
	closing context.Context
	end     context.CancelFunc
}

func newStore(c config) *Store {
	s := &Store{config: c, file: shared.join(c)}
	s.closing, s.end = context.WithCancel(context.Background())
	return s
}

// begin begins a call, unless the store is closed; calls.Done ends it.
func (s *Store) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.calls.Add(1)
	}
	return !s.closed
}

// Close implements driver.Store. It waits for calls under way.
func (s *Store) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if !first {
		return nil
	}
	s.end()
	s.calls.Wait()
	return shared.leave(s.file)
}

// acquire returns the open database. The waiting ends with ctx and with Close.
func (s *Store) acquire(ctx context.Context) (*holding, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.closing, cancel)()
	h, err := s.file.acquire(ctx)
	if err != nil && s.closing.Err() != nil {
		return nil, driver.ErrClosed
	}
	return h, err
}

// late is how long a call waits for DuckDB after its context has ended.
const late = 50 * time.Millisecond

// call runs f with the open database. It returns soon after ctx ends, while f
// may go on: DuckDB looks up from its work rarely. f must not hold on to memory
// of the caller.
func call[R any](ctx context.Context, s *Store, f func(*database) (R, error)) (R, error) {
	var none R
	if !s.begin() {
		return none, driver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		s.calls.Done()
		return none, err
	}
	h, err := s.acquire(ctx)
	if err != nil {
		s.calls.Done()
		return none, s.fail(ctx, err)
	}
	type result struct {
		r   R
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer s.calls.Done()
		r, err := f(h.db)
		s.file.release(h, err)
		done <- result{r, err}
	}()
	select {
	case got := <-done:
		return got.r, s.fail(ctx, got.err)
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), late)
	defer cancel()
	select {
	case got := <-done:
		if got.err == nil {
			return got.r, nil
		}
	case <-soon.Done():
	}
	return none, ctx.Err()
}

// change is call for what changes something: see database.change.
func change[R any](ctx context.Context, s *Store, n int, f func(context.Context, *transaction) (R, bool, error)) (R, error) {
	if s.config.readOnly {
		var none R
		return none, driver.ErrReadOnly
	}
	return call(ctx, s, func(d *database) (r R, err error) {
		changed := false
		err = d.change(ctx, n, func(ctx context.Context, t *transaction) (_ bool, err error) {
			r, changed, err = f(ctx, t)
			return changed, err
		})
		if changed {
			s.changes.Add(1)
		}
		return r, err
	})
}
