// Package namespaced keeps everything of one party in a part of a store of its
// own, so that several can share the store and never meet.
package namespaced

import (
	"context"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// Store is a driver.Store on a part of another one. Make one with New.
type Store struct {
	driver.Layer
	prefix string
}

// New returns the part of s that is called name: the namespace N in it is the
// namespace "name/N" of s, where "%" and "/" in name are escaped, so that no
// two parts overlap. It owns s from now on. Its change counter is that of s.
func New(s driver.Store, name string) *Store {
	escaped := strings.NewReplacer("%", "%25", "/", "%2F").Replace(name)
	return &Store{driver.Layer{Store: s}, escaped + "/"}
}

// in and out translate a key for the store underneath and back.
func (s *Store) in(k driver.Key) driver.Key {
	k.Namespace = s.prefix + k.Namespace
	return k
}

func (s *Store) out(k driver.Key) driver.Key {
	k.Namespace = strings.TrimPrefix(k.Namespace, s.prefix)
	return k
}

// query translates a query.
func (s *Store) query(q driver.Query) driver.Query {
	q.NamespacePrefix = s.prefix + q.NamespacePrefix
	if q.Namespaces != nil {
		names := make([]string, len(q.Namespaces))
		for i, name := range q.Namespaces {
			names[i] = s.prefix + name
		}
		q.Namespaces = names
	}
	if q.After != nil {
		after := *q.After
		after.Namespace = s.prefix + after.Namespace
		q.After = &after
	}
	return q
}

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	r, err := s.Store.Get(ctx, s.in(key))
	r.Key = s.out(r.Key)
	return r, err
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	r.Key = s.in(r.Key)
	return s.Store.Put(ctx, r, c)
}

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	return s.Store.Delete(ctx, s.in(key), revision)
}

// List implements driver.Store.
func (s *Store) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	records, err := s.Store.List(ctx, s.query(q))
	for i := range records {
		records[i].Key = s.out(records[i].Key)
	}
	return records, err
}

// Search implements driver.FullText.
func (s *Store) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	hits, err := s.Layer.Search(ctx, s.query(q), terms)
	for i := range hits {
		hits[i].Key = s.out(hits[i].Key)
	}
	return hits, err
}

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	q := driver.Query{Space: space, NamespacePrefix: s.prefix, ExpiredBy: now, Order: driver.ByExpiry}
	return driver.DeleteListed(ctx, s.Store, q, limit)
}

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	inner := make([]driver.Key, len(keys))
	for i, key := range keys {
		inner[i] = s.in(key)
	}
	records, err := s.Layer.GetBatch(ctx, inner)
	found := make(map[driver.Key]driver.Record, len(records))
	for key, r := range records {
		r.Key = s.out(r.Key)
		found[s.out(key)] = r
	}
	return found, err
}

// PutBatch implements driver.BatchPutter.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	inner := make([]driver.Record, len(records))
	for i, r := range records {
		r.Key = s.in(r.Key)
		inner[i] = r
	}
	return s.Layer.PutBatch(ctx, inner)
}

// DeleteBatch implements driver.BatchDeleter.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	inner := make([]driver.Ref, len(refs))
	for i, ref := range refs {
		inner[i] = driver.Ref{Key: s.in(ref.Key), Revision: ref.Revision}
	}
	return s.Layer.DeleteBatch(ctx, inner)
}

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	inner := make([]driver.Key, len(keys))
	for i, key := range keys {
		inner[i] = s.in(key)
	}
	return s.Layer.Touch(ctx, inner, at)
}

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	all, err := s.Layer.Stats(ctx, space)
	var mine []driver.Stats
	for _, c := range all {
		if name, ok := strings.CutPrefix(c.Namespace, s.prefix); ok {
			c.Namespace = name
			mine = append(mine, c)
		}
	}
	return mine, err
}
