package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock locks an open file for it alone, unless another one has a lock.
func TryLock(f *os.File) (bool, error) { return try(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryShare locks an open file together with others, unless one is locked alone.
func TryShare(f *os.File) (bool, error) { return try(f, 0) }

func try(f *os.File, how uint32) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
