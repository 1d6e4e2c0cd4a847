package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/tea-agents/tea/actions"
)

// What deterministic runs have in place of chance.
const (
	paramSeed   = "seed"
	defaultSeed = 1
)

// standing is a clock that stands still, though sleep takes its time.
type standing struct{ real actions.Clock }

// Now is the same in every run: 2000-01-01T00:00:00Z.
func (standing) Now() time.Time { return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Sleep sleeps.
func (s standing) Sleep(ctx context.Context, d time.Duration) error { return s.real.Sleep(ctx, d) }

// clock is what actions and run blocks see.
func (e *Engine) clock() actions.Clock {
	if e.options.Deterministic {
		return standing{e.options.Clock}
	}
	return e.options.Clock
}

// randomness returns the random source of each call in a deterministic run,
// and nil otherwise.
func (e *Engine) randomness() func(callID string) func() float64 {
	if !e.options.Deterministic {
		return nil
	}
	return func(callID string) func() float64 {
		sum := sha256.Sum256([]byte(callID))
		source := mathrand.New(mathrand.NewPCG(binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:]))) //nolint:gosec // the source that is injected, seeded
		var mu sync.Mutex
		return func() float64 {
			mu.Lock()
			defer mu.Unlock()
			return source.Float64()
		}
	}
}
