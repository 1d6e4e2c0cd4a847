// Package memltm keeps long-term memory in the process: for tests, for dry
// runs, and as the simplest model of what a store does.
package memltm

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"maps"
	"net/url"
	"slices"
	"sync"

	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store in memory. It has every ability but
// FullText. Make one with New.
type Store struct {
	mu       sync.RWMutex
	records  map[driver.Key]*driver.Record // a record is replaced, never changed
	expiries map[driver.Space]*expiries
	revision int64
	closed   bool
}

// New returns an empty store.
func New() *Store {
	return &Store{
		records:  map[driver.Key]*driver.Record{},
		expiries: map[driver.Space]*expiries{},
	}
}

// Open returns an empty store for a URL such as "mem://". Each call makes a
// store of its own; a host or path is only a name for the reader.
func Open(_ context.Context, _ *url.URL) (driver.Store, error) { return New(), nil }

// check returns why a call cannot go on. The caller holds the lock.
func (s *Store) check(ctx context.Context) error {
	if s.closed {
		return driver.ErrClosed
	}
	return ctx.Err()
}

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.check(ctx); err != nil {
		return driver.Record{}, err
	}
	r, ok := s.records[key]
	if !ok {
		return driver.Record{}, driver.ErrNotFound
	}
	return copied(r, false), nil
}

// copied returns r with bytes of its own, or with none.
func copied(r *driver.Record, keysOnly bool) driver.Record {
	c := *r
	if keysOnly {
		c.Value, c.Metadata = nil, nil
	} else {
		c.Value, c.Metadata = bytes.Clone(c.Value), bytes.Clone(c.Metadata)
	}
	return c
}

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	found := make(map[driver.Key]driver.Record, len(keys))
	for _, key := range keys {
		if r, ok := s.records[key]; ok {
			found[key] = copied(r, false)
		}
	}
	return found, nil
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	r = copied(&r, false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(ctx); err != nil {
		return false, err
	}
	if !c.Holds(s.records[r.Key], r.UpdatedAt) {
		return false, driver.ErrConflict
	}
	return s.put(&r), nil
}

// PutBatch implements driver.BatchPutter.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	created := make([]bool, len(records))
	for i := range records {
		r := copied(&records[i], false)
		created[i] = s.put(&r)
	}
	return created, nil
}

// put stores r, which belongs to the store from now on, and tells whether it
// was created. The caller holds the lock.
func (s *Store) put(r *driver.Record) (created bool) {
	old := s.records[r.Key]
	created = old == nil || old.Expired(r.UpdatedAt)
	r.CreatedAt, r.Terms = r.UpdatedAt, ""
	if !created {
		r.CreatedAt = old.CreatedAt
	}
	s.revision++
	r.Revision, r.AccessedAt, r.Size = s.revision, r.UpdatedAt, int64(len(r.Value))
	s.records[r.Key] = r
	s.expires(r)
	return created
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	deleted, err := s.DeleteBatch(ctx, []driver.Ref{{Key: key, Revision: revision}})
	return err == nil && deleted[0], err
}

// DeleteBatch implements driver.BatchDeleter.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	deleted := make([]bool, len(refs))
	for i, ref := range refs {
		deleted[i] = s.remove(ref)
	}
	return deleted, nil
}

// remove deletes one record. The caller holds the lock.
func (s *Store) remove(ref driver.Ref) bool {
	r, ok := s.records[ref.Key]
	if !ok || ref.Revision != 0 && ref.Revision != r.Revision {
		return false
	}
	delete(s.records, ref.Key)
	s.revision++
	return true
}

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	all, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	found, err := q.Select(all)
	if err != nil {
		return nil, err
	}
	page := make([]driver.Record, len(found))
	for i, r := range found {
		page[i] = copied(r, q.KeysOnly)
	}
	return page, ctx.Err()
}

// snapshot returns all records as they are now.
func (s *Store) snapshot(ctx context.Context) ([]*driver.Record, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return slices.Collect(maps.Values(s.records)), nil
}

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(ctx); err != nil {
		return 0, err
	}
	n := 0
	for q := s.expiring(space); n < limit && len(*q) > 0 && (*q)[0].at <= now; {
		if s.remove(heap.Pop(q).(expiry).ref) {
			n++
		}
	}
	return n, nil
}

// expires queues a record that expires. The caller holds the lock.
func (s *Store) expires(r *driver.Record) {
	if r.ExpiresAt == 0 {
		return
	}
	q := s.expiring(r.Key.Space)
	if len(*q) > 2*len(s.records)+64 {
		q.keep(func(ref driver.Ref) bool {
			live, ok := s.records[ref.Key]
			return ok && live.Revision == ref.Revision
		})
	}
	heap.Push(q, expiry{r.ExpiresAt, driver.Ref{Key: r.Key, Revision: r.Revision}})
}

// expiring returns the queue of a space. The caller holds the lock.
func (s *Store) expiring(space driver.Space) *expiries {
	q, ok := s.expiries[space]
	if !ok {
		q = &expiries{}
		s.expiries[space] = q
	}
	return q
}

// Revision implements driver.Reviser.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revision, s.check(ctx)
}

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(ctx); err != nil {
		return err
	}
	for _, key := range keys {
		if r, ok := s.records[key]; ok && r.AccessedAt < at {
			touched := *r
			touched.AccessedAt = at
			s.records[key] = &touched
		}
	}
	return nil
}

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	all, err := s.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[string]driver.Stats{}
	for _, r := range all {
		if r.Key.Space != space {
			continue
		}
		c := counts[r.Key.Namespace]
		counts[r.Key.Namespace] = driver.Stats{
			Namespace: r.Key.Namespace, Entries: c.Entries + 1, Bytes: c.Bytes + r.Size,
		}
	}
	return slices.SortedFunc(maps.Values(counts), func(a, b driver.Stats) int {
		return cmp.Compare(a.Namespace, b.Namespace)
	}), nil
}

// Close implements driver.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.records, s.expiries = true, nil, nil
	return nil
}
