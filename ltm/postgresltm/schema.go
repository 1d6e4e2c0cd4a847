package postgresltm

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tea-agents/tea/ltm/driver"
)

// migrationLock is the number of the advisory lock under which the format
// changes: "tea1" in ASCII.
const migrationLock = 0x74656131

// migrations returns what leads from one version of the format to the next, from
// no tables on. The version is the number of steps done; a step that was released
// never changes.
//
// In tea_entries, place and rest are made of namespace and key (see position.go),
// facets of metadata (see escape.go), terms of the words of a record in the user
// space (see words.go). Words that are too many for one tsvector are, escaped, in
// long_terms instead. writes counts the puts since the record was created. Searches
// read what the GIN indexes have not sorted in yet from end to end: that is kept
// short (in KB).
func migrations() [][]string {
	return [][]string{{`
CREATE TABLE tea_store (
	id       smallint PRIMARY KEY CHECK (id = 1),
	format   integer  NOT NULL,
	revision bigint   NOT NULL
) WITH (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0)`, `
INSERT INTO tea_store VALUES (1, 0, 0)`, `
CREATE TABLE tea_entries (
	created_at  bigint   NOT NULL,
	updated_at  bigint   NOT NULL,
	accessed_at bigint   NOT NULL,
	expires_at  bigint   NOT NULL,
	writes      bigint   NOT NULL,
	revision    bigint   NOT NULL,
	space       smallint NOT NULL,
	place       bytea    NOT NULL,
	rest        bytea    NOT NULL,
	namespace   bytea    NOT NULL,
	key         bytea    NOT NULL,
	metadata    bytea    NOT NULL,
	value       bytea    NOT NULL,
	facets      jsonb,
	terms       tsvector,
	long_terms  text,
	PRIMARY KEY (space, place, rest)
)`, `
CREATE INDEX tea_entries_expiry ON tea_entries (space, expires_at) WHERE expires_at > 0`, `
CREATE INDEX tea_entries_used ON tea_entries (space, accessed_at)`, `
CREATE INDEX tea_entries_facets ON tea_entries USING gin (facets jsonb_path_ops)
	WITH (gin_pending_list_limit = 256)`, `
CREATE INDEX tea_entries_terms ON tea_entries USING gin (terms)
	WITH (gin_pending_list_limit = 256) WHERE terms IS NOT NULL`, `
CREATE INDEX tea_entries_long_terms ON tea_entries (space) WHERE long_terms IS NOT NULL`,
	}}
}

// prepare makes sure that the database has the present format.
func (s *Store) prepare(ctx context.Context) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if e := c.Conn().PgConn().ParameterStatus("server_encoding"); e != "" && e != "UTF8" {
		return fmt.Errorf("%w: the database has the encoding %s, not UTF8", driver.ErrConfig, e)
	}
	version, err := format(ctx, c.Conn())
	switch {
	case err != nil:
		return err
	case version == len(migrations()):
		return nil
	case s.config.readOnly:
		return fmt.Errorf("%w: it has format %d and would have to become %d",
			driver.ErrReadOnly, version, len(migrations()))
	}
	// Whoever waited for another one must see what that did, whatever isolation
	// the server gives by itself.
	o := pgx.TxOptions{IsoLevel: pgx.ReadCommitted}
	return pgx.BeginTxFunc(ctx, c.Conn(), o, func(tx pgx.Tx) error { return s.migrate(ctx, tx) })
}

// rower is a connection or a transaction.
type rower interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// format returns the version of the format, 0 where there is no table.
func format(ctx context.Context, r rower) (version int, err error) {
	var there bool
	if err := r.QueryRow(ctx, `SELECT to_regclass('tea_store') IS NOT NULL`).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = r.QueryRow(ctx, `SELECT format FROM tea_store WHERE id = 1`).Scan(&version)
	var e *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows), errors.As(err, &e) && e.Code[:2] == "42" && e.Code != "42501":
		return 0, fmt.Errorf("%w: its table tea_store is not one of ours", driver.ErrCorrupt)
	case err == nil && version > len(migrations()):
		return 0, fmt.Errorf("%w: it has format %d, this program knows up to %d",
			driver.ErrNewer, version, len(migrations()))
	}
	return version, err
}

// migrate brings the database to the present format. Any number of processes may
// do so at once: they wait for the first.
func (s *Store) migrate(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrationLock); err != nil {
		return err
	}
	if err := s.makeSchema(ctx, tx); err != nil {
		return err
	}
	version, err := format(ctx, tx)
	if err != nil {
		return err
	}
	for ; version < len(migrations()); version++ {
		for _, step := range migrations()[version] {
			if _, err := tx.Exec(ctx, step); err != nil {
				return fmt.Errorf("migration %d: %w", version+1, err)
			}
		}
	}
	_, err = tx.Exec(ctx, `UPDATE tea_store SET format = $1`, version)
	return err
}

// makeSchema makes the schema that the URL names. To ask for one that is there
// would take a privilege.
func (s *Store) makeSchema(ctx context.Context, tx pgx.Tx) error {
	if s.config.schema == "" {
		return nil
	}
	var there bool
	err := tx.QueryRow(ctx, `SELECT to_regnamespace($1) IS NOT NULL`, pgx.Identifier{s.config.schema}.Sanitize()).Scan(&there)
	if err == nil && !there {
		_, err = tx.Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{s.config.schema}.Sanitize())
	}
	return err
}
