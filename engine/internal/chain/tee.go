package chain

import (
	"context"
	"sync"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// tee notes the chunks of a call beside handing them on. The call may outlive
// its caller, who then gets no more of them.
type tee struct {
	sink func(actions.Chunk)
	now  func() time.Time

	mu     sync.Mutex
	ran    bool
	left   bool
	start  time.Time
	chunks []timed
}

// timed is a chunk with how long after the beginning it came.
type timed struct {
	data  value.Value
	after time.Duration
}

// run makes the call.
func (t *tee) run(ctx context.Context, call *actions.Call, next actions.Handler) (actions.Result, error) {
	t.mu.Lock()
	t.ran, t.start, t.chunks = true, t.now(), nil
	t.mu.Unlock()
	teed := *call
	teed.Sink = t.put
	return next(ctx, &teed)
}

func (t *tee) put(c actions.Chunk) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.chunks = append(t.chunks, timed{c.Data, max(0, t.now().Sub(t.start))})
	if !t.left && t.sink != nil {
		t.sink(c)
	}
}

// leave ends the handing on, and tells whether the call ran.
func (t *tee) leave() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = true
	return t.ran
}
