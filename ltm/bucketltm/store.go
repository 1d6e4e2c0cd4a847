package bucketltm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store in a file in a bucket. It has the optional abilities of
// the engine's files. Make one with Engine.Open.
type Store struct {
	config config
	clock  clock
	object object.Object
	work   *folder
	writer string // the name that its pushes have
	// Of the goroutine that commits:
	pushes int64 // how many there were
	draft  *draft

	ctx    context.Context // ends when the store is closed
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	current    *version
	checked    time.Time // when current was what the bucket holds
	running    *check
	next       *check // begins when running is over
	pending    []*op
	committing bool
}

// Close implements driver.Store. It ends calls under way.
func (s *Store) Close() (err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
	s.dropDraft()
	v := s.current // nobody replaces it any more
	if v.file != nil {
		err = v.file.Close()
	}
	s.keep(context.Background())
	return errors.Join(err, s.object.Close(), s.work.close())
}

// begin returns why a call cannot be made.
func (s *Store) begin(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return driver.ErrClosed
	}
	return ctx.Err()
}

// callError returns the error of a call with a context.
func (s *Store) callError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("%w: no answer within %v", driver.ErrUnavailable, s.config.timeout)
	default:
		return err
	}
}

// read reads a version that is young enough.
func read[R any](ctx context.Context, s *Store, f func(context.Context, driver.Store) (R, error)) (R, error) {
	var none R
	if err := s.begin(ctx); err != nil {
		return none, err
	}
	limited, cancel := context.WithTimeout(ctx, s.config.timeout)
	defer cancel()
	r, err := within(limited, func() (R, error) {
		v, err := s.view(limited)
		if err != nil {
			return none, err
		}
		defer s.release(v)
		l, err := s.fileOf(limited, v)
		if err != nil {
			return none, err
		}
		return f(limited, l)
	}, nil)
	return r, s.callError(ctx, err)
}

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	return read(ctx, s, func(ctx context.Context, l driver.Store) (driver.Record, error) {
		return l.Get(ctx, key)
	})
}

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	return read(ctx, s, func(ctx context.Context, l driver.Store) (map[driver.Key]driver.Record, error) {
		return driver.GetBatch(ctx, l, keys)
	})
}

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	return read(ctx, s, func(ctx context.Context, l driver.Store) ([]driver.Record, error) {
		return l.List(ctx, q)
	})
}

// Search implements driver.FullText.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	return read(ctx, s, func(ctx context.Context, l driver.Store) ([]driver.Hit, error) {
		return driver.Search(ctx, l, q, terms)
	})
}

// Revision implements driver.Reviser. The counter begins anew when the object
// is deleted.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	return read(ctx, s, func(ctx context.Context, l driver.Store) (int64, error) {
		return driver.Revision(ctx, l)
	})
}

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	return read(ctx, s, func(ctx context.Context, l driver.Store) ([]driver.Stats, error) {
		return driver.CountStats(ctx, l, space)
	})
}

// own returns a copy of what the caller may change after the call, which a
// change that is still on its way would notice.
func own(r driver.Record) driver.Record {
	r.Value, r.Metadata = bytes.Clone(r.Value), bytes.Clone(r.Metadata)
	return r
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	r = own(r)
	got, err := s.change(ctx, func(ctx context.Context, l driver.Store) (res result) {
		res.done, res.err = l.Put(ctx, r, c)
		return res
	})
	return got.done && err == nil, err
}

// PutBatch implements driver.BatchPutter: all of it is one change.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	records = slices.Clone(records)
	for i := range records {
		records[i] = own(records[i])
	}
	got, err := s.change(ctx, func(ctx context.Context, l driver.Store) (res result) {
		res.each, res.err = driver.PutBatch(ctx, l, records)
		return res
	})
	return got.each, err
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	got, err := s.change(ctx, func(ctx context.Context, l driver.Store) (res result) {
		res.done, res.err = l.Delete(ctx, key, revision)
		return res
	})
	return got.done && err == nil, err
}

// DeleteBatch implements driver.BatchDeleter: all of it is one change.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	refs = slices.Clone(refs)
	got, err := s.change(ctx, func(ctx context.Context, l driver.Store) (res result) {
		res.each, res.err = driver.DeleteBatch(ctx, l, refs)
		return res
	})
	return got.each, err
}

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	got, err := s.change(ctx, func(ctx context.Context, l driver.Store) (res result) {
		res.count, res.err = driver.DeleteExpired(ctx, l, space, now, limit)
		return res
	})
	return got.count, err
}

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	keys = slices.Clone(keys)
	_, err := s.change(ctx, func(ctx context.Context, l driver.Store) result {
		return result{err: driver.Touch(ctx, l, keys, at)}
	})
	return err
}
