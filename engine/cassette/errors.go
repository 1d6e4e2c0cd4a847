package cassette

import (
	"errors"
	"fmt"
)

// What can be wrong with a cassette or its use. All but ErrForbidden and
// ErrClosed are faults of configuration: [IsConfig].
var (
	// ErrMissing: there is no such cassette.
	ErrMissing = errors.New("there is no such cassette")
	// ErrTorn: the cassette is empty or was cut off.
	ErrTorn = errors.New("the cassette is empty or cut off")
	// ErrUnreadable: it cannot be read, or is no cassette.
	ErrUnreadable = errors.New("the cassette cannot be read")
	// ErrVersion: it was written in a format that this program does not know.
	ErrVersion = errors.New("the cassette has an unknown format")
	// ErrConfig: the options cannot work.
	ErrConfig = errors.New("bad configuration of a cassette")
	// ErrForbidden: a call was made where none was to be.
	ErrForbidden = errors.New("a call was made although calls are forbidden here")
	// ErrClosed: the session is over.
	ErrClosed = errors.New("the cassette is closed")
)

// IsConfig tells whether err is a fault of configuration or of the cassette
// itself, with which a command ends with exit status 3.
func IsConfig(err error) bool {
	for _, kind := range []error{ErrMissing, ErrTorn, ErrUnreadable, ErrVersion, ErrConfig} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// FileError says what is wrong with a cassette.
type FileError struct {
	Path string
	Kind error // ErrMissing, ErrTorn, ErrUnreadable or ErrVersion
	// Detail is what more there is to say, or "".
	Detail string
	Err    error // the reason, or nil
}

// Error names the file, what is wrong with it, and why.
func (e *FileError) Error() string {
	s := fmt.Sprintf("%s: %v", e.Path, e.Kind)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the kind and the reason.
func (e *FileError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
