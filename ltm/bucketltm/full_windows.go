package bucketltm

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isFull tells whether a disk is full.
func isFull(err error) bool { return errors.Is(err, windows.ERROR_DISK_FULL) }
