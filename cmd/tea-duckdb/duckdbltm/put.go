package duckdbltm

import (
	"bytes"
	"context"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	created, err := s.put(ctx, []driver.Record{r}, c)
	return err == nil && created[0], err
}

// PutBatch implements driver.BatchPutter: it is one transaction.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	return s.put(ctx, records, driver.Condition{})
}

// put puts records in one transaction. The condition holds for each of them.
func (s *Store) put(ctx context.Context, records []driver.Record, c driver.Condition) ([]bool, error) {
	own := make([]driver.Record, len(records))
	keys := make([]driver.Key, len(records))
	for i, r := range records {
		r.Value, r.Metadata = bytes.Clone(r.Value), bytes.Clone(r.Metadata)
		own[i], keys[i] = r, r.Key
	}
	return change(ctx, s, len(own), func(ctx context.Context, t *transaction) ([]bool, bool, error) {
		old, err := t.heads(ctx, keys)
		if err != nil {
			return nil, false, err
		}
		created := make([]bool, len(own))
		latest := make(map[driver.Key]*driver.Record, len(own))
		for i := range own {
			r := &own[i]
			before := latest[r.Key]
			if h, ok := old[r.Key]; ok && before == nil {
				before = &h.Record
			}
			if !c.Holds(before, r.UpdatedAt) {
				return nil, false, driver.ErrConflict
			}
			r.CreatedAt, r.AccessedAt, r.Revision = r.UpdatedAt, r.UpdatedAt, t.revision+int64(i)+1
			if created[i] = before == nil || before.Expired(r.UpdatedAt); !created[i] {
				r.CreatedAt = before.CreatedAt
			}
			latest[r.Key] = r
		}
		if err := t.replace(ctx, old, latest); err != nil {
			return nil, false, err
		}
		return created, len(own) > 0, nil
	})
}

// replace deletes what was there and inserts what is there now.
func (t *transaction) replace(ctx context.Context, old map[driver.Key]head, now map[driver.Key]*driver.Record) error {
	rows := make([]int64, 0, len(old))
	for _, h := range old {
		rows = append(rows, h.row)
	}
	if err := t.delete(ctx, rows); err != nil {
		return err
	}
	return t.insert(func(add func(...any) error) error {
		for _, r := range now {
			terms := spaced(r.Terms)
			err := add(id(r.Key), uint8(r.Key.Space), []byte(r.Key.Namespace), []byte(r.Key.Key),
				r.CreatedAt, r.UpdatedAt, r.AccessedAt, r.ExpiresAt, r.Revision, int64(len(r.Value)),
				string(r.Metadata), append([]byte{}, r.Value...), int64(strings.Count(terms, "  ")+1), terms)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// spaced returns terms as they stand in the column terms.
func spaced(terms string) string {
	if terms == "" {
		return ""
	}
	return " " + strings.ReplaceAll(terms, " ", "  ") + " "
}
