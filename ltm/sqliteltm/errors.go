package sqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/tea-agents/tea/ltm/driver"
)

// fail returns err as one of the kinds that a driver returns.
func (s *Store) fail(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sql.ErrNoRows):
		return driver.ErrNotFound
	}
	switch k := kind(err); {
	case k == nil:
		return err
	case errors.Is(k, driver.ErrCorrupt):
		return fmt.Errorf("%w: %w; %s", k, err, s.config.advice())
	default:
		return fmt.Errorf("%w: %w", k, err)
	}
}

// advice says how to recover from a damaged file.
func (c *config) advice() string {
	return fmt.Sprintf("the file was left as it is: bring back a copy of it, or save what can be read with "+
		"sqlite3 '%[1]s' .recover | sqlite3 '%[1]s.new' and put that in its place, or move it away to begin anew", c.path)
}

// kind returns the kind of an error of SQLite, nil where it has none.
func kind(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE: // so it is when the disk is full
		return driver.ErrFull
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOMEM:
		return driver.ErrUnavailable
	case sqlite3.SQLITE_READONLY:
		return driver.ErrReadOnly
	case sqlite3.SQLITE_FULL:
		return driver.ErrFull
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return driver.ErrCorrupt
	}
	return nil
}
