package actions

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

const successKey = "success"

// Handle runs the action: it resolves secrets (unless the effect is Compose,
// which passes them on), decodes the input, runs the body with env bound to c,
// and encodes the result, which is JSON and, if an object, says success: true
// unless it says otherwise or tells of an error. Errors are of type [*Error]: a panic becomes one
// with the code internal, the end of ctx one with the code timeout or canceled
// and the cause, any other error without a code one with the code failed.
func (a Action) Handle(ctx context.Context, env Env, c *Call) (Result, error) {
	var meta Meta
	env = env.forCall(c)
	env.Keep = func(raw []byte) { meta.Raw = raw }
	out, err := a.handle(ctx, env, c)
	if err != nil {
		return Result{}, a.classify(ctx, err)
	}
	out = withSuccess(out)
	if err := out.Check(); err != nil {
		return Result{}, Errorf(CodeFailed, "the result of %s is not JSON: %w", a.spec.Name, err)
	}
	return Result{Output: out, Meta: meta}, nil
}

// withSuccess adds success: true to a result that is an object and says nothing
// of its own: neither success nor error.
func withSuccess(out value.Value) value.Value {
	_, says := out.Get(successKey)
	if out.Kind() != value.KindObject || says || !out.At("error").IsNull() {
		return out
	}
	return out.With(successKey, value.Bool(true))
}

func (a Action) handle(ctx context.Context, env Env, c *Call) (out value.Value, err error) {
	if a.body == nil || a.err != nil {
		return value.Null(), Errorf(CodeInternal, "action %q is not properly declared", a.spec.Name)
	}
	if ctx.Err() != nil {
		return value.Null(), ctx.Err()
	}
	input, private, err := a.input(env, c)
	if err != nil {
		return value.Null(), err
	}
	defer func() {
		if p := recover(); p != nil {
			env.Log.DebugContext(ctx, "an action panicked",
				"action", a.spec.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = Errorf(CodeInternal, "action %s panicked: %v", a.spec.Name, p)
		}
	}()
	return a.body(ctx, env, input, schema.Options{Late: c.Late, Private: private})
}

// input returns the call's input as an object with its secrets resolved, and
// whether there were any.
func (a Action) input(env Env, c *Call) (input value.Value, private bool, err error) {
	input = c.Input
	switch {
	case input.IsNull():
		return value.Object(), false, nil
	case input.Kind() != value.KindObject:
		return input, false, Errorf(CodeInvalidInput, "the input of %s must be an object, got a %s",
			a.spec.Name, input.Kind())
	case a.spec.Effect == Compose:
		return input, false, nil
	}
	if names := value.SecretNames(input); a.spec.Keeps && len(names) > 0 {
		return input, true, Errorf(CodeInvalidInput, "%s keeps what it is given beyond the run, so it takes no secret (%s)",
			a.spec.Name, strings.Join(names, ", "))
	}
	resolved, err := value.Resolve(input, func(name string) (string, error) {
		private = true
		text, err := env.Secrets(name)
		var coded *Error
		if err != nil && !errors.As(err, &coded) {
			err = Errorf(CodeCredentialMissing, "secret %q: %w", name, err)
		}
		return text, err
	})
	return resolved, private, err
}

// classify turns what the body returned into an *Error.
func (a Action) classify(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
		return contextError(ctx, a.spec.Name)
	}
	var problems schema.Problems
	var coded *Error
	switch {
	case errors.As(err, &coded):
		if err == error(coded) { //nolint:errorlint // whether it is the outermost
			return err
		}
		return &Error{Code: coded.Code, Message: err.Error(), RetryAfter: coded.RetryAfter, Err: err}
	case errors.As(err, &problems):
		return &Error{Code: CodeInvalidInput, Message: a.spec.Name + ": " + err.Error(), Err: err}
	default:
		return &Error{Code: CodeOf(err), Message: err.Error(), Err: err}
	}
}
