package actions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Error is how an action fails.
type Error struct {
	Code Code
	// Message is the whole text; "" stands for the text of Err.
	Message string
	// RetryAfter is how long the other side asks to wait, 0 if it does not.
	RetryAfter time.Duration
	// Err is the reason, or nil.
	Err error
}

// Error returns the message.
func (e *Error) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return e.Err.Error()
	default:
		return string(e.Code)
	}
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Retryable tells whether trying again may help.
func (e *Error) Retryable() bool { return e.Code.Retryable() }

// Errorf returns an [*Error] with a message in the manner of [fmt.Errorf], %w
// included.
func Errorf(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: err}
}

// CodeOf returns the code of err: of the first [*Error] in it, that which fits
// for an error of storage, of long-term memory, of the cache or of a context,
// failed for any other, "" for nil.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	}
	if code := blob.Code(err); code != "" {
		return Code(code)
	}
	for _, k := range []struct {
		kind error
		code Code
	}{
		{cache.ErrSelector, CodeInvalidInput},
		{cache.ErrMiss, CodeNotFound},
		{cache.ErrStore, CodeUnavailable},
		{cache.ErrNoMemory, CodeUnavailable},
		{ltm.ErrNotFound, CodeNotFound},
		{ltm.ErrConflict, CodeConflict},
		{ltm.ErrInvalid, CodeInvalidInput},
		{ltm.ErrReadOnly, CodeDenied},
		{ltm.ErrFull, CodeTooLarge},
		{ltm.ErrNewer, CodeUnsupported},
		{ltm.ErrUnavailable, CodeUnavailable},
		{ltm.ErrClosed, CodeUnavailable},
		{context.DeadlineExceeded, CodeTimeout},
		{context.Canceled, CodeCanceled},
	} {
		if errors.Is(err, k.kind) {
			return k.code
		}
	}
	return CodeFailed
}

// RetryAfter returns how long the first [*Error] in err asks to wait, or 0.
func RetryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// FailureResult is the result that stands for an error where one is wanted as
// data: {success: false, error, error_type}. The type is the code.
func FailureResult(err error) value.Value {
	return value.Object(
		value.M("success", value.Bool(false)),
		value.M("error", value.String(err.Error())),
		value.M("error_type", value.String(string(CodeOf(err)))),
	)
}

// contextError says that ctx is done, and why.
func contextError(ctx context.Context, action string) error {
	e := &Error{Code: CodeCanceled, Message: action + " was canceled", Err: ctx.Err()}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Code, e.Message = CodeTimeout, action+" timed out"
	}
	if cause := context.Cause(ctx); cause != ctx.Err() { //nolint:errorlint // whether it is the very same
		e.Message += ": " + cause.Error()
		e.Err = errors.Join(ctx.Err(), cause)
	}
	return e
}
