package driver

import (
	"errors"
	"fmt"
)

// The kinds of error that a store returns, besides those of a context. Test for
// them with errors.Is.
var (
	// ErrNotFound: there is no such record.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the condition of a Put did not hold; nothing was changed.
	ErrConflict = errors.New("changed by someone else")
	// ErrUnavailable: the store cannot be reached or is busy; later it may
	// well be.
	ErrUnavailable = errors.New("store unavailable")
	// ErrReadOnly: the store cannot be written to.
	ErrReadOnly = errors.New("store is read-only")
	// ErrFull: there is no room left.
	ErrFull = errors.New("store is full")
	// ErrCorrupt: what is stored is damaged, or not ours.
	ErrCorrupt = errors.New("store is corrupt")
	// ErrForeign, which is ErrCorrupt too: what is stored is whole, but of another
	// program.
	ErrForeign = fmt.Errorf("%w: it belongs to another program", ErrCorrupt)
	// ErrNewer: what is stored was written by a newer version of tea.
	ErrNewer = errors.New("store was written by a newer version")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("store is closed")
	// ErrConfig: no store can be opened as its URL says, now or later.
	ErrConfig = errors.New("bad memory configuration")
)
