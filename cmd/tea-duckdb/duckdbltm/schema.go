package duckdbltm

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
)

// migrations returns what leads from one version of the format to the next, from
// an empty file on. The version is the number of steps done; a step that was
// released never changes.
//
// No table has an index. DuckDB would keep one in memory, and would never use
// the room of deleted rows again. It scans a column of numbers instead, at some
// 2 ns a row: the column id holds the first 8 bytes of a hash of space,
// namespace and key. In store, revision is the change counter. Terms stand
// between two spaces each, so that " word " occurs as often as the word does.
func migrations() []string {
	return []string{`
CREATE TABLE tea.tea_store (
	format   INTEGER NOT NULL,
	revision BIGINT  NOT NULL
);
INSERT INTO tea.tea_store VALUES (1, 0);

CREATE TABLE tea.tea_entries (
	id          BIGINT   NOT NULL,
	space       UTINYINT NOT NULL,
	namespace   BLOB     NOT NULL,
	key         BLOB     NOT NULL,
	created_at  BIGINT   NOT NULL,
	updated_at  BIGINT   NOT NULL,
	accessed_at BIGINT   NOT NULL,
	expires_at  BIGINT   NOT NULL,
	revision    BIGINT   NOT NULL,
	size        BIGINT   NOT NULL,
	metadata    VARCHAR  NOT NULL,
	value       BLOB     NOT NULL,
	words       BIGINT   NOT NULL,
	terms       VARCHAR  NOT NULL
);
`}
}

const (
	queryTables = `SELECT count(*), count(*) FILTER (table_name = 'tea_store') FROM duckdb_tables()
WHERE database_name = 'tea' AND NOT internal`
	queryFormat = `SELECT format FROM tea.tea_store`
)

// prepare makes sure that the file has the present format.
func (c *config) prepare(ctx context.Context, d *database) error {
	version, err := format(ctx, d.writer)
	switch {
	case err != nil:
		return err
	case version == len(migrations()):
		return nil
	case c.readOnly:
		return fmt.Errorf("%w: it has format %d and would have to become %d",
			driver.ErrReadOnly, version, len(migrations()))
	}
	return d.migrate(ctx, version)
}

// format returns the version of the format, 0 for an empty file.
func format(ctx context.Context, conn *sql.Conn) (int, error) {
	var tables, ours, version int
	if err := conn.QueryRowContext(ctx, queryTables).Scan(&tables, &ours); err != nil {
		return 0, err
	}
	switch {
	case tables == 0:
		return 0, nil
	case ours == 0:
		return 0, fmt.Errorf("%w: the DuckDB file has no table tea_store", driver.ErrForeign)
	}
	if err := conn.QueryRowContext(ctx, queryFormat).Scan(&version); err != nil {
		return 0, err
	}
	if version > len(migrations()) {
		return 0, fmt.Errorf("%w: it has format %d, this program knows up to %d",
			driver.ErrNewer, version, len(migrations()))
	}
	return version, nil
}

// migrate brings the file from a version to the present one.
func (d *database) migrate(ctx context.Context, version int) error {
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after an error; else there is nothing to undo
	for ; version < len(migrations()); version++ {
		if _, err := tx.ExecContext(ctx, migrations()[version]); err != nil {
			return fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE tea.tea_store SET format = ?", version); err != nil {
		return err
	}
	return tx.Commit()
}
