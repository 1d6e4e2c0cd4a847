// Package front answers a store's gets from copies that are kept nearer. The
// store stays the only truth: every change goes to it, and a copy that may not
// be what the store holds is never returned by the process that knows.
package front

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/tea-agents/tea/ltm/driver"
)

// Copies keeps copies of records. It may forget any of them at any time, and
// must never return one that was dropped. Calls about one key do not overlap,
// except of Get.
type Copies interface {
	// Get returns the copy of a record, with bytes that are the caller's. Where
	// there is none it tells what Put is to be told of the time before the read.
	Get(ctx context.Context, key driver.Key) (r driver.Record, since int64, ok bool)
	// Put keeps a copy of r, whose bytes remain the caller's.
	Put(ctx context.Context, r driver.Record, since int64)
	// Drop forgets the copies under keys, before they change and after: in
	// between others, with copies in the same place, may make some of what was.
	Drop(ctx context.Context, keys ...driver.Key)
	// DropExpired forgets the copies of a space that have expired at now.
	DropExpired(ctx context.Context, space driver.Space, now int64)
	Close() error
}

// Store is a driver.Store with copies in front of it.
type Store struct {
	driver.Layer
	copies Copies
	guards [64]guard
	seed   maphash.Seed
	closed atomic.Bool
}

// New returns a store that answers gets from copies of what s holds. It owns
// both from now on.
func New(s driver.Store, copies Copies) *Store {
	return &Store{Layer: driver.Layer{Store: s}, copies: copies, seed: maphash.MakeSeed()}
}

// guard keeps what is read during a change from becoming a copy: what was read
// may be what was there before. It guards all keys of one hash.
type guard struct {
	mu      sync.Mutex
	changes int   // under way
	count   int64 // of changes begun
}

func (s *Store) guard(key driver.Key) *guard {
	return &s.guards[maphash.Comparable(s.seed, key)%uint64(len(s.guards))]
}

// reading returns what copy needs to know of the time before the read.
func (g *guard) reading() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}

// copy keeps r, read since a time, unless its key may have changed since count.
func (s *Store) copy(ctx context.Context, r driver.Record, count, since int64) {
	g := s.guard(r.Key)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changes == 0 && g.count == count {
		s.copies.Put(ctx, r, since)
	}
}

// change drops the copies under keys, and keeps new ones from being made until
// end is called.
func (s *Store) change(ctx context.Context, keys ...driver.Key) (end func()) {
	touched := map[*guard]bool{}
	for _, key := range keys {
		touched[s.guard(key)] = true
	}
	for g := range touched {
		g.begin()
	}
	s.copies.Drop(ctx, keys...)
	return func() {
		s.copies.Drop(ctx, keys...)
		for g := range touched {
			g.end()
		}
	}
}

func (g *guard) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changes++
	g.count++
}

func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changes--
}

// begin returns why a call cannot be made.
func (s *Store) begin(ctx context.Context) error {
	if s.closed.Load() {
		return driver.ErrClosed
	}
	return ctx.Err()
}

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	if err := s.begin(ctx); err != nil {
		return driver.Record{}, err
	}
	r, since, ok := s.copies.Get(ctx, key)
	if ok {
		return r, nil
	}
	count := s.guard(key).reading()
	r, err := s.Store.Get(ctx, key)
	if err == nil {
		s.copy(ctx, r, count, since)
	}
	return r, err
}

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	found := make(map[driver.Key]driver.Record, len(keys))
	var far []driver.Key
	counts, since := map[driver.Key]int64{}, map[driver.Key]int64{}
	for _, key := range keys {
		r, at, ok := s.copies.Get(ctx, key)
		if ok {
			found[key] = r
			continue
		}
		far = append(far, key)
		counts[key], since[key] = s.guard(key).reading(), at
	}
	if far == nil {
		return found, nil
	}
	rest, err := s.Layer.GetBatch(ctx, far)
	if err != nil {
		return nil, err
	}
	for key, r := range rest {
		found[key] = r
		s.copy(ctx, r, counts[key], since[key])
	}
	return found, nil
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.change(ctx, r.Key)()
	return s.Store.Put(ctx, r, c)
}

// PutBatch implements driver.BatchPutter.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	keys := make([]driver.Key, len(records))
	for i, r := range records {
		keys[i] = r.Key
	}
	defer s.change(ctx, keys...)()
	return s.Layer.PutBatch(ctx, records)
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	defer s.change(ctx, key)()
	return s.Store.Delete(ctx, key, revision)
}

// DeleteBatch implements driver.BatchDeleter.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	keys := make([]driver.Key, len(refs))
	for i, ref := range refs {
		keys[i] = ref.Key
	}
	defer s.change(ctx, keys...)()
	return s.Layer.DeleteBatch(ctx, refs)
}

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	for i := range s.guards {
		s.guards[i].begin()
		defer s.guards[i].end()
	}
	s.copies.DropExpired(ctx, space, now)
	return s.Layer.DeleteExpired(ctx, space, now, limit)
}

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.change(ctx, keys...)()
	return s.Layer.Touch(ctx, keys, at)
}

// Close implements driver.Store.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return errors.Join(s.Store.Close(), s.copies.Close())
}
