package bucketltm

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// open opens a store in an object, which it closes.
func open(ctx context.Context, c config, o object.Object, t clock) (_ driver.Store, err error) {
	work, err := openFolder(c)
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	s := &Store{config: c, clock: t, object: o, work: work, writer: rand.Text()}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.current = s.empty()
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if v := s.restore(ctx); v != nil {
		s.current = v
	}
	if err := s.sync(ctx); err != nil {
		return nil, s.callError(ctx, err)
	}
	s.wg.Go(func() { s.keep(s.ctx) })
	return s, nil
}

// restore returns the version that the last store kept a copy of, nil where
// there is none. Whether it is still what the bucket holds is not known.
func (s *Store) restore(ctx context.Context) *version {
	mark, path := s.work.restore(ctx)
	if path == "" {
		return nil
	}
	v, err := s.adopt(ctx, mark, path)
	if err != nil {
		return nil
	}
	return v
}

// keep keeps a copy of the current version for the next store, which does
// without it where that fails.
func (s *Store) keep(ctx context.Context) {
	v := s.acquire()
	defer s.release(v)
	if v.mark != "" && s.config.object.Scheme != "mem" {
		_ = s.work.keep(ctx, v.mark, v.path)
	}
}
