package blobsqliteltm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

// The files in the folder of an object: copyFileName describes the last copy
// that a store kept, which is named by its checksum; each store that is open has
// a folder of its own, on whose lock it holds a lock.
const (
	copyName   = "copy.json"
	lockName   = "lock"
	copySuffix = ".db"
	workPrefix = "work-"
	copyFormat = 1
)

// folder is where the local files of a store are. Nobody else can read them.
type folder struct {
	home  string // of all stores of this object
	work  string // of this one
	lock  *os.File
	files atomic.Int64
}

// openFolder makes the folder of a store, and removes those of stores whose
// process was killed.
func openFolder(parent string, u *url.URL) (*folder, error) {
	if parent == "" {
		var err error
		if parent, err = defaultParent(); err != nil {
			return nil, localError(err)
		}
	}
	sum := sha256.Sum256([]byte(u.String()))
	f := &folder{home: filepath.Join(parent, hex.EncodeToString(sum[:16]))}
	if err := os.MkdirAll(f.home, 0o700); err != nil {
		return nil, localError(err)
	}
	f.sweep()
	for range 5 {
		ok, err := f.claim()
		if err != nil {
			return nil, localError(err)
		}
		if ok {
			return f, nil
		}
	}
	return nil, localError(errors.New("other processes take every lock in it"))
}

func defaultParent() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("%w: name one with cache=", err)
		}
	}
	return filepath.Join(dir, "tea", "blob-sqlite"), nil
}

// claim makes a folder of its own, unless another process takes it for one that
// was left behind.
func (f *folder) claim() (bool, error) {
	dir, err := os.MkdirTemp(f.home, workPrefix)
	if err != nil {
		return false, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	ok, err := object.TryLock(lock)
	if !ok {
		return false, errors.Join(err, lock.Close())
	}
	f.work, f.lock = dir, lock
	return true, nil
}

// sweep removes the folders that nobody holds a lock on.
func (f *folder) sweep() {
	dirs, _ := filepath.Glob(filepath.Join(f.home, workPrefix+"*")) // the pattern is well-formed
	for _, dir := range dirs {
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if ok, _ := object.TryLock(lock); ok {
			_ = os.RemoveAll(dir)
		}
		_ = lock.Close()
	}
}

// file returns the name of a new file.
func (f *folder) file() string {
	return filepath.Join(f.work, fmt.Sprintf("%d%s", f.files.Add(1), copySuffix))
}

// close removes the files.
func (f *folder) close() error {
	err := os.RemoveAll(f.work)
	return localError(errors.Join(err, f.lock.Close()))
}

// kept describes a copy that a store kept for the next one.
type kept struct {
	Format int         `json:"format"`
	Mark   object.Mark `json:"mark"`
	SHA256 string      `json:"sha256"`
}

// restore returns the copy that was kept, if it is whole. Whether it is still
// what the bucket holds is not known.
func (f *folder) restore(ctx context.Context) *version {
	k, ok := f.kept()
	if !ok {
		return nil
	}
	path := f.file()
	sum, err := copySum(path, filepath.Join(f.home, k.SHA256+copySuffix))
	var store *sqliteltm.Store
	if err == nil && sum == k.SHA256 {
		store, err = adopt(ctx, path)
	}
	if err != nil || store == nil {
		_ = os.Remove(path)
		return nil
	}
	return &version{mark: k.Mark, path: path, store: store}
}

func (f *folder) kept() (k kept, ok bool) {
	text, err := os.ReadFile(filepath.Join(f.home, copyName))
	if err != nil || json.Unmarshal(text, &k) != nil {
		return k, false
	}
	sum, err := hex.DecodeString(k.SHA256)
	return k, err == nil && len(sum) == sha256.Size && k.Format == copyFormat && k.Mark != ""
}

// keep keeps a copy of a version for the next store.
func (f *folder) keep(v *version) (err error) {
	if k, ok := f.kept(); ok && k.Mark == v.mark || v.mark == "" {
		return nil
	}
	data, note := f.file(), f.file()
	defer func() { err = errors.Join(err, ignoreMissing(os.Remove(data)), ignoreMissing(os.Remove(note))) }()
	sum, err := copySum(data, v.path)
	if err != nil {
		return err
	}
	text, err := json.Marshal(kept{copyFormat, v.mark, sum})
	if err != nil {
		return err
	}
	if err := os.WriteFile(note, text, 0o600); err != nil {
		return err
	}
	if err := os.Rename(data, filepath.Join(f.home, sum+copySuffix)); err != nil {
		return err
	}
	if err := os.Rename(note, filepath.Join(f.home, copyName)); err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(f.home, "*"+copySuffix)) // the pattern is well-formed
	for _, path := range old {
		if !strings.HasSuffix(path, sum+copySuffix) {
			_ = os.Remove(path) // another process may have done so
		}
	}
	return nil
}

// copySum copies a file and returns the checksum of what was copied.
func copySum(to, from string) (sum string, err error) {
	r, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer r.Close() //nolint:errcheck // only read from
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(w, h), r)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, w.Close())
}
