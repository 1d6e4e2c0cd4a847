package blobsqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/tea-agents/tea/ltm/driver"
)

// raw is a connection to a local file beside those of its store.
type raw struct {
	db   *sql.DB
	conn *sql.Conn
}

func openRaw(ctx context.Context, path string) (*raw, error) {
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true,
		RawQuery: "_busy_timeout=5000&_synchronous=off&_txlock=immediate&mode=rw"}
	db, err := sql.Open("sqlite", dsn.String()) // sqliteltm registers it
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(sqlError(ctx, err), db.Close())
	}
	return &raw{db, conn}, nil
}

func (r *raw) close() error { return errors.Join(r.conn.Close(), r.db.Close()) }

// withRaw runs f on a connection of its own.
func withRaw(ctx context.Context, path string, f func(context.Context, *sql.Conn) error) error {
	r, err := openRaw(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(sqlError(ctx, f(ctx, r.conn)), r.close())
}

// sqlError sorts an error of SQLite on a private file: what is not known is
// trouble of this machine.
func sqlError(ctx context.Context, err error) error {
	var e interface {
		error
		Code() int
	}
	switch {
	case err == nil, errors.Is(err, driver.ErrCorrupt), errors.Is(err, driver.ErrUnavailable):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &e):
		switch e.Code() & 0xff {
		case 11, 26: // SQLITE_CORRUPT, SQLITE_NOTADB
			return fmt.Errorf("%w: %w", driver.ErrCorrupt, err)
		case 13: // SQLITE_FULL
			return fmt.Errorf("%w: %w", driver.ErrFull, err)
		}
	}
	return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
}
