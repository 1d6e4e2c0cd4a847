package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	tempSuffix = ".tea-tmp"
	// stale is how old a temporary file is that nobody writes any more.
	stale = time.Hour

	dirMode  = 0o755
	fileMode = 0o644
)

// Write puts data in the place of the file at path, in one step. Folders on
// the way are made. A symbolic link is followed, and permissions of a file that
// was there stay.
func Write(path string, data []byte) error {
	return write(path, data, os.Rename)
}

// Create is Write for a file that is not there yet; if it is, the error is
// fs.ErrExist.
func Create(path string, data []byte) error {
	return write(path, data, func(temp, path string) error {
		return errors.Join(os.Link(temp, path), os.Remove(temp))
	})
}

func write(path string, data []byte, place func(temp, path string) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	temp, err := fill(path, data)
	if err != nil {
		return err
	}
	if err := place(temp, path); err != nil {
		_ = os.Remove(temp) // gone already, or swept later
		return err
	}
	return syncDir(dir)
}

// fill writes a temporary file beside path, down to the disk.
func fill(path string, data []byte) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+tempSuffix)
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(f.Name()) // the error says enough
		}
	}()
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	mode := fs.FileMode(fileMode)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
}

// Sweep removes what writers left in dir that were killed. Whatever it cannot
// remove, the next one will.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	newest := time.Now().Add(-stale) //nolint:forbidigo // compared with times of the file system, not shown
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), tempSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(newest) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
