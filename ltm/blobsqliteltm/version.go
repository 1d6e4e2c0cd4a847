package blobsqliteltm

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// version is a state of the object, in a local file that never changes while it
// is one. Store.mu guards users.
type version struct {
	mark  object.Mark // "" where there is no object
	path  string
	store *sqliteltm.Store
	users int
}

// close removes the local file.
func (v *version) close() error {
	return errors.Join(v.store.Close(), os.Remove(v.path))
}

// openFile opens a local file, or makes it. Nothing in it has to outlive a power
// cut: what counts is in the bucket.
func openFile(ctx context.Context, path string) (*sqliteltm.Store, error) {
	u := &url.URL{Scheme: "sqlite", Path: path, RawQuery: "synchronous=off"}
	s, err := sqliteltm.Open(ctx, u)
	if err != nil {
		return nil, err
	}
	return s.(*sqliteltm.Store), nil
}

// adopt opens a local file that came from outside, after checking it. A file of
// an older format becomes one of the present; the object stays as it is.
func adopt(ctx context.Context, path string) (*sqliteltm.Store, error) {
	h, err := readHeader(path)
	if err != nil {
		return nil, err
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if err := withSQL(ctx, path, checkPages); err != nil {
		return nil, err
	}
	return openPlain(ctx, path)
}

// openPlain opens a local file, or makes it, and sees to it that it is a file
// without a write-ahead log, which a new one gets.
func openPlain(ctx context.Context, path string) (*sqliteltm.Store, error) {
	s, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	h, err := readHeader(path)
	if err == nil && !h.hasLog() {
		return s, nil
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	if err := withSQL(ctx, path, dropLog); err != nil {
		return nil, err
	}
	return openFile(ctx, path)
}

// withSQL runs f on a connection of its own.
func withSQL(ctx context.Context, path string, f func(context.Context, *sql.Conn) error) (err error) {
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true,
		RawQuery: "_busy_timeout=5000&_synchronous=off&_txlock=immediate&mode=rw"}
	db, err := sql.Open("sqlite", dsn.String()) // sqliteltm registers it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return sqlError(ctx, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return sqlError(ctx, f(ctx, conn))
}

// sqlError sorts an error of SQLite on a private file: what is not known is
// trouble of this machine.
func sqlError(ctx context.Context, err error) error {
	var e interface {
		error
		Code() int
	}
	switch {
	case err == nil, known(err):
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

// checkPages looks at the structure of all pages.
func checkPages(ctx context.Context, c *sql.Conn) error {
	if err := dropLog(ctx, c); err != nil {
		return err
	}
	var found string
	if err := c.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", driver.ErrCorrupt, strings.Join(strings.Fields(found), " "))
	}
	return nil
}

func dropLog(ctx context.Context, c *sql.Conn) error {
	var mode string
	return c.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&mode)
}

// headerSize is the length of the part of an SQLite file that describes it.
const headerSize = 100

// header describes an SQLite file: https://sqlite.org/fileformat2.html
type header struct {
	bytes [headerSize]byte
	size  int64 // of the whole file
}

func readHeader(path string) (h header, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer f.Close() //nolint:errcheck // only read from
	info, err := f.Stat()
	if err != nil {
		return h, err
	}
	h.size = info.Size()
	if _, err = io.ReadFull(f, h.bytes[:]); err != nil {
		return h, fmt.Errorf("%w: it has %d bytes, too few for an SQLite file", driver.ErrCorrupt, h.size)
	}
	return h, nil
}

// check finds what is no SQLite file, or a part of one.
func (h *header) check() error {
	if string(h.bytes[:16]) != "SQLite format 3\x00" {
		return fmt.Errorf("%w: it is not an SQLite file", driver.ErrCorrupt)
	}
	page := int64(binary.BigEndian.Uint16(h.bytes[16:]))
	if page == 1 {
		page = 64 << 10
	}
	pages := int64(binary.BigEndian.Uint32(h.bytes[28:]))
	if page < 512 || h.size%page != 0 || h.size < pages*page {
		return fmt.Errorf("%w: it is torn: %d bytes, not the %d pages of %d that it begins with",
			driver.ErrCorrupt, h.size, pages, page)
	}
	return nil
}

// hasLog tells whether changes go to a write-ahead log.
func (h *header) hasLog() bool { return h.bytes[18] == 2 || h.bytes[19] == 2 }

// changes returns the counter that every transaction which changes a file
// without a write-ahead log raises.
func (h *header) changes() uint32 { return binary.BigEndian.Uint32(h.bytes[24:]) }
