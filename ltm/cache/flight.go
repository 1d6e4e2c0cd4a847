package cache

import (
	"context"
	"errors"
	"sync"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// flights are the executions under way. Equal calls share one.
type flights struct {
	mu     sync.Mutex
	byKey  map[string]*flight
	landed uint64 // how many are over
}

// flight is one execution. It runs detached from those who wait for it, and is
// cancelled when the last of them leaves. It can be joined until its result is
// in the store, even though it is over before when the store is slow.
type flight struct {
	key     string
	waiters int
	cancel  context.CancelCauseFunc
	done    chan struct{}
	// What follows is set before done is closed.
	result  served
	broke   bool // by a panic or runtime.Goexit
	problem any  // of the panic
}

// served is what a call gets.
type served struct {
	value   value.Value
	outcome Outcome
	err     error
	// entry is what a lookup found under the key, be it of use or not.
	entry *ltm.Entry
	// storing is closed when the value is in the store; nil: it is, or it will
	// not be. Until then the store has nothing for equal calls.
	storing <-chan struct{}
}

// role is what a call is to a flight.
type role uint8

const (
	leads   role = iota // it has to start the flight
	follows             // it waits with others
	alone               // it must not wait: it runs on its own
)

// inFlight marks the context of a flight.
type inFlight struct{}

// count returns a number that changes whenever a flight is over.
func (s *flights) count() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.landed
}

// join finds or makes the flight of a key. A call from inside of a flight never
// waits for another one, or two could wait for each other.
func (s *flights) join(ctx context.Context, key string) (*flight, role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.byKey[key]; ok {
		if ctx.Value(inFlight{}) != nil && !f.over() {
			return nil, alone
		}
		f.waiters++
		return f, follows
	}
	return s.add(key), leads
}

// add makes a flight with one who waits; s is locked.
func (s *flights) add(key string) *flight {
	f := &flight{key: key, waiters: 1, done: make(chan struct{})}
	if s.byKey == nil {
		s.byKey = map[string]*flight{}
	}
	s.byKey[key] = f
	return f
}

// claim makes the flight of a key, which runs on even though nobody waits for
// it, or returns nil if there is one.
func (s *flights) claim(key string) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.byKey[key]; ok {
		return nil
	}
	return s.add(key)
}

// start runs the flight. ctx lends its values, not its end.
func (s *flights) start(ctx context.Context, f *flight, work func(context.Context) served) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f.cancel = cancel
	ctx = context.WithValue(ctx, inFlight{}, true)
	go func() {
		f.broke = true
		defer func() {
			if f.broke {
				f.problem = recover()
			}
			cancel(nil)
			s.finish(f)
		}()
		f.result = work(ctx)
		f.broke = false
	}()
}

// finish hands out the result. A result on its way to the store can be had for
// as long.
func (s *flights) finish(f *flight) {
	storing := f.result.storing
	if storing == nil {
		s.remove(f)
		close(f.done)
		return
	}
	close(f.done)
	<-storing
	s.remove(f)
}

// over tells whether the flight has its result.
func (f *flight) over() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// remove takes a flight out, so that nobody joins it any more.
func (s *flights) remove(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.landed++
	if s.byKey[f.key] == f {
		delete(s.byKey, f.key)
	}
}

// wait waits for a flight. Who leaves early, because ctx is over, gets the
// error of ctx; the last one to leave ends the flight and waits until it has
// ended, so that no work outlives its calls.
func (s *flights) wait(ctx context.Context, f *flight) served {
	select {
	case <-f.done:
		return f.land()
	case <-ctx.Done():
	}
	if !s.leave(f) {
		return served{err: ended(ctx)}
	}
	f.cancel(context.Cause(ctx))
	<-f.done
	result := f.land()
	if private(result.err) {
		result.err = ended(ctx)
	}
	return result
}

// leave takes one waiter off, and tells whether it was the last one.
func (s *flights) leave(f *flight) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.waiters--
	if f.waiters > 0 {
		return false
	}
	if s.byKey[f.key] == f {
		delete(s.byKey, f.key)
	}
	return true
}

// land returns the result. A panic in the flight goes on in everyone who waits,
// as if each had run the call itself.
func (f *flight) land() served {
	if !f.broke {
		return f.result
	}
	if f.problem != nil {
		panic(f.problem)
	}
	return served{err: errors.New("cache: the call ended its goroutine")}
}

// private tells whether an error is nobody's but that caller's whose context
// was cancelled or ran out of time.
func private(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// ended returns the error of a context that is over, and why it is.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}
	return errors.Join(ctx.Err(), cause)
}
