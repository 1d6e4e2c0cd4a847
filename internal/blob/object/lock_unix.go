//go:build unix

package object

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks an open file for this process alone until it is closed, unless
// another one, or another open file of this one, holds the lock.
func TryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
