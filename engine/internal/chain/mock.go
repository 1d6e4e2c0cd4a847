package chain

import (
	"context"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Mock returns what answers a call in the place of its action, or nil for a
// call that is to be made. inner tells calls that actions make from those of
// nodes. It is safe for concurrent use.
type Mock func(c *actions.Call, inner bool) func(ctx context.Context) (value.Value, error)

// mocked lets mocks answer. They stand in for actions, so that caches treat
// what they say as any other result, but nothing of it is recorded. real makes
// a call, caches is what stands around it but for the recording. The result of
// a run block is its update of the state.
func (l *links) mocked(inner bool, real actions.Handler, caches actions.Middleware) actions.Handler {
	if l.Mock == nil {
		return real
	}
	return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		answer := l.Mock(call, inner)
		if answer == nil {
			return real(ctx, call)
		}
		return caches(func(ctx context.Context, call *actions.Call) (actions.Result, error) {
			out, err := answer(ctx)
			if strings.HasPrefix(call.Action, "run.") {
				out = value.Object(value.M("update", out))
			}
			return actions.Result{Output: out}, err
		})(ctx, call)
	}
}
