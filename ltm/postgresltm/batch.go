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

// In a batch the change counter is locked by the first put, and set once at the
// end. $13 counts the puts.
const (
	putInBatch = `WITH c AS MATERIALIZED (
	SELECT t.revision + $13::bigint AS revision FROM tea_store AS t FOR UPDATE OF t
)` + insert + returning + `
SELECT put.writes = 1 FROM put`
	countBatch = `UPDATE tea_store SET revision = revision + $1`
)

// PutBatch implements driver.BatchPutter: it is one transaction.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) (created []bool, err error) {
	b := &pgx.Batch{}
	for i := range records {
		b.Queue(putInBatch, append(putArgs(&records[i]), i+1)...)
	}
	b.Queue(countBatch, len(records))
	err = s.write(ctx, func(ctx context.Context) error {
		created = make([]bool, len(records))
		if len(records) == 0 {
			return nil
		}
		return s.send(ctx, b, created)
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// send sends a batch in one go and reads what each put of it tells. Its statements
// are one transaction: the server commits when it has done the last.
func (s *Store) send(ctx context.Context, b *pgx.Batch, created []bool) (err error) {
	results := s.pool.SendBatch(ctx, b)
	defer func() {
		if closing := results.Close(); err == nil {
			err = closing
		}
	}()
	for i := range created {
		if err := results.QueryRow().Scan(&created[i]); err != nil {
			return err
		}
	}
	_, err = results.Exec()
	return err
}

const deleteMany = `WITH c AS MATERIALIZED (SELECT FROM tea_store AS t FOR UPDATE OF t), gone AS (
	DELETE FROM tea_entries AS e
	USING unnest($1::smallint[], $2::bytea[], $3::bytea[], $4::bigint[]) AS k (space, place, rest, revision), c
	WHERE ` + oneOfKeys + ` AND (k.revision = 0 OR e.revision = k.revision)
	RETURNING e.space, e.namespace, e.key, e.revision
), counted AS (
	UPDATE tea_store AS t SET revision = t.revision + n.n FROM (SELECT count(*) AS n FROM gone) AS n WHERE n.n > 0
)
SELECT * FROM gone`

// DeleteBatch implements driver.BatchDeleter: it is one transaction.
func (s *Store) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	keys, revisions := make([]driver.Key, len(refs)), make([]int64, len(refs))
	for i, ref := range refs {
		keys[i], revisions[i] = ref.Key, ref.Revision
	}
	var gone map[driver.Key]int64
	err := s.write(ctx, func(ctx context.Context) error {
		gone = make(map[driver.Key]int64, len(refs))
		return each(ctx, s.pool, deleteMany, append(columns(keys), revisions), func(rows pgx.Rows) error {
			var r row
			err := rows.Scan(&r.space, &r.namespace, &r.key, &r.Revision)
			record := r.record()
			gone[record.Key] = record.Revision
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	deleted := make([]bool, len(refs))
	for i, ref := range refs { // the first that fits is the one that did it
		revision, ok := gone[ref.Key]
		if deleted[i] = ok && (ref.Revision == 0 || ref.Revision == revision); deleted[i] {
			delete(gone, ref.Key)
		}
	}
	return deleted, nil
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
