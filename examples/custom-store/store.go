// Package customstore is a memory store of one's own: a file that is written
// anew with each change. For all but its few methods tea has fallbacks.
package customstore

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store in a file that one process uses at a time.
type Store struct {
	path   string
	mu     sync.Mutex
	closed bool
	data   contents
}

// contents is what the file holds.
type contents struct {
	Revision int64 // how many changes there were
	Records  map[driver.Key]*driver.Record
}

// Open opens a file, or begins a new one.
func Open(path string) (*Store, error) {
	s := &Store{path: path, data: contents{Records: map[driver.Key]*driver.Record{}}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	return s, errors.Join(err, gob.NewDecoder(bytes.NewReader(data)).Decode(&s.data))
}

// do makes a call, one at a time.
func (s *Store) do(ctx context.Context, call func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return call()
}

// change makes r the record under key, or removes it when r is nil, by a new
// file: a crash leaves the old or the new one.
func (s *Store) change(key driver.Key, r *driver.Record) error {
	next := contents{s.data.Revision + 1, maps.Clone(s.data.Records)}
	next.Records[key] = r
	if r == nil {
		delete(next.Records, key)
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(next); err != nil {
		return err
	}
	err := os.WriteFile(s.path+".new", data.Bytes(), 0o600)
	if err == nil {
		err = os.Rename(s.path+".new", s.path)
	}
	if err == nil {
		s.data = next
	}
	return err
}

// own returns r with bytes that nobody else has.
func own(r *driver.Record) driver.Record {
	c := *r
	c.Value, c.Metadata = bytes.Clone(r.Value), bytes.Clone(r.Metadata)
	return c
}

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (r driver.Record, err error) {
	err = s.do(ctx, func() error {
		if s.data.Records[key] == nil {
			return driver.ErrNotFound
		}
		r = own(s.data.Records[key])
		return nil
	})
	return r, err
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (created bool, err error) {
	err = s.do(ctx, func() error {
		old := s.data.Records[r.Key]
		if !c.Holds(old, r.UpdatedAt) {
			return driver.ErrConflict
		}
		created = old == nil || old.Expired(r.UpdatedAt)
		r = own(&r)
		r.CreatedAt, r.AccessedAt, r.Terms = r.UpdatedAt, r.UpdatedAt, ""
		r.Revision, r.Size = s.data.Revision+1, int64(len(r.Value))
		if !created {
			r.CreatedAt = old.CreatedAt
		}
		return s.change(r.Key, &r)
	})
	return created, err
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (deleted bool, err error) {
	err = s.do(ctx, func() error {
		r := s.data.Records[key]
		if deleted = r != nil && (revision == 0 || r.Revision == revision); deleted {
			return s.change(key, nil)
		}
		return nil
	})
	return deleted, err
}

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) (page []driver.Record, err error) {
	err = s.do(ctx, func() error {
		found, err := q.Select(slices.Collect(maps.Values(s.data.Records)))
		for _, r := range found {
			page = append(page, own(r))
			if q.KeysOnly {
				page[len(page)-1].Value, page[len(page)-1].Metadata = nil, nil
			}
		}
		return err
	})
	return page, err
}

// Close implements driver.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
