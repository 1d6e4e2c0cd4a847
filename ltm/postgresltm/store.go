package postgresltm

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/tea-agents/tea/ltm/driver"
)

// The columns of a record, in the order in which row scans them.
const (
	keyColumns = `e.space, e.namespace, e.key, e.created_at, e.updated_at, e.accessed_at,
e.expires_at, e.revision, octet_length(e.value)::bigint`
	valueColumns = keyColumns + `, e.metadata, e.value`
)

// row is a record as it is scanned.
type row struct {
	driver.Record
	space          int16
	namespace, key []byte
}

func (r *row) keyFields() []any {
	return []any{&r.space, &r.namespace, &r.key, &r.CreatedAt, &r.UpdatedAt,
		&r.AccessedAt, &r.ExpiresAt, &r.Revision, &r.Size}
}

func (r *row) valueFields() []any { return append(r.keyFields(), &r.Metadata, &r.Value) }

// record returns the record once it is scanned.
func (r *row) record() driver.Record {
	r.Key = driver.Key{Space: driver.Space(r.space), Namespace: string(r.namespace), Key: string(r.key)}
	return r.Record
}

// keyArgs are the parameters $1 to $3 of the condition thisKey.
func keyArgs(k *driver.Key) []any {
	head, rest := place(k)
	return []any{int16(k.Space), head, rest}
}

const thisKey = `e.space = $1 AND e.place = $2 AND e.rest = $3`

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	var r row
	err := s.read(ctx, func(ctx context.Context) error {
		r = row{}
		return s.one(ctx, `SELECT `+valueColumns+` FROM tea_entries AS e WHERE `+thisKey, keyArgs(&key), r.valueFields()...)
	})
	if err != nil {
		return driver.Record{}, err
	}
	return r.record(), nil
}

// A statement that changes something first locks the change counter, if it sees
// that there is something to change: so all of them follow one another and none
// waits for another with something locked. What it sees may be gone when it has
// the lock; the server then checks its conditions again on what is there now.
const (
	lockStore = `WITH c AS MATERIALIZED (
	SELECT t.revision + 1 AS revision FROM tea_store AS t WHERE `
	locked = ` FOR UPDATE OF t
)`

	expired = `(e.expires_at > 0 AND e.expires_at <= $4)` // at the time of the put

	insert = `, put AS (
	INSERT INTO tea_entries AS e (space, place, rest, created_at, updated_at, accessed_at, expires_at,
		writes, revision, namespace, key, metadata, value, facets, terms, long_terms)
	SELECT $1::smallint, $2::bytea, $3::bytea, $4::bigint, $4, $4, $5::bigint, 1, c.revision,
		$6::bytea, $7::bytea, $8::bytea, $9::bytea, $10::text::jsonb, $11::text::tsvector, $12::text
	FROM c
	ON CONFLICT (space, place, rest) DO UPDATE SET
		created_at = CASE WHEN ` + expired + ` THEN $4 ELSE e.created_at END,
		writes = CASE WHEN ` + expired + ` THEN 1 ELSE e.writes + 1 END,
		updated_at = $4, accessed_at = $4, expires_at = $5, revision = excluded.revision, metadata = $8,
		value = $9, facets = excluded.facets, terms = excluded.terms, long_terms = excluded.long_terms`
	returning = `
	RETURNING e.revision, e.writes
)`
	count = returning + `
UPDATE tea_store AS t SET revision = put.revision FROM put RETURNING put.writes = 1`

	putAlways = lockStore + `true` + locked + insert + count
	putAbsent = lockStore + `NOT EXISTS (SELECT FROM tea_entries AS e WHERE ` + thisKey + ` AND NOT ` + expired + `)` +
		locked + insert + `
	WHERE ` + expired + count

	// $13 is the revision that must be there, $14 whether it must have expired.
	thisRevision = thisKey + ` AND e.revision = $13 AND (NOT $14 OR ` + expired + `)`
	putRevision  = lockStore + `EXISTS (SELECT FROM tea_entries AS e WHERE ` + thisRevision + `)` + locked + `, put AS (
	UPDATE tea_entries AS e SET
		created_at = CASE WHEN ` + expired + ` THEN $4 ELSE e.created_at END,
		writes = CASE WHEN ` + expired + ` THEN 1 ELSE e.writes + 1 END,
		updated_at = $4, accessed_at = $4, expires_at = $5, revision = c.revision, namespace = $6, key = $7,
		metadata = $8, value = $9, facets = $10::text::jsonb, terms = $11::text::tsvector, long_terms = $12
	FROM c WHERE ` + thisRevision + count
)

// putArgs are the parameters of the puts.
func putArgs(r *driver.Record) []any {
	v := r.Value
	if v == nil {
		v = []byte{} // nil would be NULL
	}
	var meta, long any
	if text := facets(r.Metadata); text != "" {
		meta = text
	}
	terms, ok := vector(r.Terms)
	if !ok {
		long = escape(r.Terms)
	}
	return append(keyArgs(&r.Key), r.UpdatedAt, r.ExpiresAt, []byte(r.Key.Namespace), []byte(r.Key.Key),
		append([]byte{}, r.Metadata...), v, meta, terms, long)
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (created bool, err error) {
	query, args := putAlways, putArgs(&r)
	switch {
	case c.Revision != 0:
		query, args = putRevision, append(args, c.Revision, c.Absent)
	case c.Absent:
		query = putAbsent
	}
	err = s.write(ctx, func(ctx context.Context) error {
		err := s.one(ctx, query, args, &created)
		if errors.Is(err, pgx.ErrNoRows) {
			return driver.ErrConflict
		}
		return err
	})
	return created && err == nil, err
}

// $4 is the revision that must be there, 0 is any.
const (
	thisRef   = thisKey + ` AND (e.revision = $4 OR $4 = 0)`
	deleteOne = lockStore + `EXISTS (SELECT FROM tea_entries AS e WHERE ` + thisRef + `)` + locked + `, gone AS (
	DELETE FROM tea_entries AS e USING c WHERE ` + thisRef + ` RETURNING c.revision
)
UPDATE tea_store AS t SET revision = gone.revision FROM gone`
)

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, revision int64) (deleted bool, err error) {
	err = s.write(ctx, func(ctx context.Context) error {
		tag, err := s.pool.Exec(ctx, deleteOne, append(keyArgs(&key), revision)...)
		deleted = tag.RowsAffected() > 0
		return err
	})
	return deleted && err == nil, err
}

// What another session holds is left to the next time.
const (
	deleteOldest = lockStore + `EXISTS (
		SELECT FROM tea_entries AS e WHERE e.space = $1 AND e.expires_at > 0 AND e.expires_at <= $2
	)` + locked + `, gone AS (
	DELETE FROM tea_entries WHERE ctid = ANY (ARRAY(`
	oldest = `
		SELECT e.ctid FROM tea_entries AS e
		WHERE e.space = $1 AND e.expires_at > 0 AND e.expires_at <= $2 AND (SELECT count(*) FROM c) > 0
		ORDER BY e.expires_at LIMIT `
	unheld       = ` FOR UPDATE OF e SKIP LOCKED`
	countDeleted = `
	)) RETURNING 1
)
UPDATE tea_store AS t SET revision = t.revision + n.n FROM (SELECT count(*) AS n FROM gone) AS n
WHERE n.n > 0 RETURNING n.n`

	deleteExpired = deleteOldest + oldest + `$3` + unheld + countDeleted

	// A plan for any limit would be one for many rows, so that the server makes
	// a new one each time, which takes longer than to delete a few. Of those that
	// the inner query finds only the outer's limit are locked.
	few              = 10
	deleteExpiredFew = deleteOldest + `SELECT f.ctid FROM (` + oldest + `10` + unheld + `) AS f LIMIT $3` + countDeleted
)

// DeleteExpired implements driver.Expirer.
func (s *Store) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (n int, err error) {
	query := deleteExpired
	if limit <= few {
		query = deleteExpiredFew
	}
	err = s.write(ctx, func(ctx context.Context) error {
		err := s.one(ctx, query, []any{int16(space), now, max(limit, 0)}, &n)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return n, err
}

// Revision implements driver.Reviser.
func (s *Store) Revision(ctx context.Context) (n int64, err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		return s.one(ctx, `SELECT revision FROM tea_store`, nil, &n)
	})
	return n, err
}

const queryStats = `SELECT e.namespace, count(*), sum(octet_length(e.value))::bigint FROM tea_entries AS e
WHERE e.space = $1 GROUP BY e.namespace ORDER BY e.namespace`

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) (counts []driver.Stats, err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		counts = nil
		return each(ctx, s.pool, queryStats, []any{int16(space)}, func(rows pgx.Rows) error {
			var c driver.Stats
			var namespace []byte
			err := rows.Scan(&namespace, &c.Entries, &c.Bytes)
			c.Namespace = string(namespace)
			counts = append(counts, c)
			return err
		})
	})
	return counts, err
}
