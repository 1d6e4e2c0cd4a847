package ltm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/ltm/driver"
)

// The kinds of error of a Memory, besides those of a context. Test for them
// with errors.Is.
var (
	ErrNotFound    = driver.ErrNotFound    // there is no such entry
	ErrConflict    = driver.ErrConflict    // PutOptions.IfRevision did not hold
	ErrUnavailable = driver.ErrUnavailable // unreachable or busy
	ErrReadOnly    = driver.ErrReadOnly
	ErrFull        = driver.ErrFull
	ErrCorrupt     = driver.ErrCorrupt // damaged, or not ours
	ErrNewer       = driver.ErrNewer   // written by a newer version
	ErrClosed      = driver.ErrClosed
	ErrConfig      = driver.ErrConfig // no store can be opened as the URL says, now or later

	// ErrElsewhere, besides ErrConfig: another program has such a store.
	ErrElsewhere = errors.New("another program has this store")

	// ErrInvalid: the call makes no sense as it is; no store was asked.
	ErrInvalid = errors.New("invalid")
)

// elsewhere says how to get the program that has a store.
type elsewhere string

func (e elsewhere) Error() string { return string(e) }

// Is implements the interface that errors.Is looks for.
func (elsewhere) Is(target error) bool { return target == ErrElsewhere }

// Error says which operation of a Memory failed, on what, and why.
type Error struct {
	Op  string // such as "get"
	Key string // "" where it is not about one key
	URL string // redacted; "" when unknown
	Err error
}

// Error returns, for example: ltm: get "k" in sqlite:agent.db: not found.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("ltm: " + e.Op)
	if e.Key != "" {
		fmt.Fprintf(&b, " %q", short(e.Key))
	}
	if e.URL != "" {
		b.WriteString(" in " + e.URL)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// OfStore tells whether the store is what failed: it cannot be reached, opened,
// read or written, whatever the call was.
func (e *Error) OfStore() bool {
	kinds := []error{ErrUnavailable, ErrReadOnly, ErrFull, ErrCorrupt, ErrNewer, ErrConfig}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(e.Err, kind) })
}

// fail wraps err, if there is one.
func (m *Memory) fail(op, key string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Key: key, URL: m.url, Err: err}
}

// invalid returns an ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInvalid}, args...)...)
}

// short cuts a long key for a message.
func short(key string) string {
	const limit = 100
	if len(key) <= limit {
		return key
	}
	cut := limit
	for !utf8.RuneStart(key[cut]) {
		cut--
	}
	return key[:cut] + "…"
}
