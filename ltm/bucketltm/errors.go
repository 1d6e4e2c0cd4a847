package bucketltm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// errTooLarge: the file with the changes is larger than it may be.
var errTooLarge = fmt.Errorf("%w: the file would be larger than max_size", driver.ErrFull)

// fail returns err as one of the kinds that a driver returns.
func fail(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), known(err):
		return err
	case errors.Is(err, object.ErrConfig):
		return fmt.Errorf("%w: %w", driver.ErrConfig, err)
	default:
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, err)
	}
}

// failPut is fail for an error of object.Put.
func failPut(err error) error {
	switch {
	case errors.Is(err, object.ErrDenied):
		return fmt.Errorf("%w: %w", driver.ErrReadOnly, err)
	case isFull(err): // the bucket is a folder
		return fmt.Errorf("%w: %w", driver.ErrFull, err)
	}
	return fail(err)
}

// known tells whether err has one of the kinds of a driver.
func known(err error) bool {
	for _, kind := range []error{
		driver.ErrNotFound, driver.ErrConflict, driver.ErrUnavailable, driver.ErrReadOnly, driver.ErrFull,
		driver.ErrCorrupt, driver.ErrNewer, driver.ErrClosed, driver.ErrConfig, errors.ErrUnsupported,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// localError sorts an error of the local file system.
func localError(err error) error {
	switch {
	case err == nil:
		return nil
	case isFull(err):
		return fmt.Errorf("%w: the folder for local copies: %w", driver.ErrFull, err)
	default:
		return fmt.Errorf("%w: the folder for local copies: %w", driver.ErrUnavailable, err)
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
