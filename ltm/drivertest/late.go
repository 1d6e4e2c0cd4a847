package drivertest

import (
	"context"
	"time"
)

// Grace is how long after the end of its context a call may return.
const Grace = 250 * time.Millisecond

// Late makes a call with a context that ends by itself, and tells how much later
// than the end it returned. The end is when a goroutine that only waits for it
// has noticed: what a busy machine takes for that is not the call's fault.
func Late(ctx context.Context, call func(context.Context) error) (late time.Duration, err error) {
	noticed := make(chan time.Time, 1)
	stop := context.AfterFunc(ctx, func() { noticed <- time.Now() })
	err = call(ctx)
	returned := time.Now()
	if stop() { // it has not ended yet
		return 0, err
	}
	return max(0, returned.Sub(<-noticed)), err
}
