package blobsqliteltm

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// checkFile looks whether a file that came from outside is whole.
func checkFile(ctx context.Context, path string) error {
	h, err := readHeader(path)
	if err != nil {
		return err
	}
	if err := h.check(); err != nil {
		return err
	}
	return withRaw(ctx, path, checkPages)
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

// dropLog takes in what a write-ahead log holds, and the log away.
func dropLog(ctx context.Context, c *sql.Conn) error {
	var mode string
	err := c.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&mode)
	if err == nil && mode != "delete" {
		err = fmt.Errorf("%w: its journal stays in mode %s", driver.ErrUnavailable, mode)
	}
	return err
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
