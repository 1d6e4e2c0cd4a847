package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tea-agents/tea/internal/blob/filelock"
)

// file is a file, replaced by renaming another one over it. Writers hold a lock
// on a file beside it, which ends with their process, and give each content a
// later time than the last one had: so its mark is never one of before.
type file struct {
	path string
	wait func(ctx context.Context, d time.Duration) error
}

// Get implements Object.
func (f *file) Get(ctx context.Context, known Mark, w io.Writer) (Mark, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	r, err := os.Open(f.path)
	if err != nil {
		return "", fileError(err)
	}
	defer r.Close() //nolint:errcheck // only read from
	info, err := r.Stat()
	if err != nil {
		return "", fileError(err)
	}
	mark := fileMark(info)
	if mark == known {
		return mark, ErrSame
	}
	if _, err := io.Copy(w, contextReader{ctx, r}); err != nil {
		return "", fileError(err)
	}
	return mark, nil
}

// Put implements Object.
func (f *file) Put(ctx context.Context, content Content, size int64, known Mark) (mark Mark, err error) {
	target := f.path
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return "", fileError(err)
	}
	lock, err := filelock.Open(ctx, target+".lock", filelock.TryLock, f.wait)
	if err != nil {
		return "", fileError(err)
	}
	defer func() { err = errors.Join(err, fileError(lock.Close())) }()
	now, last, mode := Mark(""), time.Time{}, fs.FileMode(0o600)
	info, err := os.Stat(target)
	switch {
	case err == nil:
		now, last, mode = fileMark(info), info.ModTime(), info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return "", fileError(err)
	}
	if now != known {
		return "", ErrChanged
	}
	temp := target + ".new" // nobody else writes to it: this process has the lock
	mark, err = writeTemp(ctx, temp, mode, io.NewSectionReader(content, 0, size), last)
	if err != nil {
		return "", fileError(err)
	}
	if err := os.Rename(temp, target); err != nil {
		return "", fileError(err)
	}
	syncFolder(filepath.Dir(target))
	return mark, nil
}

// writeTemp writes a file that is younger than last, and returns its mark.
func writeTemp(ctx context.Context, name string, mode fs.FileMode, r io.Reader, last time.Time) (mark Mark, err error) {
	_ = os.Remove(name) // of a process that was killed: it may have another mode
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return "", err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
		if err != nil {
			_ = os.Remove(name)
		}
	}()
	if _, err = io.Copy(f, contextReader{ctx, r}); err != nil {
		return "", err
	}
	if err = f.Chmod(mode); err != nil { // whatever the umask
		return "", err
	}
	info, err := f.Stat()
	for step := time.Microsecond; err == nil && !info.ModTime().After(last); step *= 10 {
		at := last.Add(step) // file systems round it
		if err = os.Chtimes(name, at, at); err == nil {
			info, err = f.Stat()
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return "", err
	}
	return fileMark(info), nil
}

// fileMark returns the mark of a file's content.
func fileMark(info fs.FileInfo) Mark {
	return Mark(fmt.Sprintf("%d-%d", info.ModTime().UnixNano(), info.Size()))
}

// syncFolder makes a rename last; not every system can.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// fileError sorts an error of the file system, and drops the paths in it.
func fileError(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrMissing
	case errors.Is(err, fs.ErrPermission):
		return ErrDenied
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	default:
		return err
	}
}

// Time implements Object.
func (*file) Time() int64 { return 0 }

// Close implements Object.
func (*file) Close() error { return nil }

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
