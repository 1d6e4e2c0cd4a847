package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// The closed set of what can go wrong. Every error of this package matches
// exactly one of them with errors.Is, or one of context.Canceled and
// context.DeadlineExceeded.
var (
	ErrNotFound    = errors.New("not found")
	ErrDenied      = errors.New("access denied")
	ErrConflict    = errors.New("exists already")
	ErrUnavailable = errors.New("unavailable")
	ErrUnsupported = errors.New("not supported")
	ErrInvalid     = errors.New("invalid")
)

// Error is a failed operation on one URI.
type Error struct {
	Op   string // "read", "write", "list", …
	URI  string // redacted
	Kind error  // one of the Err variables, or a context error
	Err  error  // the cause, or nil
}

// Error says what failed, on what and why, with every URI redacted.
func (e *Error) Error() string {
	reason := e.Kind.Error()
	switch {
	case e.Err == nil, errors.Is(e.Kind, ErrNotFound), errors.Is(e.Kind, ErrConflict): // nothing to add
	case errors.Is(e.Kind, ErrInvalid), errors.Is(e.Kind, ErrUnsupported):
		reason = causeText(e.Err)
	default:
		reason += ": " + causeText(e.Err)
	}
	return fmt.Sprintf("%s %s: %s", e.Op, e.URI, reason)
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// fail wraps err, which may be nil or carry a kind already, for op on uri.
func fail(op, uri string, err error) error {
	if err == nil {
		return nil
	}
	var done *Error
	if errors.As(err, &done) {
		return err
	}
	var k *kindError
	if errors.As(err, &k) {
		return &Error{Op: op, URI: Redact(uri), Kind: k.kind, Err: k.err}
	}
	return &Error{Op: op, URI: Redact(uri), Kind: kindOf(err), Err: err}
}

// kindError is a cause whose kind is already known.
type kindError struct {
	kind error
	err  error
}

func (e *kindError) Error() string   { return e.err.Error() }
func (e *kindError) Unwrap() []error { return []error{e.kind, e.err} }

func invalidf(format string, args ...any) error {
	return &kindError{ErrInvalid, fmt.Errorf(format, args...)}
}

func unsupportedf(format string, args ...any) error {
	return &kindError{ErrUnsupported, fmt.Errorf(format, args...)}
}

// kindOf sorts an error of the operating system, of net/http or of gocloud.dev
// into the closed set. What it does not know is unavailable.
func kindOf(err error) error {
	for _, kind := range []error{
		context.Canceled, context.DeadlineExceeded,
		ErrNotFound, ErrDenied, ErrConflict, ErrUnavailable, ErrUnsupported, ErrInvalid,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return ErrNotFound
	case errors.Is(err, fs.ErrPermission):
		return ErrDenied
	case errors.Is(err, fs.ErrExist):
		return ErrConflict
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return ErrInvalid
	}
	return cloudKind(err)
}

// Code names the kind of err in one word of those that actions fail with, such
// as "not_found", or returns "" when err is not from this package.
func Code(err error) string {
	var failed *Error
	if !errors.As(err, &failed) {
		return ""
	}
	for _, k := range []struct {
		kind error
		code string
	}{
		{context.Canceled, "canceled"}, {context.DeadlineExceeded, "timeout"},
		{ErrNotFound, "not_found"}, {ErrDenied, "denied"}, {ErrConflict, "conflict"},
		{ErrUnavailable, "unavailable"}, {ErrUnsupported, "unsupported"}, {ErrInvalid, "invalid_input"},
	} {
		if errors.Is(failed.Kind, k.kind) {
			return k.code
		}
	}
	return "failed"
}
