package sqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// applicationID marks a file as ours: "tea1" in ASCII.
const applicationID = 0x74656131

// migrations returns what leads from one version of the format to the next, from
// an empty file on. The version is the number of steps done; a step that was
// released never changes.
//
// In entries the column guard is the sum of created_at, accessed_at, writes and
// revision, the numbers that the store itself keeps and that no checksum of ltm
// covers. In store, revision is the change counter; triggers raise it. The full
// text index keeps terms only (it has no content), split at spaces.
//
// A large value stands in a table of its own, as SQLite reads and writes a row
// as a whole when a number in it changes; beside says how many bytes it has.
// Rows from before that have theirs within, until they are put again: so an
// upgrade is instant, and needs no room. A program of the version before, which
// had the file open then, knows nothing of it: what it overwrites is small again.
//
// The facets are an index of metadata: see facetsStep.
func migrations() []string {
	return []string{`
CREATE TABLE store (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	revision INTEGER NOT NULL
) STRICT;
INSERT INTO store VALUES (1, 0);

CREATE TABLE entries (
	id          INTEGER PRIMARY KEY,
	space       INTEGER NOT NULL,
	namespace   TEXT    NOT NULL,
	key         TEXT    NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	accessed_at INTEGER NOT NULL,
	expires_at  INTEGER NOT NULL,
	writes      INTEGER NOT NULL,
	revision    INTEGER NOT NULL,
	guard       INTEGER NOT NULL,
	metadata    TEXT    NOT NULL,
	value       BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_key ON entries (space, namespace, key);
CREATE INDEX entries_expiry ON entries (space, expires_at) WHERE expires_at > 0;

CREATE VIRTUAL TABLE words USING fts5 (
	terms, content = '', contentless_delete = 1, tokenize = 'ascii'
);

CREATE TRIGGER entry_put AFTER INSERT ON entries BEGIN
	UPDATE store SET revision = revision + 1;
END;
CREATE TRIGGER entry_changed AFTER UPDATE OF revision ON entries BEGIN
	UPDATE store SET revision = revision + 1;
END;
CREATE TRIGGER entry_deleted AFTER DELETE ON entries BEGIN
	UPDATE store SET revision = revision + 1;
END;
CREATE TRIGGER user_entry_deleted AFTER DELETE ON entries WHEN old.space = 0 BEGIN
	DELETE FROM words WHERE rowid = old.id;
END;
`, `
CREATE INDEX entries_used ON entries (space, accessed_at);
`, `
CREATE TABLE large (
	id    INTEGER PRIMARY KEY,
	value BLOB NOT NULL
) STRICT;
ALTER TABLE entries ADD COLUMN beside INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER entry_shrunk AFTER UPDATE OF beside ON entries WHEN old.beside > 0 AND new.beside = 0 BEGIN
	DELETE FROM large WHERE id = old.id;
END;
CREATE TRIGGER entry_overwritten AFTER UPDATE OF value ON entries WHEN new.beside > 0 AND length(new.value) > 0 BEGIN
	UPDATE entries SET beside = 0 WHERE id = new.id;
END;
CREATE TRIGGER large_entry_deleted AFTER DELETE ON entries WHEN old.beside > 0 BEGIN
	DELETE FROM large WHERE id = old.id;
END;
`, facetsStep()}
}

const queryFormat = `SELECT a.application_id, v.user_version, (SELECT count(*) FROM sqlite_schema)
FROM pragma_application_id AS a, pragma_user_version AS v`

// prepare makes sure that the file has the present format.
func (s *Store) prepare(ctx context.Context) error {
	version, err := format(s.read.db.QueryRowContext(ctx, queryFormat))
	switch {
	case err != nil:
		return err
	case version == len(migrations()):
		return nil
	case s.config.readOnly:
		return fmt.Errorf("%w: it has format %d and would have to become %d",
			driver.ErrReadOnly, version, len(migrations()))
	}
	return s.migrate(ctx)
}

// format returns the version of the format, 0 for an empty file.
func format(row *sql.Row) (int, error) {
	var id, version, objects int
	if err := row.Scan(&id, &version, &objects); err != nil {
		return 0, err
	}
	switch {
	case id == 0 && version == 0 && objects == 0:
		return 0, nil
	case id != applicationID:
		return 0, fmt.Errorf("%w: the SQLite file has the application id %#x", driver.ErrForeign, id)
	case version > len(migrations()):
		return 0, fmt.Errorf("%w: it has format %d, this program knows up to %d",
			driver.ErrNewer, version, len(migrations()))
	}
	return version, nil
}

// migrate brings the file to the present format. Any number of processes may do
// so at once; switching to the write-ahead log is the one thing for which SQLite
// itself doesn't wait.
func (s *Store) migrate(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, s.config.busy)
	defer cancel()
	for {
		err := s.tryMigrate(ctx)
		if !errors.Is(kind(err), driver.ErrUnavailable) {
			return err
		}
		if pause(patience, 5*time.Millisecond) != nil {
			return err
		}
	}
}

func (s *Store) tryMigrate(ctx context.Context) error {
	var mode string
	err := s.write.db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
	if err != nil {
		return err
	}
	return s.write.tx(ctx, func(tx *sql.Tx) error {
		version, err := format(tx.QueryRowContext(ctx, queryFormat))
		if err != nil {
			return err
		}
		for ; version < len(migrations()); version++ {
			if _, err := tx.ExecContext(ctx, migrations()[version]); err != nil {
				return fmt.Errorf("migration %d: %w", version+1, err)
			}
		}
		mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)
		_, err = tx.ExecContext(ctx, mark) //nolint:gosec // two numbers; pragmas take no parameters
		return err
	})
}
