package driver

import (
	"context"
	"iter"
)

// Layer is a store with the methods of every ability: that of the store
// underneath, else its fallback, else errors.ErrUnsupported. Embed it in a store
// that changes what another one does, and so keeps what it does not change.
type Layer struct{ Store }

// DeleteExpired implements Expirer.
func (l Layer) DeleteExpired(ctx context.Context, space Space, now int64, limit int) (int, error) {
	return DeleteExpired(ctx, l.Store, space, now, limit)
}

// Search implements FullText.
func (l Layer) Search(ctx context.Context, q Query, terms []string) ([]Hit, error) {
	return Search(ctx, l.Store, q, terms)
}

// Revision implements Reviser.
func (l Layer) Revision(ctx context.Context) (int64, error) { return Revision(ctx, l.Store) }

// GetBatch implements BatchGetter.
func (l Layer) GetBatch(ctx context.Context, keys []Key) (map[Key]Record, error) {
	return GetBatch(ctx, l.Store, keys)
}

// PutBatch implements BatchPutter.
func (l Layer) PutBatch(ctx context.Context, records []Record) ([]bool, error) {
	return PutBatch(ctx, l.Store, records)
}

// DeleteBatch implements BatchDeleter.
func (l Layer) DeleteBatch(ctx context.Context, refs []Ref) ([]bool, error) {
	return DeleteBatch(ctx, l.Store, refs)
}

// Touch implements Toucher.
func (l Layer) Touch(ctx context.Context, keys []Key, at int64) error {
	return Touch(ctx, l.Store, keys, at)
}

// Stats implements Stater.
func (l Layer) Stats(ctx context.Context, space Space) ([]Stats, error) {
	return CountStats(ctx, l.Store, space)
}

// All lists every record that q selects, part by part: what is put or deleted
// meanwhile may be among it or not, everything else is there once. q.Limit and
// q.After do not count. After an error it ends.
func All(ctx context.Context, s Store, q Query) iter.Seq2[Record, error] {
	q.After, q.Limit = nil, part
	return func(yield func(Record, error) bool) {
		for {
			records, err := s.List(ctx, q)
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
			if len(records) < q.Limit {
				return
			}
			last := q.Position(&records[len(records)-1])
			q.After = &last
		}
	}
}
