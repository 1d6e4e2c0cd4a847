package engine

import (
	"iter"
	"sync"

	"github.com/tea-agents/tea/engine/event"
)

// stream is a queue of events without bounds: a run never waits for a reader.
type stream struct {
	mu     sync.Mutex
	more   *sync.Cond
	queue  []event.Event
	closed bool
}

func newStream() *stream {
	s := &stream{}
	s.more = sync.NewCond(&s.mu)
	return s
}

// put adds an event.
func (s *stream) put(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, e)
	s.more.Broadcast()
}

// close lets readers end once they have read everything.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.more.Broadcast()
}

// take removes the oldest event, waiting for one; it is false at the end.
func (s *stream) take() (event.Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.closed {
		s.more.Wait()
	}
	if len(s.queue) == 0 {
		return event.Event{}, false
	}
	e := s.queue[0]
	s.queue = s.queue[1:]
	return e, true
}

// all takes events until the end.
func (s *stream) all() iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for {
			e, ok := s.take()
			if !ok || !yield(e) {
				return
			}
		}
	}
}
