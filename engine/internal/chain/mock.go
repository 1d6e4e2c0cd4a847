package chain

import (
	"context"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Mock stands in for calls: it returns the result of those that it answers,
// and false for all others. It is safe for concurrent use.
type Mock func(ctx context.Context, c *actions.Call) (result value.Value, ok bool, err error)

// mocked lets a mock answer, in the place of a recording. The result of a run
// block is its update of the state.
func (l *links) mocked(next actions.Handler) actions.Handler {
	if l.Mock == nil {
		return next
	}
	return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		out, ok, err := l.Mock(ctx, call)
		if !ok && err == nil {
			return next(ctx, call)
		}
		if strings.HasPrefix(call.Action, "run.") {
			out = value.Object(value.M("update", out))
		}
		return actions.Result{Output: out}, err
	}
}
