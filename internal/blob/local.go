package blob

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"sync/atomic"
)

// local is the file system of this machine. It does not go through
// gocloud.dev/blob/fileblob, which escapes characters in names and keeps
// attributes in files of its own: names must mean what other programs mean.
type local struct{}

func (local) read(_ context.Context, l location) (io.ReadCloser, Info, error) {
	f, err := os.Open(l.key)
	if err != nil {
		return nil, Info{}, plainError(err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = invalidf("is a directory")
	}
	if err != nil {
		_ = f.Close()
		return nil, Info{}, plainError(err)
	}
	return f, localInfo(l.key, info), nil
}

func (local) stat(_ context.Context, l location) (Info, error) {
	info, err := os.Stat(l.key)
	if err == nil && info.IsDir() {
		err = invalidf("is a directory")
	}
	if err != nil {
		return Info{}, plainError(err)
	}
	return localInfo(l.key, info), nil
}

func (local) remove(_ context.Context, l location) error {
	info, err := os.Lstat(l.key)
	if err == nil && info.IsDir() {
		err = invalidf("is a directory")
	}
	if err == nil {
		err = os.Remove(l.key)
	}
	return plainError(err)
}

func localInfo(path string, info fs.FileInfo) Info {
	return Info{
		Size:        info.Size(),
		ModTime:     info.ModTime(),
		ETag:        fileMark(info),
		ContentType: mime.TypeByExtension(filepath.Ext(path)),
	}
}

// plainError drops the path from an error of package os: fail names the URI.
func plainError(err error) error {
	if pe, ok := err.(*fs.PathError); ok { //nolint:errorlint // the outermost layer only
		return pe.Err
	}
	if le, ok := err.(*os.LinkError); ok { //nolint:errorlint // the outermost layer only
		return le.Err
	}
	return err
}

// write puts the content into a new file beside the target and moves it over
// the target. What is no regular file, such as a pipe, is written directly.
func (local) write(_ context.Context, l location, r io.Reader, o WriteOptions) error {
	target := l.key
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return invalidf("is a directory")
	case err == nil && o.IfNotExist:
		return fs.ErrExist
	case err == nil && !info.Mode().IsRegular():
		return writeDirect(target, r)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil { //nolint:gosec // the umask decides
		return plainError(err)
	}
	temp, err := writeTemp(target, r)
	if err != nil {
		return plainError(err)
	}
	defer os.Remove(temp) //nolint:errcheck // gone after a rename
	if info != nil {
		_ = os.Chmod(temp, info.Mode().Perm())
	}
	if o.IfNotExist {
		return plainError(os.Link(temp, target))
	}
	return plainError(os.Rename(temp, target))
}

func writeDirect(target string, r io.Reader) error {
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return plainError(err)
	}
	_, err = io.Copy(f, r)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return plainError(err)
}

// tempNumber tells the temporary files of this process apart.
var tempNumber atomic.Uint64 //nolint:gochecknoglobals // a counter, for unique names only

// writeTemp writes r to a new file beside target and returns its name.
func writeTemp(target string, r io.Reader) (name string, err error) {
	dir, base := filepath.Split(target)
	name = fmt.Sprintf("%s.%.100s.%d-%d.tmp", dir, base, os.Getpid(), tempNumber.Add(1))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the umask decides
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(name)
		return "", err
	}
	return name, nil
}
