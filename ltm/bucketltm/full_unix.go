//go:build unix

package bucketltm

import (
	"errors"
	"syscall"
)

// isFull tells whether a disk, or the user's share of it, is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
