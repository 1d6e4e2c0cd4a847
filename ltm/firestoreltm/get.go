package firestoreltm

import (
	"context"
	"fmt"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	batchCount = 200 // documents in one request
	partsAsked = 13  // at once: as many as the largest record has
	rereads    = 20  // of a record that is changed while its parts are read
)

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (r driver.Record, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		found, err := s.get(ctx, []driver.Key{key})
		if err != nil {
			return err
		}
		if found[0] == nil {
			return driver.ErrNotFound
		}
		r = found[0].record(&driver.Query{})
		return nil
	})
	if err != nil {
		return driver.Record{}, err
	}
	return r, nil
}

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	records := make(map[driver.Key]driver.Record, len(keys))
	keys = slices.Clone(keys)
	slices.SortFunc(keys, driver.Key.Compare)
	err := s.do(ctx, func(ctx context.Context) error {
		for part := range slices.Chunk(slices.Compact(keys), batchCount) {
			found, err := s.get(ctx, part)
			if err != nil {
				return err
			}
			for i, d := range found {
				if d != nil {
					records[part[i]] = d.record(&driver.Query{})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// get reads records wholly, nil for each that is not there.
func (s *Store) get(ctx context.Context, keys []driver.Key) ([]*document, error) {
	found, err := s.heads(ctx, keys, nil)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i] == nil {
			continue
		}
		if found[i], err = s.whole(ctx, found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// heads reads the fields of records, nil for all; what is in parts stays there.
func (s *Store) heads(ctx context.Context, keys []driver.Key, fields []string) ([]*document, error) {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = s.name(k)
	}
	documents, _, err := s.fetch(ctx, names, fields)
	if err != nil {
		return nil, err
	}
	found := make([]*document, len(keys))
	for i, k := range keys {
		d := documents[s.name(k)]
		if d == nil {
			continue
		}
		if found[i], err = read(k.Space, d); err != nil {
			return nil, err
		}
		found[i].Key = k // it was not asked for, or is the same
	}
	return found, nil
}

// whole reads what of d is in parts. Where d changes meanwhile it returns the new
// one, nil if it is gone.
func (s *Store) whole(ctx context.Context, d *document) (*document, error) {
	for range rereads {
		if !d.far {
			return d, nil
		}
		if ok, err := s.fill(ctx, d); err != nil || ok {
			return d, err
		}
		found, err := s.heads(ctx, []driver.Key{d.Key}, nil)
		if err != nil || found[0] == nil {
			return nil, err
		}
		if found[0].Revision == d.Revision {
			if d.ExpiresAt != 0 {
				return nil, nil // a TTL policy has taken a part, and takes the rest
			}
			return nil, fmt.Errorf("%w: a part of %.60q is missing", driver.ErrCorrupt, d.Key.Key)
		}
		d = found[0]
	}
	return nil, fmt.Errorf("%w: %.60q changes all the time", driver.ErrUnavailable, d.Key.Key)
}

// fill reads the parts of d and tells whether they belong to it: all that is
// written by one commit has the same time.
func (s *Store) fill(ctx context.Context, d *document) (bool, error) {
	names := make([]string, d.parts)
	for i := range names {
		names[i] = s.part(d.Key, i)
	}
	var all []byte
	for some := range slices.Chunk(names, partsAsked) {
		documents, _, err := s.fetch(ctx, some, nil)
		if err != nil {
			return false, err
		}
		for _, name := range some {
			p := documents[name]
			if p == nil || !p.GetUpdateTime().AsTime().Equal(d.updated.AsTime()) {
				return false, nil
			}
			all = append(all, p.GetFields()[fieldData].GetBytesValue()...)
		}
	}
	meta := d.Size + d.metaLen
	if d.Size < 0 || d.metaLen < 0 || meta > int64(len(all)) {
		return false, fmt.Errorf("%w: the parts of %.60q are damaged", driver.ErrCorrupt, d.Key.Key)
	}
	d.Value, d.Metadata, d.Terms = all[:d.Size:d.Size], all[d.Size:meta:meta], string(all[meta:])
	d.far = false
	return true, nil
}
