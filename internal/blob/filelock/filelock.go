// Package filelock has locks on open files that the processes of a machine
// respect among each other. A lock ends when its file is closed, so with its
// process at the latest. Any other open file, also of the same process, is
// somebody else's.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"
)

// pause is how long to wait before asking for a lock again.
const pause = 2 * time.Millisecond

// Open opens the file at path, makes it where it is missing, and locks it by try,
// which is TryLock or TryShare. While others hold it, it waits by wait, until that
// fails. Never remove such a file: a lock on one that is gone keeps nobody out.
func Open(ctx context.Context, path string, try func(*os.File) (bool, error), wait func(context.Context, time.Duration) error) (*os.File, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := TryOpen(path, try)
		if f != nil || err != nil {
			return f, err
		}
		if err := wait(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// TryOpen is Open, once; the file is nil while others hold the lock.
func TryOpen(path string, try func(*os.File) (bool, error)) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	ok, err := try(f)
	if ok {
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}
