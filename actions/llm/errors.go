package llmactions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
)

// errTimeout is the cause of a call's end by its own timeout.
var errTimeout = errors.New("the call's timeout")

// coded gives an error of package llm the code of the same name.
func coded(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*actions.Error](err); ok {
		return err // of a transport that replays
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err
	}
	code := actions.Code(e.Kind)
	if !slices.Contains(actions.Codes(), code) {
		code = actions.CodeFailed
	}
	return &actions.Error{Code: code, Message: err.Error(), RetryAfter: e.RetryAfter, Err: err}
}

// wrong says what cannot be used.
func wrong(format string, args ...any) error {
	return actions.Errorf(actions.CodeInvalidInput, format, args...)
}

// within calls a model, bounded by the endpoint's timeout, and says what failed
// where.
func within(ctx context.Context, e endpoint[string], call func(context.Context) error) error {
	bounded, cancel := context.WithTimeoutCause(ctx, e.Timeout, errTimeout)
	defer cancel()
	err := call(bounded)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(context.Cause(bounded), errTimeout):
		return actions.Errorf(actions.CodeTimeout, "%s: no whole answer within %s", e.name(), e.Timeout.Round(time.Millisecond))
	}
	return coded(err)
}

// name is the endpoint in words.
func (e endpoint[T]) name() string {
	if e.Model == "" {
		return e.Provider
	}
	return e.Provider + " " + e.Model
}

// beginning returns the first words of a text, for a message.
func beginning(s string) string {
	const most = 200
	words := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " "))
	if len(words) > most {
		return string(words[:most]) + "…"
	}
	return string(words)
}
