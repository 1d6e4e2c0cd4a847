package engine

import (
	"iter"
	"sync"

	"github.com/tea-agents/tea/engine/event"
)

// maxUnread is how many events are kept while nobody has begun to read.
const maxUnread = 10_000

// stream is a queue of events: a run never waits for a reader. It has no bounds
// once there is one; before, the oldest events make room.
type stream struct {
	mu     sync.Mutex
	more   *sync.Cond
	queue  []event.Event
	read   bool // whether anybody has begun to read
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
	if !s.read && len(s.queue) == maxUnread {
		s.drop()
	}
	s.queue = append(s.queue, e)
	s.more.Broadcast()
}

// drop removes the oldest event.
func (s *stream) drop() {
	s.queue[0] = event.Event{} // what it holds on to may be large
	s.queue = s.queue[1:]
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
	s.read = true
	for len(s.queue) == 0 && !s.closed {
		s.more.Wait()
	}
	if len(s.queue) == 0 {
		return event.Event{}, false
	}
	e := s.queue[0]
	s.drop()
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
