package ltmtest

import (
	"sync"
	"time"
)

// Clock is a clock that a test sets. It may be used concurrently.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at some time.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC)}
}

// Now returns what the clock says.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Add moves the clock on.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
