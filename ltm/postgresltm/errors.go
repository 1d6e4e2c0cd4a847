package postgresltm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tea-agents/tea/ltm/driver"
)

// fail returns err as one of the kinds that a driver returns.
func (s *Store) fail(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !s.closed.Load():
		return ctx.Err()
	case s.life.Err() != nil:
		return driver.ErrClosed
	case errors.Is(err, pgx.ErrNoRows):
		return driver.ErrNotFound
	}
	err = onOneLine(err)
	if k := kind(err); k != nil && !errors.Is(err, k) {
		err = fmt.Errorf("%w: %w", k, err)
	}
	if crowded(err) {
		err = fmt.Errorf("%w: raise the server's max_connections, let fewer processes use it at once, "+
			"or set a pooler before it and %s=false", err, paramPrepared)
	}
	return err
}

// onOneLine says on one line why the client could not connect: it tells of each
// attempt, those without TLS too, of which the server has only refused TLS.
func onOneLine(err error) error {
	var connect *pgconn.ConnectError
	if !errors.As(err, &connect) {
		return err
	}
	intro, attempts, many := strings.Cut(err.Error(), "\n\t")
	if !many {
		return err
	}
	reasons := slices.Compact(strings.Split(attempts, "\n\t"))
	if len(reasons) > 1 {
		reasons = slices.DeleteFunc(reasons, func(r string) bool { return strings.HasSuffix(r, "server refused TLS connection") })
	}
	return reworded{intro + " " + strings.Join(reasons, "; "), err}
}

// reworded is an error in other words.
type reworded struct {
	text string
	err  error
}

func (e reworded) Error() string { return e.text }
func (e reworded) Unwrap() error { return e.err }

// kind returns the kind of an error of the client or the server, nil where it
// has none.
func kind(err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return serverKind(e.Code)
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || broken(err) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) {
		return driver.ErrUnavailable
	}
	return nil
}

// serverKind returns the kind of one of the server's codes: see appendix A of
// its manual. Their first two characters are the class.
func serverKind(code string) error {
	switch code {
	case "53100": // disk full
		return driver.ErrFull
	case "25006", "42501": // a read-only transaction, insufficient privilege
		return driver.ErrReadOnly
	case "42P01", "42703": // no such table, no such column
		return driver.ErrCorrupt
	case "55P03": // a lock is not available
		return driver.ErrUnavailable
	}
	switch code[:min(len(code), 2)] {
	case "54": // a limit of the program
		return driver.ErrFull
	case "XX": // damaged data, or a fault of the server
		return driver.ErrCorrupt
	case "08", "28", "3D", "40", "53", "57", "58": // see refused for 28 and 3D
		return driver.ErrUnavailable
	}
	return nil
}

// refused tells whether the server would not have us: it does not know the user,
// the password or the database.
func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code[:min(len(e.Code), 2)] == "28" || e.Code == "3D000")
}

// crowded tells whether the server takes no more connections.
func crowded(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "53300"
}

// repeatable tells whether what failed has changed nothing and may well succeed
// at once: the connection turned out to be closed, or the transaction was given
// up in favour of another one.
func repeatable(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "40001" || e.Code == "40P01"
	}
	return pgconn.SafeToRetry(err)
}

// broken tells whether an open connection broke.
func broken(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return false
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code == "57P01" || e.Code == "57P02" // the server ends, or a part of it crashed
	}
	var n *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &n)
}
