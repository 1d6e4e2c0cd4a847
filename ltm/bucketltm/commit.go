package bucketltm

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// mostOps is how many changes go together at most.
const mostOps = 1000

// op is a change that is not in the bucket yet. It is done on one version after
// another until one with it is pushed.
type op struct {
	ctx  context.Context
	do   operation
	done chan struct{}
	// result is what came of it where it counts: set before done is closed.
	result result
}

// change has a change made and returns what came of it once it is in the bucket.
func (s *Store) change(ctx context.Context, do operation) (result, error) {
	if err := s.begin(ctx); err != nil {
		return result{}, err
	}
	if s.config.readOnly {
		return result{}, driver.ErrReadOnly
	}
	limited, cancel := context.WithTimeout(ctx, s.config.timeout)
	defer cancel()
	o := &op{ctx: limited, do: do, done: make(chan struct{})}
	if err := s.enqueue(o); err != nil {
		return result{}, err
	}
	select {
	case <-o.done:
	case <-limited.Done():
		select {
		case <-o.done: // just in time
		default:
			return result{}, s.callError(ctx, limited.Err())
		}
	}
	return o.result, s.callError(ctx, o.result.err)
}

// enqueue hands o to the goroutine that commits, which runs while there is
// something to do.
func (s *Store) enqueue(o *op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return driver.ErrClosed
	}
	s.pending = append(s.pending, o)
	if !s.committing {
		s.committing = true
		s.wg.Go(s.commitPending)
	}
	return nil
}

func (s *Store) commitPending() {
	for {
		s.mu.Lock()
		n := min(len(s.pending), mostOps)
		ops := s.pending[:n:n]
		s.pending = s.pending[n:]
		s.committing = n > 0
		s.mu.Unlock()
		if n == 0 {
			return
		}
		s.commit(ops)
	}
}

// commit commits changes, and answers each.
func (s *Store) commit(ops []*op) {
	ctx, cancel := together(s.ctx, ops)
	defer cancel()
	r := &round{Store: s, pushed: map[int64]map[*op]result{}}
	r.commit(ctx, ops)
}

// together returns a context that ends when those of all ops have.
func together(ctx context.Context, ops []*op) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	var left atomic.Int64
	left.Store(int64(len(ops)))
	stops := make([]func() bool, len(ops))
	for i, o := range ops {
		stops[i] = context.AfterFunc(o.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// round is the work to commit some changes.
type round struct {
	*Store
	// pushed is what came of the changes in each push that may have arrived.
	pushed map[int64]map[*op]result
}

func (r *round) commit(ctx context.Context, ops []*op) {
	troubles := 0
	for attempt := 1; ; attempt++ {
		if ops = live(ops); len(ops) == 0 {
			return
		}
		results, err := r.try(ctx, ops)
		switch {
		case err == nil:
			for _, o := range ops {
				o.answer(results[o])
			}
			return
		case errors.Is(err, errTooLarge) && len(ops) > 1: // some may fit
			r.commit(ctx, ops[:len(ops)/2])
			r.commit(ctx, ops[len(ops)/2:])
			return
		case errors.Is(err, object.ErrChanged):
		case final(err):
			troubles = attempts
		default:
			troubles++
		}
		if troubles >= attempts || r.clock.pause(ctx, attempt) != nil {
			for _, o := range ops {
				o.answer(result{err: fail(err)})
			}
			return
		}
	}
}

// live returns the changes that somebody waits for.
func live(ops []*op) []*op {
	var waiting []*op
	for _, o := range ops {
		if err := o.ctx.Err(); err != nil {
			o.answer(result{err: err})
		} else {
			waiting = append(waiting, o)
		}
	}
	return waiting
}

func (o *op) answer(r result) {
	o.result = r
	close(o.done)
}

// final tells whether no further attempt can help.
func final(err error) bool {
	return errors.Is(err, object.ErrDenied) || errors.Is(err, object.ErrConfig) ||
		known(err) && !errors.Is(err, driver.ErrUnavailable)
}

// try does the changes on the current version and pushes it. The error is
// object.ErrChanged when it was not the bucket's any more.
func (r *round) try(ctx context.Context, ops []*op) (map[*op]result, error) {
	base := r.acquire()
	defer r.release(base)
	r.pushes++
	push := r.pushes
	results, path, err := r.build(ctx, base, ops, push)
	if err == nil && path == "" {
		return results, r.confirm(ctx, base)
	}
	if err == nil {
		r.pushed[push] = results
		err = r.push(ctx, base, path)
		switch {
		case err == nil:
			return results, nil
		case errors.Is(err, object.ErrDenied), isFull(err): // it has not arrived
			err = failPut(err)
		default:
			results, err = r.arrived(ctx, err)
		}
	}
	r.dropDraft()
	if path != "" {
		_ = os.Remove(path) // err says more
	}
	return results, err
}

// push makes a file the object, and the current version, where base is both. The
// draft from which it was copied then is one of it.
func (r *round) push(ctx context.Context, base *version, path string) error {
	began := r.clock.now()
	mark, err := upload(ctx, r.object, path, base.mark)
	if err != nil {
		return err
	}
	v := &version{mark: mark, path: path}
	r.draft.base = v
	r.replace(base, v, began)
	return nil
}

// confirm tells whether base still is what the bucket holds: then what was found
// in it counts.
func (r *round) confirm(ctx context.Context, base *version) error {
	if err := r.sync(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != base {
		return object.ErrChanged
	}
	return nil
}

// arrived looks whether a push has arrived after all, one of which there was no
// answer or one that a lost answer made look late. Else it returns err.
func (r *round) arrived(ctx context.Context, err error) (map[*op]result, error) {
	if err := r.sync(ctx); err != nil {
		return nil, err
	}
	v := r.acquire()
	defer r.release(v)
	f, errLast := r.fileOf(ctx, v)
	if errLast != nil {
		return nil, errLast
	}
	last, errLast := f.Signed(ctx, r.writer)
	if errLast != nil {
		return nil, errLast
	}
	if results, ok := r.pushed[last]; ok {
		return results, nil
	}
	return nil, err
}

// upload makes a file the content of o.
func upload(ctx context.Context, o object.Object, path string, known object.Mark) (object.Mark, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", localError(err)
	}
	defer f.Close() //nolint:errcheck // only read from
	size, err := sizeOf(path)
	if err != nil {
		return "", err
	}
	return o.Put(ctx, f, size, known)
}
