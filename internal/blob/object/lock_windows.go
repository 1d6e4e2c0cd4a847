package object

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock locks an open file for this process alone until it is closed, unless
// another one, or another open file of this one, holds the lock.
func TryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
