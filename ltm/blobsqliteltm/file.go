package blobsqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	"github.com/tea-agents/tea/ltm/bucketltm"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// file is an open SQLite file. It has no write-ahead log: after each transaction
// it is complete.
type file struct {
	*sqliteltm.Store
	path    string
	changes uint32 // the file's counter when it was opened or sealed
	raw     *raw   // nil until it is needed
}

// openFile opens a local file, or makes it. Nothing in it has to outlive a power
// cut: what counts is in the bucket.
func openFile(ctx context.Context, path string) (bucketltm.File, error) {
	s, err := openStore(ctx, path)
	if err != nil {
		return nil, err
	}
	h, err := readHeader(path)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !h.hasLog() {
		return &file{Store: s, path: path, changes: h.changes()}, nil
	}
	if err := s.Close(); err != nil { // it made the file, with a log
		return nil, err
	}
	if err := withRaw(ctx, path, dropLog); err != nil {
		return nil, err
	}
	return openFile(ctx, path)
}

func openStore(ctx context.Context, path string) (*sqliteltm.Store, error) {
	s, err := sqliteltm.Open(ctx, &url.URL{Scheme: "sqlite", Path: path, RawQuery: "synchronous=off"})
	if err != nil {
		return nil, err
	}
	return s.(*sqliteltm.Store), nil
}

// Close implements driver.Store.
func (f *file) Close() error {
	err := f.Store.Close()
	if f.raw != nil {
		err = errors.Join(err, f.raw.close())
	}
	return err
}

// Changed implements bucketltm.File.
func (f *file) Changed(context.Context) (bool, error) {
	h, err := readHeader(f.path)
	return err == nil && h.changes() != f.changes, err
}

// Seal implements bucketltm.File. A file of which a quarter is empty shrinks,
// too.
func (f *file) Seal(ctx context.Context, writer string, push, most int64) error {
	err := f.with(ctx, func(ctx context.Context, c *sql.Conn) error {
		if err := sign(ctx, c, writer, push); err != nil {
			return err
		}
		waste, err := wasteful(ctx, c, most)
		if err == nil && waste {
			_, err = c.ExecContext(ctx, "VACUUM")
		}
		return err
	})
	if err != nil {
		return err
	}
	h, err := readHeader(f.path)
	f.changes = h.changes()
	return err
}

// Signed implements bucketltm.File.
func (f *file) Signed(ctx context.Context, writer string) (push int64, err error) {
	err = f.with(ctx, func(ctx context.Context, c *sql.Conn) error {
		push, err = signed(ctx, c, writer)
		return err
	})
	return push, err
}

// with runs f on a connection that is kept.
func (f *file) with(ctx context.Context, do func(context.Context, *sql.Conn) error) (err error) {
	if f.raw == nil {
		if f.raw, err = openRaw(ctx, f.path); err != nil {
			return err
		}
	}
	return sqlError(ctx, do(ctx, f.raw.conn))
}

// The table of pushes keeps the last push of the last writers. Other programs
// need not know of it.
const (
	makePushes = `CREATE TABLE IF NOT EXISTS pushes (
	id INTEGER PRIMARY KEY, writer TEXT NOT NULL UNIQUE, number INTEGER NOT NULL) STRICT`
	putPush     = `REPLACE INTO pushes (writer, number) VALUES (?, ?)`
	forgetPush  = `DELETE FROM pushes WHERE id <= (SELECT max(id) FROM pushes) - 1000`
	queryPushes = `SELECT count(*) FROM sqlite_schema WHERE name = 'pushes'`
	queryPush   = `SELECT coalesce(max(number), 0) FROM pushes WHERE writer = ?`
)

// sign writes into the file whose push it is.
func sign(ctx context.Context, c *sql.Conn, writer string, push int64) error {
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing after Commit
	if _, err := tx.ExecContext(ctx, makePushes); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, putPush, writer, push); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, forgetPush); err != nil {
		return err
	}
	return tx.Commit()
}

// signed returns the number of a writer's last push.
func signed(ctx context.Context, c *sql.Conn, writer string) (push int64, err error) {
	var tables int
	if err := c.QueryRowContext(ctx, queryPushes).Scan(&tables); err != nil || tables == 0 {
		return 0, err
	}
	err = c.QueryRowContext(ctx, queryPush, writer).Scan(&push)
	return push, err
}

// wasteful tells whether a quarter of a file is empty, or anything in one of more
// than most bytes.
func wasteful(ctx context.Context, c *sql.Conn, most int64) (bool, error) {
	var pages, free, size int64
	err := c.QueryRowContext(ctx, `SELECT page_count, freelist_count, page_count * page_size
FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&pages, &free, &size)
	return free > 64 && free*4 > pages || free > 0 && size > most, err
}
