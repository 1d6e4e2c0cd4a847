package sqliteltm

import (
	"context"
	"errors"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/tea-agents/tea/ltm/driver"
)

// Options are the choices of Opener. A nil *Options is all defaults.
type Options struct {
	// Disposable says that the file holds nothing that cannot be made again,
	// such as a cache. When it is damaged it is set aside, under another name
	// beside it, and begun anew; Warn, if not nil, is told so once. Without it
	// a damaged file is left as it is, and is an error.
	Disposable bool
	Warn       func(text string)
	Now        func() time.Time // for the name; nil is the system's clock

	// Existing says that a missing file is driver.ErrUnavailable, and not made.
	Existing bool
}

// disposable is a store whose file is replaced when it is damaged.
type disposable struct {
	config config
	o      Options
	life   context.Context // ends with Close
	end    context.CancelFunc
	turn   chan struct{} // filled by the call that opens or replaces the file

	mu     sync.Mutex
	now    *Store // the present one; nil after a failure to open it
	closed bool
}

// openDisposable opens a file, or a new one in its place. Where nobody can lock
// the file beside it, as in a folder that may only be read, it stays where it is.
func (c config) openDisposable(ctx context.Context, o Options) (driver.Store, error) {
	if err := c.makeLock(); err != nil {
		return c.openStore(ctx)
	}
	d := &disposable{config: c, o: o, turn: make(chan struct{}, 1)}
	d.life, d.end = context.WithCancel(context.Background())
	if _, err := d.present(ctx, nil, nil); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// damaged tells whether SQLite itself cannot read the file. One that belongs to
// another program, or to a newer version, is not damaged.
func damaged(err error) bool {
	var e *sqlite.Error
	return errors.Is(err, driver.ErrCorrupt) && errors.As(err, &e)
}

// on makes a call, and once more if the file had to be replaced.
func on[R any](ctx context.Context, d *disposable, call func(*Store) (R, error)) (R, error) {
	var none R
	s, err := d.present(ctx, nil, nil)
	if err != nil {
		return none, err
	}
	r, err := call(s)
	switch {
	case damaged(err):
		s, err = d.present(ctx, s, err)
	case errors.Is(err, driver.ErrClosed): // because it is being replaced?
		s, err = d.present(ctx, nil, nil)
	default:
		return r, err
	}
	if err != nil {
		return none, err
	}
	return call(s)
}

// present returns the store; if that is bad, it replaces it.
func (d *disposable) present(ctx context.Context, bad *Store, why error) (*Store, error) {
	if s, err := d.known(bad); s != nil || err != nil {
		return s, err
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s, err := d.known(bad); s != nil || err != nil {
		return s, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	s, err := d.config.renew(ctx, &d.o, bad, why)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now = s; d.closed && s != nil {
		return nil, errors.Join(driver.ErrClosed, s.Close())
	}
	return s, err
}

// known returns the present store, nil if that is bad, or there is none.
func (d *disposable) known(bad *Store) (*Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, driver.ErrClosed
	case d.now == bad:
		return nil, nil //nolint:nilnil // there is none yet
	}
	return d.now, nil
}

// Get implements driver.Store.
func (d *disposable) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	return on(ctx, d, func(s *Store) (driver.Record, error) { return s.Get(ctx, key) })
}

// Put implements driver.Store.
func (d *disposable) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	return on(ctx, d, func(s *Store) (bool, error) { return s.Put(ctx, r, c) })
}

// Delete implements driver.Store.
func (d *disposable) Delete(ctx context.Context, key driver.Key, revision int64) (bool, error) {
	return on(ctx, d, func(s *Store) (bool, error) { return s.Delete(ctx, key, revision) })
}

// List implements driver.Store.
func (d *disposable) List(ctx context.Context, q driver.Query) ([]driver.Record, error) {
	return on(ctx, d, func(s *Store) ([]driver.Record, error) { return s.List(ctx, q) })
}

// DeleteExpired implements driver.Expirer.
func (d *disposable) DeleteExpired(ctx context.Context, space driver.Space, now int64, limit int) (int, error) {
	return on(ctx, d, func(s *Store) (int, error) { return s.DeleteExpired(ctx, space, now, limit) })
}

// Search implements driver.FullText.
func (d *disposable) Search(ctx context.Context, q driver.Query, terms []string) ([]driver.Hit, error) {
	return on(ctx, d, func(s *Store) ([]driver.Hit, error) { return s.Search(ctx, q, terms) })
}

// Revision implements driver.Reviser.
func (d *disposable) Revision(ctx context.Context) (int64, error) {
	return on(ctx, d, func(s *Store) (int64, error) { return s.Revision(ctx) })
}

// GetBatch implements driver.BatchGetter.
func (d *disposable) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	return on(ctx, d, func(s *Store) (map[driver.Key]driver.Record, error) { return s.GetBatch(ctx, keys) })
}

// PutBatch implements driver.BatchPutter.
func (d *disposable) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	return on(ctx, d, func(s *Store) ([]bool, error) { return s.PutBatch(ctx, records) })
}

// DeleteBatch implements driver.BatchDeleter.
func (d *disposable) DeleteBatch(ctx context.Context, refs []driver.Ref) ([]bool, error) {
	return on(ctx, d, func(s *Store) ([]bool, error) { return s.DeleteBatch(ctx, refs) })
}

// Touch implements driver.Toucher.
func (d *disposable) Touch(ctx context.Context, keys []driver.Key, at int64) error {
	_, err := on(ctx, d, func(s *Store) (struct{}, error) { return struct{}{}, s.Touch(ctx, keys, at) })
	return err
}

// Stats implements driver.Stater.
func (d *disposable) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	return on(ctx, d, func(s *Store) ([]driver.Stats, error) { return s.Stats(ctx, space) })
}

// Inspect implements driver.Inspector.
func (d *disposable) Inspect(ctx context.Context) (driver.Facts, error) {
	return on(ctx, d, func(s *Store) (driver.Facts, error) { return s.Inspect(ctx) })
}

// Close implements driver.Store.
func (d *disposable) Close() error {
	d.mu.Lock()
	s := d.now
	d.closed = true
	d.mu.Unlock()
	d.end()
	d.turn <- struct{}{} // whoever has it ends soon
	defer func() { <-d.turn }()
	if s == nil {
		return nil
	}
	return s.Close()
}
