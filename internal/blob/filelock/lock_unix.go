//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks an open file for it alone, unless another one has a lock.
func TryLock(f *os.File) (bool, error) { return try(f, syscall.LOCK_EX) }

// TryShare locks an open file together with others, unless one is locked alone.
func TryShare(f *os.File) (bool, error) { return try(f, syscall.LOCK_SH) }

func try(f *os.File, how int) (bool, error) {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
