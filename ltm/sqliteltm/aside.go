package sqliteltm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"github.com/tea-agents/tea/internal/blob/filelock"
	"github.com/tea-agents/tea/ltm/driver"
)

// Whoever has a disposable file open shares the lock on a file beside it, and who
// sets it aside has that lock alone: SQLite names a file's log by its path, so a
// file that is moved while it is open takes the log of the next one with it.
func (c *config) lockPath() string { return c.path + ".lock" }

// makeLock sees whether the file can be locked.
func (c *config) makeLock() error {
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(c.lockPath(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// renew closes the store that is bad, unless that is nil, sets its file aside, and
// opens what is in its place then. A file that cannot be opened it sets aside, too.
func (c *config) renew(ctx context.Context, o *Options, bad *Store, why error) (*Store, error) {
	if bad != nil {
		if err := bad.Close(); err != nil {
			return nil, err
		}
		if err := c.setAside(ctx, o, bad.file, why); err != nil {
			return nil, err
		}
	}
	s, file, err := c.openShared(ctx)
	if !damaged(err) {
		return s, err
	}
	if err := c.setAside(ctx, o, file, err); err != nil {
		return nil, err
	}
	s, _, err = c.openShared(ctx)
	return s, err
}

// openShared opens the file, which stays where it is until the store is closed.
// After an error it tells which file that was.
func (c *config) openShared(ctx context.Context) (*Store, fs.FileInfo, error) {
	lock, err := c.share(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: the lock beside it: %w", driver.ErrUnavailable, err)
	}
	s, err := c.open(ctx)
	file, missing := os.Stat(c.path)
	if err = errors.Join(err, missing); err != nil {
		return nil, file, errors.Join(err, lock.Close())
	}
	s.file, s.lock = file, lock
	return s, nil, nil
}

// share shares the lock, after whoever has it alone.
func (c *config) share(ctx context.Context) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, c.busy+time.Second) // to move a file takes milliseconds
	defer cancel()
	return filelock.Open(ctx, c.lockPath(), filelock.TryShare, pause)
}

// openAny opens a file that is not disposable for this process. It may be for
// others: then they have made a lock, and it is shared if that can be.
func (c *config) openAny(ctx context.Context) (*Store, error) {
	var lock *os.File
	if _, err := os.Stat(c.lockPath()); err == nil && c.path != inMemory && !c.readOnly {
		lock, _ = c.share(ctx) // else the folder may only be read, and nothing in it is moved
	}
	s, err := c.open(ctx)
	switch {
	case lock == nil:
	case err != nil:
		err = errors.Join(err, lock.Close())
	default:
		s.lock = lock
	}
	return s, err
}

// setAside gives a damaged file another name, unless another process was faster.
// It waits for those who have it open.
func (c *config) setAside(ctx context.Context, o *Options, file fs.FileInfo, why error) error {
	patience, cancel := context.WithTimeout(ctx, c.busy)
	defer cancel()
	for {
		if !c.isAt(file) {
			return nil
		}
		lock, err := filelock.TryOpen(c.lockPath(), filelock.TryLock)
		switch {
		case err != nil:
			return errors.Join(why, err)
		case lock != nil:
			return errors.Join(c.move(o, file, why), lock.Close())
		case pause(patience, asidePause) != nil:
			return fmt.Errorf("%w; it cannot be set aside, as other processes have it open", why)
		}
	}
}

const asidePause = 5 * time.Millisecond

// isAt tells whether the path still is that of a file.
func (c *config) isAt(file fs.FileInfo) bool {
	now, err := os.Stat(c.path)
	return err == nil && os.SameFile(now, file)
}

// move moves the file, if it still is that one. The caller has the lock alone.
func (c *config) move(o *Options, file fs.FileInfo, why error) error {
	if !c.isAt(file) {
		return nil
	}
	clock := o.Now
	if clock == nil {
		clock = time.Now //nolint:forbidigo // the default of an injected clock
	}
	aside := c.path + ".damaged-" + clock().UTC().Format("20060102T150405.000Z")
	for _, suffix := range []string{"-wal", "-shm", ""} { // a log alone would be taken for that of the next file
		err := os.Rename(c.path+suffix, aside+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(why, err)
		}
	}
	if o.Warn != nil {
		o.Warn(fmt.Sprintf("%s is damaged (%v); it is set aside as %s and begun anew", c.path, reason(why), aside))
	}
	return nil
}

// reason returns what SQLite says, without advice.
func reason(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e
	}
	return err
}

// pause lets time pass, and returns why it ended early.
func pause(ctx context.Context, d time.Duration) error {
	waited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-waited.Done()
	return ctx.Err()
}
