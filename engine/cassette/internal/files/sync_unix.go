//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes the names in a folder last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) { // a file system without it
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Lock waits until no other process or goroutine holds dir, and holds it until
// unlock is called. The folder is made if it is missing.
func Lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, err
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil && !errors.Is(err, syscall.ENOTSUP) && !errors.Is(err, syscall.ENOLCK) {
		return nil, errors.Join(err, d.Close())
	}
	return func() { _ = d.Close() }, nil // which unlocks
}
