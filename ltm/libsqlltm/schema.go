package libsqlltm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
)

// migrations returns what leads from one version of the format to the next, from
// a database without our tables on. The version is the number of steps done; a
// step that was released never changes.
//
// In tea_store, revision is the change counter; triggers raise it. A value that
// is larger than inlineSize is in tea_parts, under the revision of its record,
// and in tea_entries empty. The full text index keeps terms only (it has no
// content), split at spaces.
func migrations() [][]string {
	return [][]string{{`
CREATE TABLE tea_store (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	format   INTEGER NOT NULL,
	revision INTEGER NOT NULL
)`,
		`INSERT INTO tea_store VALUES (1, 0, 0)`, `
CREATE TABLE tea_entries (
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
	size        INTEGER NOT NULL,
	metadata    TEXT    NOT NULL,
	value       BLOB    NOT NULL
) STRICT`,
		`CREATE UNIQUE INDEX tea_entries_key ON tea_entries (space, namespace, key)`,
		`CREATE INDEX tea_entries_expiry ON tea_entries (space, expires_at) WHERE expires_at > 0`,
		`CREATE INDEX tea_entries_used ON tea_entries (space, accessed_at)`, `
CREATE TABLE tea_parts (
	revision INTEGER NOT NULL,
	n        INTEGER NOT NULL,
	data     BLOB    NOT NULL,
	PRIMARY KEY (revision, n)
) STRICT`, `
CREATE VIRTUAL TABLE tea_words USING fts5 (
	terms, content = '', contentless_delete = 1, tokenize = 'ascii'
)`, `
CREATE TRIGGER tea_entry_put AFTER INSERT ON tea_entries BEGIN
	UPDATE tea_store SET revision = revision + 1;
END`, `
CREATE TRIGGER tea_entry_changed AFTER UPDATE OF revision ON tea_entries BEGIN
	UPDATE tea_store SET revision = revision + 1;
	DELETE FROM tea_parts WHERE revision = old.revision;
END`, `
CREATE TRIGGER tea_entry_deleted AFTER DELETE ON tea_entries BEGIN
	UPDATE tea_store SET revision = revision + 1;
	DELETE FROM tea_parts WHERE revision = old.revision;
END`, `
CREATE TRIGGER tea_user_entry_deleted AFTER DELETE ON tea_entries WHEN old.space = 0 BEGIN
	DELETE FROM tea_words WHERE rowid = old.id;
END`,
	}}
}

// prepare makes sure that the database has the present format. Any number of
// processes may do so at once: a migration is a transaction that fails where the
// format is not the one that it begins with.
func (s *Store) prepare(ctx context.Context) error {
	version, err := s.format(ctx)
	for err == nil && version < len(migrations()) {
		failed := s.migrate(ctx, version)
		last := version
		if version, err = s.format(ctx); err == nil && version == last {
			err = cmp.Or(failed, fmt.Errorf("%w: the format does not change", errAnswer))
			err = fmt.Errorf("migration %d: %w", version+1, err)
		}
	}
	if version > len(migrations()) {
		return fmt.Errorf("%w: it has format %d, this program knows up to %d",
			driver.ErrNewer, version, len(migrations()))
	}
	return err
}

// format returns the version of the format, 0 where there are none of our tables.
func (s *Store) format(ctx context.Context) (int, error) {
	results, err := s.client.run(ctx, sql(`SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'tea_store'`))
	if err != nil {
		return 0, err
	}
	if n, err := results[0].number(); err != nil || n == 0 {
		return 0, err
	}
	results, err = s.client.run(ctx, sql(`SELECT format FROM tea_store`))
	if err != nil {
		return 0, err
	}
	version, err := results[0].number()
	if err != nil {
		return 0, fmt.Errorf("%w: the table tea_store is damaged, or not ours: %w", driver.ErrCorrupt, err)
	}
	return int(version), nil
}

// migrate leads from a version to the next one. It fails where another process
// has done so already: format cannot be NULL.
func (s *Store) migrate(ctx context.Context, version int) error {
	var statements []statement
	for _, text := range migrations()[version] {
		statements = append(statements, sql(text))
	}
	statements = append(statements, sql(`UPDATE tea_store SET format = iif(format = ?1, ?1 + 1, NULL)`, version))
	_, err := s.client.transact(ctx, statements...)
	return err
}
