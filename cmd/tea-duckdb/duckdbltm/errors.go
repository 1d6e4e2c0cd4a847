package duckdbltm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"github.com/tea-agents/tea/ltm/driver"
)

// fail returns err as one of the kinds that a driver returns.
func (s *Store) fail(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.config.fail(err)
}

func (c *config) fail(err error) error {
	switch k := kind(err); {
	case k == nil, errors.Is(err, k):
		return err
	case errors.Is(k, driver.ErrCorrupt):
		return fmt.Errorf("%w: %w; the file was left as it is: bring back a copy of it, or save what can be read "+
			"with duckdb '%s' -c \"EXPORT DATABASE 'folder'\", or move it away to begin anew", k, err, c.path)
	default:
		return fmt.Errorf("%w: %w", k, err)
	}
}

// says is what DuckDB says when something is of a kind. Most of it
// is one type of error to it.
type says struct {
	text string
	kind error
}

func sayings() []says {
	return []says{
		{"No space left on device", driver.ErrFull},
		{"File too large", driver.ErrFull},
		{"Disk quota exceeded", driver.ErrFull},
		{"There is not enough space on the disk", driver.ErrFull},
		{"Could not write all bytes", driver.ErrFull},
		{"Permission denied", driver.ErrReadOnly},
		{"Read-only file system", driver.ErrReadOnly},
		{"read-only mode: database does not exist", driver.ErrUnavailable},
		{"attached in read-only mode", driver.ErrReadOnly},
		{"can only read versions between", driver.ErrNewer},
		{"Corrupt", driver.ErrCorrupt},
		{"not a valid DuckDB database file", driver.ErrCorrupt},
		{"Could not read enough bytes", driver.ErrCorrupt},
		{"Failure while replaying WAL", driver.ErrCorrupt},
		{"Serialization Error", driver.ErrCorrupt},
	}
}

// kind returns the kind of an error of DuckDB or of the file system, nil where
// it has none.
func kind(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return driver.ErrFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return driver.ErrReadOnly
	}
	var known *duckdb.Error
	if !errors.As(err, &known) {
		return nil
	}
	for _, s := range sayings() {
		if strings.Contains(known.Msg, s.text) {
			return s.kind
		}
	}
	switch known.Type {
	case duckdb.ErrorTypeIO, duckdb.ErrorTypeFatal, duckdb.ErrorTypeOutOfMemory, duckdb.ErrorTypeConnection,
		duckdb.ErrorTypeTransaction, duckdb.ErrorTypeInterrupt:
		return driver.ErrUnavailable
	}
	return nil
}

// held tells whether another process has the file open.
func held(err error) bool {
	return strings.Contains(err.Error(), "Could not set lock on file") ||
		strings.Contains(err.Error(), "being used by another process")
}

// ruined tells whether the database must be opened anew before it works again.
func ruined(err error) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && (e.Type == duckdb.ErrorTypeFatal || e.Type == duckdb.ErrorTypeInternal)
}
