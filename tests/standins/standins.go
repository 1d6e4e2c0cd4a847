// Package standins holds what the txtar stories need in the place of the world:
// actions that count, fail or take their time, and a way to the services that a
// story starts.
//
// Every call adds a line with the action's name to the file that the
// environment variable STANDIN_CALLS names, so that a story can tell across
// processes how often an action really ran.
package standins

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Actions returns the stand-ins.
func Actions() []actions.Action {
	return []actions.Action{counted(), fail(), slow(), failure()}
}

// note records a call and returns how many there have been.
func note(name string) (int64, error) {
	path := os.Getenv("STANDIN_CALLS")
	if path == "" {
		return 0, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	if _, err = f.WriteString(name + "\n"); err != nil {
		return 0, err
	}
	if err = f.Close(); err != nil {
		return 0, err
	}
	all, err := os.ReadFile(path)
	return int64(strings.Count(string(all), "\n")), err
}

type countInput struct {
	Value value.Value `json:"value,omitempty" doc:"Comes back as it is."`
	File  string      `json:"file,omitempty" doc:"A file that the call is about."`
	Other value.Value `json:"other,omitempty" doc:"Another argument."`
}

// counted returns how often stand-ins have run so far.
func counted() actions.Action {
	return actions.Define(actions.Spec{Name: "test.count", Version: 1, Summary: "Counts its calls."},
		func(_ context.Context, _ actions.Env, in countInput) (value.Value, error) {
			n, err := note("test.count")
			return value.Object(value.M("n", value.Int(n)), value.M("value", in.Value)), err
		})
}

type failInput struct {
	Code    string `json:"code" doc:"The error's code." default:"failed"`
	Message string `json:"message" doc:"The error's text." default:"it broke"`
}

// fail fails.
func fail() actions.Action {
	return actions.Define(actions.Spec{Name: "test.fail", Version: 1, Summary: "Fails."},
		func(_ context.Context, _ actions.Env, in failInput) (value.Value, error) {
			if _, err := note("test.fail"); err != nil {
				return value.Value{}, err
			}
			return value.Value{}, actions.Errorf(actions.Code(in.Code), "%s", in.Message)
		})
}

type slowInput struct {
	Duration time.Duration `json:"duration" doc:"How long it takes." default:"200ms"`
}

// slow takes its time.
func slow() actions.Action {
	return actions.Define(actions.Spec{Name: "test.slow", Version: 1, Summary: "Takes its time."},
		func(ctx context.Context, env actions.Env, in slowInput) (value.Value, error) {
			n, err := note("test.slow")
			if err == nil {
				err = env.Clock.Sleep(ctx, in.Duration)
			}
			return value.Object(value.M("n", value.Int(n))), err
		})
}

type failureInput struct {
	Result value.Value `json:"result" doc:"The result."`
}

// failure returns what it is given, such as a failure that is not an error.
func failure() actions.Action {
	return actions.Define(actions.Spec{Name: "test.result", Version: 1, Summary: "Returns what it is given."},
		func(_ context.Context, _ actions.Env, in failureInput) (value.Value, error) {
			_, err := note("test.result")
			return in.Result, err
		})
}
