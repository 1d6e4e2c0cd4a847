package libsqlltm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

var (
	errNetwork = errors.New("no answer")
	errAnswer  = errors.New("the answer makes no sense")
	// errAgain ends a look that needs a second request, to be begun again in a
	// transaction.
	errAgain = errors.New("more than one request is needed")
)

// serverError is what a server says is wrong.
type serverError struct {
	Message string `json:"message"`
	Code    string `json:"code"`
	status  int    // of HTTP; 0 for an error in an answer
}

// Error returns what the server says.
func (e *serverError) Error() string {
	var parts []string
	if e.status != 0 {
		parts = append(parts, fmt.Sprintf("HTTP status %d %s", e.status, http.StatusText(e.status)))
	}
	if e.Message != "" {
		parts = append(parts, e.Message)
	}
	if e.Code != "" {
		parts = append(parts, e.Code)
	}
	return "the server says: " + strings.Join(parts, ", ")
}

// tooLarge tells whether the answer would be larger than the server sends.
func tooLarge(err error) bool {
	var e *serverError
	return errors.As(err, &e) && e.Code == "RESPONSE_TOO_LARGE"
}

// forgotten tells whether the server gave a stream up, as it heard nothing of it for
// too long: the last answer took its time to arrive, or to be read.
func forgotten(err error) bool {
	var e *serverError
	return errors.As(err, &e) && e.Code == "STREAM_EXPIRED"
}

// busy tells whether others wrote, and nothing was done.
func busy(err error) bool {
	var e *serverError
	return errors.As(err, &e) && e.Code == "SQLITE_BUSY"
}

// kind returns the kind of error that a driver returns, nil where it has none.
func kind(err error) error {
	var e *serverError
	switch {
	case errors.Is(err, errNetwork):
		return driver.ErrUnavailable
	case errors.Is(err, errAnswer):
		return driver.ErrCorrupt
	case !errors.As(err, &e):
		return nil
	case e.status != 0:
		return statusKind(e.status)
	}
	return codeKind(e)
}

// statusKind returns the kind of an HTTP status.
func statusKind(status int) error {
	switch status {
	case http.StatusRequestEntityTooLarge, http.StatusInsufficientStorage:
		return driver.ErrFull
	default: // also a token that is not valid any more: another one may come
		return driver.ErrUnavailable
	}
}

// codeKind returns the kind of an error in an answer. Codes of SQLite come with
// or without what they say more exactly (SQLITE_IOERR_WRITE).
func codeKind(e *serverError) error {
	begins := func(codes ...string) bool {
		for _, c := range codes {
			if e.Code == c || strings.HasPrefix(e.Code, c+"_") {
				return true
			}
		}
		return false
	}
	switch {
	case begins("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_TOOBIG"),
		e.Code == "ARGS_INVALID" && strings.Contains(e.Message, "too big"):
		return driver.ErrFull
	case begins("SQLITE_READONLY", "SQLITE_AUTH", "BLOCKED", "SQL_WRITE_BLOCKED", "SQL_READ_ONLY"):
		return driver.ErrReadOnly
	case begins("SQLITE_CORRUPT", "SQLITE_NOTADB"),
		// Our SQL is right: the tables are not what they should be.
		begins("SQL_INPUT_ERROR", "SQL_PARSE_ERROR", "SQLITE_ERROR", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH"):
		return driver.ErrCorrupt
	case begins("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_NOMEM",
		"SQLITE_PROTOCOL", "SQLITE_INTERRUPT", "TRANSACTION", "STREAM", "RESPONSE"):
		return driver.ErrUnavailable
	}
	return nil
}

// fail returns err as one of the kinds that a driver returns. ctx is the
// caller's.
func (s *Store) fail(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.life.Err() != nil:
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded): // the limit of our own
		return fmt.Errorf("%w: no answer within %v", driver.ErrUnavailable, sendLimit)
	}
	if k := kind(err); k != nil {
		return fmt.Errorf("%w: %w", k, err)
	}
	return err
}
