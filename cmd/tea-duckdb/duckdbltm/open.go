package duckdbltm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/bucketltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// Register makes the URLs of DuckDB known to m: it is for tea.WithStores.
func Register(m *ltm.Mux) {
	m.Handle("duckdb", Params(), func(u *url.URL, _ *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return Opener(u)
	})
	for _, scheme := range Engine().Schemes() {
		m.Handle(scheme, Engine().Params(scheme), func(u *url.URL, o *ltm.Options) (func(context.Context) (driver.Store, error), error) {
			return Engine().Opener(u, &bucketltm.Options{Disposable: o.Disposable, Warn: o.Warn})
		})
	}
}

// Opener returns what opens the file that u names, and makes it where it is
// missing. The error says all that is wrong with u itself.
func Opener(u *url.URL) (func(context.Context) (driver.Store, error), error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.openStore, nil
}

// Open opens the file that u names: see Opener.
func Open(ctx context.Context, u *url.URL) (driver.Store, error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.openStore(ctx)
}

// openStore opens the file once to see that it can be.
func (c config) openStore(ctx context.Context) (driver.Store, error) {
	s := newStore(c)
	_, err := call(ctx, s, func(*database) (none struct{}, _ error) { return none, nil })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open opens the file, which has the present format then. One that may not be
// written to is opened to be read.
func (c config) open(ctx context.Context) (*database, error) {
	if err := c.makeFile(ctx); err != nil {
		return nil, fileError(err)
	}
	d, err := c.openFile(ctx)
	if errors.Is(err, driver.ErrReadOnly) && !c.readOnly {
		c.readOnly = true
		return c.openFile(ctx)
	}
	return d, err
}

func (c *config) openFile(ctx context.Context) (*database, error) {
	d, err := c.connect(ctx)
	if err != nil {
		return nil, c.fail(err)
	}
	if err := c.prepare(ctx, d); err != nil {
		return nil, errors.Join(c.fail(err), d.close())
	}
	return d, nil
}

// makeFolder makes the folders above the file.
func (c *config) makeFolder() error {
	if c.readOnly {
		return nil
	}
	return os.MkdirAll(filepath.Dir(c.path), 0o700)
}

// makeFile makes the file unless it exists. It is made in a folder that nobody else may enter, as DuckDB makes files that all
// may read, and moved into its place when it is complete.
func (c *config) makeFile(ctx context.Context) error {
	if c.path == inMemory || c.alone {
		return nil
	}
	_, err := os.Stat(c.path)
	if c.readOnly || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := c.path + ".new"
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700)); err != nil {
		return err
	}
	// What stays is removed the next time.
	defer func() { _ = os.RemoveAll(folder) }()
	fresh := *c
	fresh.path = filepath.Join(folder, "new.duckdb")
	d, err := fresh.openFile(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(d.close(), os.Chmod(fresh.path, 0o600)); err != nil {
		return err
	}
	return os.Rename(fresh.path, c.path)
}

// fileError returns an error of making a file as one of a kind.
func fileError(err error) error {
	k := kind(err)
	if k == nil {
		k = driver.ErrUnavailable
	}
	if errors.Is(err, k) {
		return err
	}
	return fmt.Errorf("%w: %w", k, err)
}
