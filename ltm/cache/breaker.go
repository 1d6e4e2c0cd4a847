package cache

import (
	"sync"
	"time"
)

// breaker leaves a failing store alone: after a number of failures in a row it
// is open for a while, then lets one attempt through.
type breaker struct {
	now   func() time.Time
	after int           // failures in a row that open it
	rest  time.Duration // for how long

	mu       sync.Mutex
	failures int
	until    time.Time // open until then
}

// allows tells whether the store may be tried. Of several callers that ask when
// the rest is over, one gets through until it reports.
func (b *breaker) allows() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < b.after {
		return true
	}
	now := b.now()
	if now.Before(b.until) {
		return false
	}
	b.until = now.Add(b.rest)
	return true
}

// report tells the breaker how an attempt went.
func (b *breaker) report(ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		b.failures = 0
		return
	}
	if b.failures++; b.failures >= b.after {
		b.until = b.now().Add(b.rest)
	}
}
