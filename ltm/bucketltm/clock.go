package bucketltm

import (
	"context"
	"math/rand/v2"
	"time"
)

// clock is time and chance.
type clock struct {
	now    func() time.Time
	sleep  func(ctx context.Context, d time.Duration) error
	chance func() float64 // from 0 to 1
}

func realClock() clock {
	return clock{now: time.Now, sleep: sleep, chance: rand.Float64} //nolint:forbidigo // the default of an injected clock
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d) //nolint:forbidigo // the default of an injected clock
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const (
	firstPause = 8 * time.Millisecond // at most; doubled from one attempt to the next
	mostPause  = 500 * time.Millisecond
)

// pause lets pass a random time before the attempt after one of that number.
func (c *clock) pause(ctx context.Context, attempt int) error {
	longest := min(firstPause<<min(attempt, 10), mostPause)
	return c.sleep(ctx, time.Duration(c.chance()*float64(longest)))
}
