package sqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
)

// The columns of a record, in the order in which row scans them.
const (
	keyColumns = `e.space, e.namespace, e.key, e.created_at, e.updated_at, e.accessed_at,
e.expires_at, e.revision, length(e.value) + e.beside`
	valueColumns = keyColumns + `, e.metadata,
CASE e.beside WHEN 0 THEN e.value ELSE (SELECT l.value FROM large AS l WHERE l.id = e.id) END,
e.guard - e.writes`
)

// largeSize is from how many bytes on a value stands beside its row.
const largeSize = 64 << 10

// row is a record as it is scanned.
type row struct {
	driver.Record
	guard int64 // less writes
}

func (r *row) keyFields() []any {
	return []any{&r.Key.Space, &r.Key.Namespace, &r.Key.Key, &r.CreatedAt, &r.UpdatedAt,
		&r.AccessedAt, &r.ExpiresAt, &r.Revision, &r.Size}
}

func (r *row) valueFields() []any {
	return append(r.keyFields(), &r.Metadata, &r.Value, &r.guard)
}

// check verifies the numbers that the store keeps.
func (r *row) check() error {
	switch {
	case r.guard != r.CreatedAt+r.AccessedAt+r.Revision:
		return fmt.Errorf("%w: the times or the revision of %q are damaged", driver.ErrCorrupt, r.Key.Key)
	case r.Size != int64(len(r.Value)):
		return fmt.Errorf("%w: of the %d bytes of %q %d are there", driver.ErrCorrupt, r.Size, r.Key.Key, len(r.Value))
	}
	return nil
}

const queryGet = `SELECT ` + valueColumns + ` FROM entries AS e
WHERE e.space = ? AND e.namespace = ? AND e.key = ?`

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	if err := s.begin(ctx); err != nil {
		return driver.Record{}, err
	}
	var r row
	err := s.read.one(ctx, queryGet, []any{int64(key.Space), key.Namespace, key.Key}, r.valueFields()...)
	if err != nil {
		return driver.Record{}, s.fail(ctx, err)
	}
	return r.Record, r.check()
}

// A record is inserted with revision, guard and counter all from one statement:
// the trigger raises the counter to the revision that was computed from it.
const (
	insert = `INSERT INTO entries
	(space, namespace, key, created_at, updated_at, accessed_at, expires_at,
	 writes, revision, guard, metadata, value, beside)
SELECT ?1, ?2, ?3, ?4, ?4, ?4, ?5, 1, revision + 1, 2 * ?4 + 1 + revision + 1, ?6, ?7, ?8
FROM store WHERE true
ON CONFLICT (space, namespace, key) DO UPDATE SET
	created_at = iif(` + expired + `, excluded.created_at, created_at),
	writes = iif(` + expired + `, 1, writes + 1),
	guard = iif(` + expired + `, excluded.guard,
		created_at + excluded.accessed_at + writes + 1 + excluded.revision),
	updated_at = excluded.updated_at, accessed_at = excluded.accessed_at,
	expires_at = excluded.expires_at, revision = excluded.revision,
	metadata = excluded.metadata, value = excluded.value, beside = excluded.beside`
	expired   = `(entries.expires_at > 0 AND entries.expires_at <= excluded.updated_at)`
	returning = ` RETURNING id, writes = 1`

	putAlways = insert + returning
	putAbsent = insert + ` WHERE ` + expired + returning
	// ?9 is the revision that must be there, ?10 whether it must have expired.
	putRevision = insert + ` WHERE entries.revision = ?9 AND (NOT ?10 OR ` + expired + `)` + returning

	queryRevisionOf = `SELECT count(*) FROM entries
WHERE space = ? AND namespace = ? AND key = ? AND revision = ?`
	putWords = `INSERT OR REPLACE INTO words (rowid, terms) VALUES (?, ?)`
	putLarge = `INSERT OR REPLACE INTO large (id, value) VALUES (?, ?)`
)

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	if err := s.beginWrite(ctx); err != nil {
		return false, err
	}
	query := putAlways
	switch {
	case c.Revision != 0:
		query = putRevision
	case c.Absent:
		query = putAbsent
	}
	var created bool
	var err error
	if r.Key.Space == driver.User || c.Revision != 0 || len(r.Value) >= largeSize {
		created, err = s.putInTx(ctx, &r, c, query)
	} else {
		var id int64
		err = s.write.one(ctx, query, putArgs(&r, c), &id, &created)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return false, driver.ErrConflict
	}
	return created && err == nil, s.fail(ctx, err)
}

// putArgs returns the arguments of a statement that puts r.
func putArgs(r *driver.Record, c driver.Condition) []any {
	v, beside := r.Value, 0
	if len(v) >= largeSize {
		v, beside = nil, len(v)
	}
	if v == nil {
		v = []byte{} // nil would be NULL
	}
	args := []any{int64(r.Key.Space), r.Key.Namespace, r.Key.Key, r.UpdatedAt, r.ExpiresAt, string(r.Metadata), v, beside}
	if c.Revision != 0 {
		args = append(args, c.Revision, c.Absent)
	}
	return args
}

// putInTx puts what takes more than one statement.
func (s *Store) putInTx(ctx context.Context, r *driver.Record, c driver.Condition, query string) (created bool, err error) {
	p, err := s.putter(ctx, query)
	if err != nil {
		return false, err
	}
	err = s.write.tx(ctx, func(tx *sql.Tx) error {
		if c.Revision != 0 { // an insert would not ask for it
			var n int
			err := tx.QueryRowContext(ctx, queryRevisionOf,
				int64(r.Key.Space), r.Key.Namespace, r.Key.Key, c.Revision).Scan(&n)
			if err != nil {
				return err
			}
			if n == 0 {
				return sql.ErrNoRows
			}
		}
		created, err = p.in(ctx, tx).put(ctx, r, c)
		return err
	})
	return created, err
}

// putter is the statements that put a record.
type putter struct{ entry, words, large *sql.Stmt }

func (s *Store) putter(ctx context.Context, query string) (putter, error) {
	entry, err := s.write.stmt(ctx, query)
	if err != nil {
		return putter{}, err
	}
	words, err := s.write.stmt(ctx, putWords)
	if err != nil {
		return putter{}, err
	}
	large, err := s.write.stmt(ctx, putLarge)
	return putter{entry, words, large}, err
}

// in returns the same statements in a transaction.
func (p putter) in(ctx context.Context, tx *sql.Tx) putter {
	return putter{tx.StmtContext(ctx, p.entry), tx.StmtContext(ctx, p.words), tx.StmtContext(ctx, p.large)}
}

// put stores r and tells whether it was created.
func (p putter) put(ctx context.Context, r *driver.Record, c driver.Condition) (created bool, err error) {
	var id int64
	if err := scanOne(ctx, p.entry, putArgs(r, c), &id, &created); err != nil {
		return false, err
	}
	if len(r.Value) >= largeSize {
		if _, err := p.large.ExecContext(ctx, id, r.Value); err != nil {
			return false, err
		}
	}
	if r.Key.Space == driver.User {
		_, err = p.words.ExecContext(ctx, id, r.Terms)
	}
	return created, err
}

const deleteOne = `DELETE FROM entries
WHERE space = ? AND namespace = ? AND key = ? AND (revision = ?4 OR ?4 = 0)`

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	if err := s.beginWrite(ctx); err != nil {
		return false, err
	}
	n, err := s.write.exec(ctx, deleteOne, int64(key.Space), key.Namespace, key.Key, revision)
	return n > 0, s.fail(ctx, err)
}

const deleteExpired = `DELETE FROM entries WHERE id IN (
	SELECT id FROM entries WHERE space = ? AND expires_at > 0 AND expires_at <= ?
	ORDER BY expires_at LIMIT ?)`

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	if err := s.beginWrite(ctx); err != nil {
		return 0, err
	}
	n, err := s.write.exec(ctx, deleteExpired, int64(space), now, max(limit, 0))
	return int(n), s.fail(ctx, err)
}

const queryRevision = `SELECT revision FROM store`

// Revision implements driver.Reviser.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	var n int64
	err := s.read.one(ctx, queryRevision, nil, &n)
	return n, s.fail(ctx, err)
}

const touchOne = `UPDATE entries SET guard = guard + ?1 - accessed_at, accessed_at = ?1
WHERE space = ?2 AND namespace = ?3 AND key = ?4 AND accessed_at < ?1`

// Touch implements driver.Toucher.
func (s *Store) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	if err := s.beginWrite(ctx); err != nil {
		return err
	}
	one, err := s.write.stmt(ctx, touchOne)
	if err != nil {
		return s.fail(ctx, err)
	}
	return s.fail(ctx, s.write.tx(ctx, func(tx *sql.Tx) error {
		one := tx.StmtContext(ctx, one)
		for _, key := range keys {
			if _, err := one.ExecContext(ctx, at, int64(key.Space), key.Namespace, key.Key); err != nil {
				return err
			}
		}
		return nil
	}))
}

const queryStats = `SELECT namespace, count(*), sum(length(value) + beside) FROM entries
WHERE space = ? GROUP BY namespace ORDER BY namespace`

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	rows, err := s.read.db.QueryContext(ctx, queryStats, int64(space))
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what counts
	var counts []driver.Stats
	for rows.Next() {
		var c driver.Stats
		if err := rows.Scan(&c.Namespace, &c.Entries, &c.Bytes); err != nil {
			return nil, s.fail(ctx, err)
		}
		counts = append(counts, c)
	}
	return counts, s.fail(ctx, rows.Err())
}
