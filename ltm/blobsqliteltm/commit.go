package blobsqliteltm

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/sqliteltm"
)

const (
	// gather is how long a change waits for others to go with it.
	gather = 2 * time.Millisecond
	// mostOps is how many changes go together at most.
	mostOps = 1000
)

// op is a change that is not in the bucket yet. It is done on one version after
// another until one with it is pushed.
type op struct {
	ctx  context.Context
	do   func(context.Context, *sqliteltm.Store) result
	done chan struct{}
	// result is what came of it where it counts: set before done is closed.
	result result
}

// change has a change made and returns what came of it once it is in the bucket.
func (s *Store) change(ctx context.Context, do func(context.Context, *sqliteltm.Store) result) (result, error) {
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
		_ = s.clock.sleep(s.ctx, gather) // when it is closed, all fail at once
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
	b, err := r.build(ctx, base, ops, push)
	if err != nil {
		return nil, err
	}
	results := make(map[*op]result, len(ops))
	for i, o := range ops {
		results[o] = b.results[i]
	}
	if !b.changed {
		return results, errors.Join(r.confirm(ctx, base), b.close())
	}
	r.pushed[push] = results
	began := r.clock.now()
	mark, err := r.upload(ctx, b, base.mark)
	if err == nil {
		v := b.version
		v.mark = mark
		r.replace(base, &v, began)
		return results, nil
	}
	_ = b.close() // err says more
	if errors.Is(err, object.ErrDenied) {
		return nil, failPut(err)
	}
	return r.arrived(ctx, err)
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
	last, errLast := r.lastPush(ctx, v)
	if errLast != nil {
		return nil, errLast
	}
	if results, ok := r.pushed[last]; ok {
		return results, nil
	}
	return nil, err
}

func (s *Store) upload(ctx context.Context, b *build, known object.Mark) (object.Mark, error) {
	f, err := os.Open(b.path)
	if err != nil {
		return "", localError(err)
	}
	defer f.Close() //nolint:errcheck // only read from
	return s.object.Put(ctx, f, b.size, known)
}
