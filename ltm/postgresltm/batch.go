package postgresltm

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/tea-agents/tea/ltm/driver"
)

// columns are the identities of many keys, a column each.
func columns(keys []driver.Key) []any {
	spaces := make([]int16, len(keys))
	heads, rests := make([][]byte, len(keys)), make([][]byte, len(keys))
	for i := range keys {
		spaces[i] = int16(keys[i].Space)
		heads[i], rests[i] = place(&keys[i])
	}
	return []any{spaces, heads, rests}
}

const (
	theseKeys = `unnest($1::smallint[], $2::bytea[], $3::bytea[]) AS k (space, place, rest)`
	oneOfKeys = `e.space = k.space AND e.place = k.place AND e.rest = k.rest`
	queryMany = `SELECT ` + valueColumns + ` FROM ` + theseKeys + ` JOIN tea_entries AS e ON ` + oneOfKeys
)

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (found map[driver.Key]driver.Record, err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		found = make(map[driver.Key]driver.Record, len(keys))
		return each(ctx, s.pool, queryMany, columns(keys), func(rows pgx.Rows) error {
			var r row
			if err := rows.Scan(r.valueFields()...); err != nil {
				return err
			}
			record := r.record()
			found[record.Key] = record
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// PutBatch implements driver.BatchPutter: it is one transaction.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) (created []bool, err error) {
	b := &pgx.Batch{}
	for i := range records {
		b.Queue(putAlways, putArgs(&records[i])...)
	}
	err = s.send(ctx, b, func(results pgx.BatchResults) error {
		created = make([]bool, len(records))
		for i := range created {
			if err := results.QueryRow().Scan(&created[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// DeleteBatch implements driver.BatchDeleter: it is one transaction.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) (deleted []bool, err error) {
	b := &pgx.Batch{}
	for i := range refs {
		b.Queue(deleteOne, append(keyArgs(&refs[i].Key), refs[i].Revision)...)
	}
	err = s.send(ctx, b, func(results pgx.BatchResults) error {
		deleted = make([]bool, len(refs))
		for i := range deleted {
			tag, err := results.Exec()
			if err != nil {
				return err
			}
			deleted[i] = tag.RowsAffected() > 0
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return deleted, nil
}

// send sends all statements of b in one go and reads their results. They are one
// transaction: the server commits when it has done the last.
func (s *Store) send(ctx context.Context, b *pgx.Batch, read func(pgx.BatchResults) error) error {
	return s.write(ctx, func(ctx context.Context) error {
		if b.Len() == 0 {
			return read(nil)
		}
		results := s.pool.SendBatch(ctx, b)
		err := read(results)
		if closing := results.Close(); err == nil {
			err = closing
		}
		return err
	})
}

// touch locks the change counter, which it leaves as it is, so that it cannot
// meet another change half way.
const touch = `WITH c AS MATERIALIZED (SELECT FROM tea_store AS t FOR UPDATE OF t)
UPDATE tea_entries AS e SET accessed_at = $4 FROM ` + theseKeys + `, c
WHERE ` + oneOfKeys + ` AND e.accessed_at < $4`

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	return s.write(ctx, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, touch, append(columns(keys), at)...)
		return err
	})
}
