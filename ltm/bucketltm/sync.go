package bucketltm

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// attempts is how often a call to the bucket that fails is made.
const attempts = 4

// check is a question whether the bucket holds what the store knows, asked for
// all who wait for the answer.
type check struct {
	began   time.Time
	done    chan struct{}
	err     error // set before done is closed
	waiters int   // guarded by Store.mu
	ctx     context.Context
	cancel  context.CancelFunc
}

// view returns a version that is young enough to be read. The caller releases
// it.
func (s *Store) view(ctx context.Context) (*version, error) {
	if v := s.young(); v != nil {
		return v, nil
	}
	if err := s.ask(ctx, s.config.staleness); err != nil {
		return nil, err
	}
	return s.acquire(), nil
}

// sync sees to it that the current version is one that the bucket held after
// the beginning of the call.
func (s *Store) sync(ctx context.Context) error { return s.ask(ctx, 0) }

// young returns the current version if it need not be checked.
func (s *Store) young() *version {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.config.staleness == 0 || s.clock.now().Sub(s.checked) >= s.config.staleness {
		return nil
	}
	s.current.users++
	return s.current
}

// ask waits for a check that began no longer ago than within.
func (s *Store) ask(ctx context.Context, within time.Duration) error {
	c, err := s.join(within)
	if err != nil {
		return err
	}
	defer s.leave(c)
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join returns a check to wait for.
func (s *Store) join(within time.Duration) (*check, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, driver.ErrClosed
	}
	c := s.running
	if c != nil && (within == 0 || s.clock.now().Sub(c.began) >= within) {
		c = s.next
	}
	if c == nil {
		c = &check{done: make(chan struct{})}
		c.ctx, c.cancel = context.WithTimeout(s.ctx, s.config.timeout)
		if s.running == nil {
			s.start(c)
		} else {
			s.next = c
		}
	}
	c.waiters++
	return c, nil
}

// leave ends a check that nobody waits for any more.
func (s *Store) leave(c *check) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.waiters--
	if c.waiters > 0 {
		return
	}
	c.cancel()
	switch c { // whoever comes now needs another one
	case s.next:
		s.next = nil
	case s.running:
		s.running = nil
		if s.next != nil {
			s.start(s.next)
			s.next = nil
		}
	}
}

// start begins a check. The caller holds the lock.
func (s *Store) start(c *check) {
	if s.closed {
		c.err = driver.ErrClosed
		close(c.done)
		return
	}
	s.running, c.began = c, s.clock.now()
	s.wg.Go(func() {
		c.err = s.pull(c.ctx)
		c.cancel()
		s.mu.Lock()
		if s.running == c {
			s.running = nil
			if s.next != nil {
				s.start(s.next)
				s.next = nil
			}
		}
		s.mu.Unlock()
		close(c.done)
	})
}

// pull makes what the bucket holds the current version.
func (s *Store) pull(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		ok, err := s.tryPull(ctx)
		switch {
		case ok:
			return nil
		case err == nil:
			attempt = 0 // the store itself has changed the object meanwhile
		case attempt >= attempts, ctx.Err() != nil, known(err), errors.Is(err, object.ErrDenied), errors.Is(err, object.ErrConfig):
			return fail(err)
		}
		if err := s.clock.pause(ctx, attempt); err != nil {
			return err
		}
	}
}

// tryPull is pull, once. It is not ok when it cannot tell what is newer, what it
// got or what the store has pushed meanwhile.
func (s *Store) tryPull(ctx context.Context) (ok bool, err error) {
	base, began := s.acquire(), s.clock.now()
	defer s.release(base)
	path := s.work.file()
	mark, err := s.download(ctx, path, base.mark)
	var v *version
	switch {
	case errors.Is(err, object.ErrSame), errors.Is(err, object.ErrMissing) && base.mark == "":
		s.mu.Lock()
		if s.checked.Before(began) {
			s.checked = began
		}
		s.mu.Unlock()
		return true, ignoreMissing(os.Remove(path))
	case errors.Is(err, object.ErrMissing):
		_ = os.Remove(path) // it holds nothing
		v = s.empty()
	case err != nil:
		_ = os.Remove(path) // err says more
		return false, err
	default:
		v, err = s.adopt(ctx, mark, path)
		if damaged(err) {
			v, err = s.renew(ctx, mark, err)
		}
		if v == nil || err != nil {
			return false, err
		}
	}
	if s.replace(base, v, began) {
		return true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.mark == v.mark, nil
}

func (s *Store) download(ctx context.Context, path string, known object.Mark) (object.Mark, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", localError(err)
	}
	mark, err := s.object.Get(ctx, known, f)
	if closing := f.Close(); err == nil && closing != nil {
		return "", localError(closing)
	}
	if err != nil && isFull(err) {
		return "", localError(err)
	}
	return mark, err
}
