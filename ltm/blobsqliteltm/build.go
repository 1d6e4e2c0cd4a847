package blobsqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// result is what came of an operation.
type result struct {
	done  bool   // created, or deleted
	each  []bool // the same of each part
	count int
	err   error
}

// build is a copy of a version with some operations done.
type build struct {
	version

	results []result // of each operation
	changed bool     // the file is another one
	size    int64
}

// build does operations on a copy of base. The caller closes it, unless there is
// an error.
func (s *Store) build(ctx context.Context, base *version, ops []*op, push int64) (*build, error) {
	b := &build{results: make([]result, len(ops))}
	b.path = s.work.file()
	err := copyFile(b.path, base.path)
	if err == nil {
		err = s.fill(ctx, b, ops, push)
	}
	if err != nil {
		if b.store != nil {
			_ = b.store.Close() // err says more
		}
		_ = os.Remove(b.path)
		return nil, err
	}
	return b, nil
}

// fill does operations on a copy.
func (s *Store) fill(ctx context.Context, b *build, ops []*op, push int64) error {
	before, err := readHeader(b.path)
	if err != nil {
		return err
	}
	if b.store, err = openFile(ctx, b.path); err != nil {
		return err
	}
	for i, o := range ops {
		b.results[i] = o.do(ctx, b.store)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	after, err := readHeader(b.path)
	if err != nil {
		return err
	}
	if b.changed = after.changes() != before.changes(); !b.changed {
		return nil
	}
	return s.finish(ctx, b, before.size, push)
}

// finish makes the file one that can be pushed.
func (s *Store) finish(ctx context.Context, b *build, before, push int64) error {
	var waste bool
	err := withSQL(ctx, b.path, func(ctx context.Context, c *sql.Conn) (err error) {
		if err := s.sign(ctx, c, push); err != nil {
			return err
		}
		waste, err = wasteful(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	h, err := readHeader(b.path)
	if err == nil && (waste || h.size > s.config.size) {
		if err = b.shrink(ctx, s.work.file()); err == nil {
			h, err = readHeader(b.path)
		}
	}
	if b.size = h.size; err == nil && b.size > s.config.size && b.size > before {
		return errTooLarge
	}
	return err
}

// The table of pushes tells a writer whether a push of its own has arrived, of
// which it got no answer. It keeps the last push of the last writers. Other
// programs need not know of it.
const (
	makePushes = `CREATE TABLE IF NOT EXISTS pushes (
	id INTEGER PRIMARY KEY, writer TEXT NOT NULL UNIQUE, number INTEGER NOT NULL) STRICT`
	putPush     = `REPLACE INTO pushes (writer, number) VALUES (?, ?)`
	forgetPush  = `DELETE FROM pushes WHERE id <= (SELECT max(id) FROM pushes) - 1000`
	queryPushes = `SELECT count(*) FROM sqlite_schema WHERE name = 'pushes'`
	queryPush   = `SELECT coalesce(max(number), 0) FROM pushes WHERE writer = ?`
)

// sign writes into the file whose push it is.
func (s *Store) sign(ctx context.Context, c *sql.Conn, push int64) error {
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing after Commit
	if _, err := tx.ExecContext(ctx, makePushes); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, putPush, s.writer, push); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, forgetPush); err != nil {
		return err
	}
	return tx.Commit()
}

// lastPush returns the number of this writer's last push that is in a version.
func (s *Store) lastPush(ctx context.Context, v *version) (number int64, err error) {
	err = withSQL(ctx, v.path, func(ctx context.Context, c *sql.Conn) error {
		var tables int
		if err := c.QueryRowContext(ctx, queryPushes).Scan(&tables); err != nil || tables == 0 {
			return err
		}
		return c.QueryRowContext(ctx, queryPush, s.writer).Scan(&number)
	})
	return number, err
}

// wasteful tells whether a quarter of a file is empty.
func wasteful(ctx context.Context, c *sql.Conn) (bool, error) {
	var pages, free int
	err := c.QueryRowContext(ctx, "SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count").
		Scan(&pages, &free)
	return free > 64 && free*4 > pages, err
}

// shrink moves the file to one without empty pages.
func (b *build) shrink(ctx context.Context, path string) error {
	err := withSQL(ctx, b.path, func(ctx context.Context, c *sql.Conn) error {
		_, err := c.ExecContext(ctx, "VACUUM INTO ?", path)
		return err
	})
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(path)))
	}
	var store *sqliteltm.Store
	if err = os.Chmod(path, 0o600); err == nil {
		store, err = openFile(ctx, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	old := b.version
	b.path, b.store = path, store
	return old.close()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// copyFile makes a private copy.
func copyFile(to, from string) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return localError(err)
	}
	defer r.Close() //nolint:errcheck // only read from
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return localError(err)
	}
	_, err = io.Copy(w, r)
	return localError(errors.Join(err, w.Close()))
}

// localError sorts an error of the local file system.
func localError(err error) error {
	switch {
	case err == nil:
		return nil
	case isFull(err):
		return fmt.Errorf("%w: the folder for local copies: %w", driver.ErrFull, err)
	default:
		return fmt.Errorf("%w: the folder for local copies: %w", driver.ErrUnavailable, err)
	}
}
