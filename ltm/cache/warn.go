package cache

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// Warnings sees to it that a failing store is told of once: one for each run,
// which all of its calls bring along, on whatever Cache. It is safe for
// concurrent use and must not be copied.
type Warnings struct {
	// Log is where to; nil is the log of the Cache.
	Log *slog.Logger

	given atomic.Bool
}

// warn says that the store fails, if nobody was told yet.
func (c *Cache) warn(ctx context.Context, w *Warnings, err error) {
	if w == nil {
		w = &c.warnings
	}
	if !w.given.CompareAndSwap(false, true) {
		return
	}
	log := w.Log
	if log == nil {
		log = c.log
	}
	log.WarnContext(ctx, "cache: the store fails, so actions run uncached", "error", err)
}
