package actions

import (
	"context"
	"time"
)

// Clock tells the time and waits. It is safe for concurrent use.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// Sleep waits for d, or until ctx is done, whose cause it then returns. It
	// returns at once when d is not positive and ctx is not done.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time {
	return time.Now() //nolint:forbidigo // this is the clock that is injected
}

// Sleep implements Clock.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d) //nolint:forbidigo // this is the clock that is injected
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
