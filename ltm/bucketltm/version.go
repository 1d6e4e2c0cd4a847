package bucketltm

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tea-agents/tea/internal/blob/object"
)

// version is a state of the object, in a local file that never changes while it
// is one. Store.mu guards what follows path.
type version struct {
	mark object.Mark // "" where there is no object
	path string      // of no file until it is opened, where mark is ""

	users   int
	file    File     // nil until somebody reads it
	opening *opening // nil when nobody does
}

// opening is a file that is being opened for all who wait for it.
type opening struct {
	done chan struct{}
	err  error // set before done is closed
}

// empty returns the version of an object that is not there.
func (s *Store) empty() *version { return &version{path: s.work.file()} }

// adopt makes a version of a file that came from outside, after checking it. It
// removes one that is none.
func (s *Store) adopt(ctx context.Context, mark object.Mark, path string) (*version, error) {
	err := s.config.engine.CheckFile(ctx, path)
	var f File
	if err == nil {
		f, err = s.config.engine.OpenFile(ctx, path)
	}
	if err != nil {
		_ = os.Remove(path) // err says more
		return nil, err
	}
	return &version{mark: mark, path: path, file: f}, nil
}

// fileOf returns the open file of a version that the caller has acquired.
func (s *Store) fileOf(ctx context.Context, v *version) (File, error) {
	for {
		s.mu.Lock()
		f, o := v.file, v.opening
		if f == nil && o == nil && !s.closed {
			o = &opening{done: make(chan struct{})}
			v.opening = o
			s.wg.Go(func() { s.openVersion(v, o) })
		}
		s.mu.Unlock()
		switch {
		case f != nil:
			return f, nil
		case o == nil:
			return nil, s.begin(ctx)
		}
		select {
		case <-o.done:
			if o.err != nil {
				return nil, o.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// openVersion opens the file of a version, which is in use until it is done.
func (s *Store) openVersion(v *version, o *opening) {
	f, err := s.config.engine.OpenFile(s.ctx, v.path)
	s.mu.Lock()
	v.opening, o.err = nil, err
	if err == nil {
		v.file = f
	}
	unused := v.users == 0 && v != s.current
	s.mu.Unlock()
	close(o.done)
	if unused {
		_ = v.close() // its users gave up
	}
}

// close removes the local file.
func (v *version) close() error {
	var err error
	if v.file != nil {
		err = v.file.Close()
	}
	return errors.Join(err, ignoreMissing(os.Remove(v.path)))
}

// acquire returns the current version. The caller releases it.
func (s *Store) acquire() *version {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.users++
	return s.current
}

// release gives a version back.
func (s *Store) release(v *version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.users--
	s.discard(v)
}

// replace makes v the current version if that is still old, else it discards v.
// What is current then was the bucket's state at that time or later.
func (s *Store) replace(old, v *version, at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != old {
		s.discard(v)
		return false
	}
	s.current, s.checked = v, at
	s.discard(old)
	return true
}

// discard closes a version that nobody will use any more, in the background:
// no call waits for that. The caller holds the lock.
func (s *Store) discard(v *version) {
	switch {
	case v.users > 0, v == s.current, v.opening != nil:
	case s.closed:
		_ = v.close() // Close has removed the file, or will
	default:
		s.wg.Go(func() { _ = v.close() }) // as above
	}
}
