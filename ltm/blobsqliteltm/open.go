package blobsqliteltm

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// Opener returns what opens the store that u names. The error says all that is
// wrong with u itself.
func Opener(u *url.URL) (func(context.Context) (driver.Store, error), error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (driver.Store, error) {
		o, err := object.Open(ctx, c.object, "application/vnd.sqlite3")
		if err != nil {
			return nil, fail(err)
		}
		return open(ctx, c, o, realClock())
	}, nil
}

// Open opens the store that u names: see Opener.
func Open(ctx context.Context, u *url.URL) (driver.Store, error) {
	open, err := Opener(u)
	if err != nil {
		return nil, err
	}
	return open(ctx)
}

// open opens a store in an object, which it closes.
func open(ctx context.Context, c config, o object.Object, t clock) (_ *Store, err error) {
	work, err := openFolder(c.cache, c.object)
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	s := &Store{config: c, clock: t, object: o, work: work, writer: rand.Text()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.current = work.restore(ctx); s.current == nil {
		if s.current, err = s.empty(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.sync(ctx); err != nil {
		return nil, s.callError(ctx, err)
	}
	s.keep()
	return s, nil
}

// keep keeps a copy of the current version for the next store, which does
// without it where that fails.
func (s *Store) keep() {
	if s.config.object.Scheme == "mem" {
		return
	}
	v := s.acquire()
	defer s.release(v)
	_ = s.work.keep(v)
}
