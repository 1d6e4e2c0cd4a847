package libsqlltm

import (
	"context"
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
)

// The columns of a record, in the order in which record.scan reads them.
const (
	keyColumns = `e.space, e.namespace, e.key, e.created_at, e.updated_at, e.accessed_at,
e.expires_at, e.revision, e.size`
	valueColumns = keyColumns + `, e.metadata, e.value`
)

// fields returns where the columns of a record go.
func fields(r *driver.Record, space *int64) []any {
	return []any{space, &r.Key.Namespace, &r.Key.Key, &r.CreatedAt, &r.UpdatedAt,
		&r.AccessedAt, &r.ExpiresAt, &r.Revision, &r.Size}
}

// scanRecord reads the value columns.
func scanRecord(row []cell) (r driver.Record, err error) {
	var space int64
	err = scan(row, append(fields(&r, &space), &r.Metadata, &r.Value)...)
	r.Key.Space = driver.Space(space)
	return r, err
}

const queryGet = `SELECT ` + valueColumns + ` FROM tea_entries AS e
WHERE e.space = ? AND e.namespace = ? AND e.key = ?`

// keyArgs returns the arguments that name a record.
func keyArgs(k driver.Key) []any { return []any{int64(k.Space), k.Namespace, k.Key} }

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (r driver.Record, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		return s.client.look(ctx, func(ask asker) error {
			results, err := ask(ctx, sql(queryGet, keyArgs(key)...))
			if err != nil {
				return err
			}
			if len(results[0].Rows) == 0 {
				return driver.ErrNotFound
			}
			if r, err = scanRecord(results[0].Rows[0]); err != nil {
				return err
			}
			return fill(ctx, ask, &r)
		})
	})
	if err != nil {
		return driver.Record{}, err
	}
	return r, nil
}

// A record is inserted with a revision that is computed from the counter, which
// the trigger then raises to it. ?9 is the revision that must be there (0 is
// any, or none), ?10 whether it must have expired.
const (
	put = `INSERT INTO tea_entries
	(space, namespace, key, created_at, updated_at, accessed_at, expires_at,
	 writes, revision, size, metadata, value)
SELECT ?1, ?2, ?3, ?4, ?4, ?4, ?5, 1, revision + 1, ?6, ?7, ?8
FROM tea_store
WHERE ?9 = 0 OR EXISTS (SELECT 1 FROM tea_entries
	WHERE space = ?1 AND namespace = ?2 AND key = ?3 AND revision = ?9)
ON CONFLICT (space, namespace, key) DO UPDATE SET
	created_at = iif(` + expired + `, excluded.created_at, created_at),
	writes = iif(` + expired + `, 1, writes + 1),
	updated_at = excluded.updated_at, accessed_at = excluded.accessed_at,
	expires_at = excluded.expires_at, revision = excluded.revision, size = excluded.size,
	metadata = excluded.metadata, value = excluded.value
WHERE NOT ?10 OR ` + expired + `
RETURNING writes = 1`
	expired = `(tea_entries.expires_at > 0 AND tea_entries.expires_at <= excluded.updated_at)`

	// These follow put, and do nothing where it did nothing.
	putPart = `INSERT INTO tea_parts (revision, n, data)
SELECT revision, ?, ? FROM tea_store WHERE changes() > 0`
	putWords = `INSERT OR REPLACE INTO tea_words (rowid, terms)
SELECT id, ?4 FROM tea_entries WHERE space = ?1 AND namespace = ?2 AND key = ?3 AND changes() > 0`
)

// putting returns the statements that put r; the first one returns a row that
// tells whether it was created, or none.
func putting(r *driver.Record, c driver.Condition) []statement {
	inline, large := r.Value, []byte(nil)
	if len(r.Value) > inlineSize {
		inline, large = nil, r.Value
	}
	all := []statement{sql(put, int64(r.Key.Space), r.Key.Namespace, r.Key.Key, r.UpdatedAt, r.ExpiresAt,
		len(r.Value), string(r.Metadata), inline, c.Revision, c.Absent)}
	for n := 0; len(large) > 0; n++ {
		part := large[:min(len(large), partSize)]
		large = large[len(part):]
		all = append(all, sql(putPart, n, part))
	}
	if r.Key.Space == driver.User {
		all = append(all, sql(putWords, append(keyArgs(r.Key), r.Terms)...))
	}
	return all
}

// created reads what the first of the statements that put a record returned.
func created(r *result) (bool, error) {
	if len(r.Rows) == 0 {
		return false, driver.ErrConflict
	}
	n, err := r.number()
	return n == 1, err
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (isNew bool, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		run, statements := s.client.run, putting(&r, c)
		if len(statements) > 1 {
			run = s.client.transact
		}
		results, err := run(ctx, statements...)
		if err == nil {
			isNew, err = created(results[0])
		}
		return err
	})
	return isNew && err == nil, err
}

const deleteOne = `DELETE FROM tea_entries
WHERE space = ? AND namespace = ? AND key = ? AND (revision = ?4 OR ?4 = 0)`

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	n, err := s.change(ctx, sql(deleteOne, append(keyArgs(key), revision)...))
	return n > 0, err
}

// change runs a statement and returns how many rows it changed.
func (s *Store) change(ctx context.Context, st statement) (n int64, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		results, err := s.client.run(ctx, st)
		if err == nil {
			n = results[0].Changed
		}
		return err
	})
	return n, err
}

const deleteExpired = `DELETE FROM tea_entries WHERE id IN (
	SELECT id FROM tea_entries WHERE space = ? AND expires_at > 0 AND expires_at <= ?
	ORDER BY expires_at LIMIT ?)`

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	n, err := s.change(ctx, sql(deleteExpired, int64(space), now, max(limit, 0)))
	return int(n), err
}

// Revision implements driver.Reviser.
func (s *Store) Revision(ctx context.Context) (n int64, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		results, err := s.client.run(ctx, sql(`SELECT revision FROM tea_store`))
		if err == nil {
			n, err = results[0].number()
		}
		return err
	})
	return n, err
}

const queryStats = `SELECT namespace, count(*), sum(size) FROM tea_entries
WHERE space = ? GROUP BY namespace ORDER BY namespace`

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) (counts []driver.Stats, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		results, err := s.client.run(ctx, sql(queryStats, int64(space)))
		if err != nil {
			return err
		}
		for _, row := range results[0].Rows {
			var c driver.Stats
			if err := scan(row, &c.Namespace, &c.Entries, &c.Bytes); err != nil {
				return fmt.Errorf("stats: %w", err)
			}
			counts = append(counts, c)
		}
		return nil
	})
	return counts, err
}
