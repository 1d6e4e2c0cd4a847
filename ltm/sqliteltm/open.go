package sqliteltm

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"modernc.org/sqlite"

	"github.com/tea-agents/tea/ltm/driver"
)

// readers is how many connections read at once.
const readers = 4

// Store is a driver.Store in an SQLite file. It has every optional ability.
// Make one with Open.
type Store struct {
	config config
	read   *pool
	write  *pool // the same as read in memory; connects on first use
	closed atomic.Bool
	// indexed says that every entry has its facets, which stays so.
	indexed atomic.Bool
	// Of a disposable file, else nil: which one it is, and the lock that keeps it
	// where it is. See config.lockPath.
	file fs.FileInfo
	lock *os.File
}

// Opener returns what opens the file that u names, and makes it where it is
// missing. The error says all that is wrong with u itself.
func Opener(u *url.URL, o *Options) (func(context.Context) (driver.Store, error), error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	c.existing = o != nil && o.Existing
	return func(ctx context.Context) (driver.Store, error) {
		if o != nil && o.Disposable && c.path != inMemory && !c.readOnly {
			return c.openDisposable(ctx, *o)
		}
		return c.openStore(ctx)
	}, nil
}

// Open opens the file that u names: see Opener.
func Open(ctx context.Context, u *url.URL) (driver.Store, error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.openStore(ctx)
}

// openStore is open for whoever needs no more than the interface.
func (c config) openStore(ctx context.Context) (driver.Store, error) {
	s, err := c.openAny(ctx)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c config) open(ctx context.Context) (*Store, error) {
	if err := c.makeFile(); err != nil {
		return nil, fmt.Errorf("%w: %w", fileKind(err), err)
	}
	s, err := c.openFile(ctx)
	if errors.Is(err, driver.ErrReadOnly) && c.atRest() {
		c.readOnly, c.immutable = true, true
		return c.openFile(ctx)
	}
	return s, err
}

// atRest tells whether nobody has the file open. SQLite reads a file whose
// folder it may not write to only if it is told so.
func (c *config) atRest() bool {
	_, err := os.Stat(c.path + "-wal")
	return c.path != inMemory && errors.Is(err, fs.ErrNotExist)
}

func (c config) openFile(ctx context.Context) (*Store, error) {
	s, err := connect(c)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(s.fail(ctx, err), s.Close())
	}
	s.fillFacets(ctx)
	return s, nil
}

// makeFile makes the file, empty, and the folders above it, unless they exist.
func (c *config) makeFile() error {
	if c.path == inMemory {
		return nil
	}
	info, err := os.Stat(c.path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", c.path)
	case c.readOnly, c.existing, !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(c.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// fileKind returns the kind of an error of the file system.
func fileKind(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return driver.ErrReadOnly
	}
	return driver.ErrUnavailable
}

// connect returns a store that has not looked at its file yet.
func connect(c config) (*Store, error) {
	connector, err := sqlite.NewConnector(c.dsn())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrConfig, err)
	}
	s := &Store{config: c, write: &pool{db: sql.OpenDB(connector)}}
	s.write.db.SetMaxOpenConns(1)
	if c.path == inMemory {
		s.read = s.write
		return s, nil
	}
	s.read = &pool{db: sql.OpenDB(connector)}
	s.read.db.SetMaxOpenConns(readers)
	s.read.db.SetMaxIdleConns(readers)
	return s, nil
}

// Close implements driver.Store. It waits for calls under way.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	err := s.read.db.Close()
	if s.write != s.read {
		err = errors.Join(err, s.write.db.Close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// begin returns why a call cannot be made.
func (s *Store) begin(ctx context.Context) error {
	if s.closed.Load() {
		return driver.ErrClosed
	}
	return ctx.Err()
}

// beginWrite is begin for a call that changes something.
func (s *Store) beginWrite(ctx context.Context) error {
	if s.config.readOnly {
		return driver.ErrReadOnly
	}
	return s.begin(ctx)
}
