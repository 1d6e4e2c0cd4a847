package bucketltm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/tea-agents/tea/internal/blob/filelock"
	"github.com/tea-agents/tea/internal/blob/object"
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
	claims     = 100     // tries to get a folder of its own, of which a sweep can take each
	copyPiece  = 4 << 20 // bytes copied between two looks at the context
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
func openFolder(c config) (*folder, error) {
	parent := c.cache
	if parent == "" {
		var err error
		if parent, err = c.defaultCache(); err != nil {
			return nil, localError(err)
		}
	}
	sum := sha256.Sum256([]byte(c.object.String()))
	f := &folder{home: filepath.Join(parent, hex.EncodeToString(sum[:16]))}
	if err := os.MkdirAll(f.home, 0o700); err != nil {
		return nil, localError(err)
	}
	f.sweep()
	for range claims {
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

func (c *config) defaultCache() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("%w: name one with cache=", err)
		}
	}
	return filepath.Join(dir, "tea", strings.TrimSuffix(c.engine.Prefix, "+")), nil
}

// claim makes a folder of its own, unless another process takes it for one that
// was left behind.
func (f *folder) claim() (bool, error) {
	dir, err := os.MkdirTemp(f.home, workPrefix)
	if err != nil {
		return false, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil { // it is not there any more: it was swept away
		return false, ignoreMissing(err)
	}
	ok, err := filelock.TryLock(lock)
	if !ok || !isAt(lock, lock.Name()) {
		return false, errors.Join(err, lock.Close())
	}
	f.work, f.lock = dir, lock
	return true, nil
}

// isAt tells whether a file is still what its name stands for. A lock on one that
// was removed between its opening and its locking keeps nobody out.
func isAt(f *os.File, name string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(opened, named)
}

// sweep removes the folders that nobody holds a lock on, and empty ones: who has
// just made one makes another one.
func (f *folder) sweep() {
	dirs, _ := filepath.Glob(filepath.Join(f.home, workPrefix+"*")) // the pattern is well-formed
	for _, dir := range dirs {
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if err != nil {
			_ = os.Remove(dir) // fails unless it is empty
			continue
		}
		if ok, _ := filelock.TryLock(lock); ok {
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

// restore returns the mark and a copy of the content that was kept, "" where
// there is none that is whole.
func (f *folder) restore(ctx context.Context) (object.Mark, string) {
	k, ok := f.kept()
	if !ok {
		return "", ""
	}
	path, h := f.file(), sha256.New()
	err := copyFile(ctx, path, filepath.Join(f.home, k.SHA256+copySuffix), h)
	if err != nil || hex.EncodeToString(h.Sum(nil)) != k.SHA256 {
		_ = os.Remove(path)
		_ = os.Remove(filepath.Join(f.home, copyName)) // so that a whole one is kept
		return "", ""
	}
	return k.Mark, path
}

func (f *folder) kept() (k kept, ok bool) {
	text, err := os.ReadFile(filepath.Join(f.home, copyName))
	if err != nil || json.Unmarshal(text, &k) != nil {
		return k, false
	}
	sum, err := hex.DecodeString(k.SHA256)
	return k, err == nil && len(sum) == sha256.Size && k.Format == copyFormat && k.Mark != ""
}

// keep keeps a copy of a content for the next store.
func (f *folder) keep(ctx context.Context, mark object.Mark, path string) (err error) {
	if k, ok := f.kept(); ok && k.Mark == mark {
		return nil
	}
	data, note, h := f.file(), f.file(), sha256.New()
	defer func() { err = errors.Join(err, ignoreMissing(os.Remove(data)), ignoreMissing(os.Remove(note))) }()
	if err := copyFile(ctx, data, path, h); err != nil {
		return err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	text, err := json.Marshal(kept{copyFormat, mark, sum})
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

// copyFile makes a private copy, and writes the content to also, unless that is
// nil.
func copyFile(ctx context.Context, to, from string, also io.Writer) error {
	r, err := os.Open(from)
	if err != nil {
		return localError(err)
	}
	defer r.Close() //nolint:errcheck // only read from
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return localError(err)
	}
	if also == nil {
		also = io.Discard
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(io.MultiWriter(w, also), r, copyPiece)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, w.Close()); err != nil {
		_ = os.Remove(to) // err says more
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return localError(err)
}
