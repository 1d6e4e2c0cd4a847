package driver

import (
	"context"
	"errors"
)

// part is how many records a fallback lists at a time.
const part = 500

// can calls a method of an ability that s has, else the fallback.
func can[A, R any](s Store, call func(A) (R, error), fallback func() (R, error)) (R, error) {
	if a, ok := s.(A); ok {
		r, err := call(a)
		if !errors.Is(err, errors.ErrUnsupported) {
			return r, err
		}
	}
	return fallback()
}

// lacks is the fallback of what cannot be done otherwise.
func lacks[R any]() (R, error) {
	var none R
	return none, errors.ErrUnsupported
}

// DeleteExpired is Expirer for every store.
func DeleteExpired(ctx context.Context, s Store, space Space, now int64, limit int) (int, error) {
	return can(s, func(a Expirer) (int, error) {
		return a.DeleteExpired(ctx, space, now, limit)
	}, func() (int, error) {
		return DeleteListed(ctx, s, Query{Space: space, ExpiredBy: now, Order: ByExpiry}, limit)
	})
}

// DeleteListed deletes at most limit of the records that q selects, the first in
// its order, and returns how many it deleted. q.Limit and q.After do not count.
// A record that changes meanwhile stays.
func DeleteListed(ctx context.Context, s Store, q Query, limit int) (deleted int, err error) {
	q.KeysOnly, q.After = true, nil
	for limit > 0 {
		q.Limit = min(limit, part)
		found, err := s.List(ctx, q)
		if err != nil || len(found) == 0 {
			return deleted, err
		}
		refs := make([]Ref, len(found))
		for i, r := range found {
			refs[i] = Ref{Key: r.Key, Revision: r.Revision}
		}
		gone, err := DeleteBatch(ctx, s, refs)
		for _, ok := range gone {
			if ok {
				deleted++
			}
		}
		if err != nil || len(found) < q.Limit {
			return deleted, err
		}
		limit -= len(found)
		last := q.Position(&found[len(found)-1])
		q.After = &last
	}
	return deleted, ctx.Err()
}

// Search is FullText, or errors.ErrUnsupported: a store does not return the
// terms that a fallback would have to look at.
func Search(ctx context.Context, s Store, q Query, terms []string) ([]Hit, error) {
	return can(s, func(a FullText) ([]Hit, error) { return a.Search(ctx, q, terms) }, lacks[[]Hit])
}

// Revision is Reviser, or errors.ErrUnsupported.
func Revision(ctx context.Context, s Store) (int64, error) {
	return can(s, func(a Reviser) (int64, error) { return a.Revision(ctx) }, lacks[int64])
}

// Touch is Toucher, or errors.ErrUnsupported.
func Touch(ctx context.Context, s Store, keys []Key, at int64) error {
	_, err := can(s, func(a Toucher) (struct{}, error) {
		return struct{}{}, a.Touch(ctx, keys, at)
	}, lacks[struct{}])
	return err
}

// GetBatch is BatchGetter for every store.
func GetBatch(ctx context.Context, s Store, keys []Key) (map[Key]Record, error) {
	return can(s, func(a BatchGetter) (map[Key]Record, error) {
		return a.GetBatch(ctx, keys)
	}, func() (map[Key]Record, error) {
		found := make(map[Key]Record, len(keys))
		for _, key := range keys {
			r, err := s.Get(ctx, key)
			switch {
			case err == nil:
				found[key] = r
			case !errors.Is(err, ErrNotFound):
				return nil, err
			}
		}
		return found, ctx.Err()
	})
}

// PutBatch is BatchPutter for every store.
func PutBatch(ctx context.Context, s Store, records []Record) ([]bool, error) {
	return can(s, func(a BatchPutter) ([]bool, error) {
		return a.PutBatch(ctx, records)
	}, func() ([]bool, error) {
		created := make([]bool, len(records))
		for i, r := range records {
			var err error
			if created[i], err = s.Put(ctx, r, Condition{}); err != nil {
				return nil, err
			}
		}
		return created, ctx.Err()
	})
}

// DeleteBatch is BatchDeleter for every store. On an error the answer is about
// the first of refs, as far as it came.
func DeleteBatch(ctx context.Context, s Store, refs []Ref) ([]bool, error) {
	return can(s, func(a BatchDeleter) ([]bool, error) {
		return a.DeleteBatch(ctx, refs)
	}, func() ([]bool, error) {
		deleted := make([]bool, 0, len(refs))
		for _, ref := range refs {
			ok, err := s.Delete(ctx, ref.Key, ref.Revision)
			if err != nil {
				return deleted, err
			}
			deleted = append(deleted, ok)
		}
		return deleted, ctx.Err()
	})
}

// CountStats is Stater for every store.
func CountStats(ctx context.Context, s Store, space Space) ([]Stats, error) {
	return can(s, func(a Stater) ([]Stats, error) {
		return a.Stats(ctx, space)
	}, func() ([]Stats, error) {
		var counts []Stats
		for r, err := range All(ctx, s, Query{Space: space, KeysOnly: true}) {
			if err != nil {
				return nil, err
			}
			if n := len(counts); n == 0 || counts[n-1].Namespace != r.Key.Namespace {
				counts = append(counts, Stats{Namespace: r.Key.Namespace})
			}
			last := &counts[len(counts)-1]
			last.Entries++
			last.Bytes += r.Size
		}
		return counts, ctx.Err()
	})
}
