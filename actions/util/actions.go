package utilactions

import (
	"context"
	"log/slog"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions log and sleep.
func Actions() []actions.Action {
	return []actions.Action{logLine(), sleep()}
}

type logInput struct {
	Message string      `json:"message" doc:"What to say."`
	Level   string      `json:"level" doc:"How much it matters." enum:"debug,info,warning,error" default:"info"`
	Data    value.Value `json:"data,omitempty" doc:"More to go with the message: an object gives a field per key."`
}

type done struct{}

func logLine() actions.Action {
	return actions.Define(actions.Spec{
		Name: "log", Version: 1, Effect: actions.Write,
		Summary: "Writes a line to the run's log, on standard error.",
		Examples: []actions.Example{{
			Title:  "Say something",
			YAML:   "- name: say\n  uses: log\n  with: {message: half done, data: {step: 2}}",
			Output: `{"success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in logInput) (done, error) {
		level := map[string]slog.Level{
			"debug": slog.LevelDebug, "info": slog.LevelInfo, "warning": slog.LevelWarn, "error": slog.LevelError,
		}[in.Level]
		var attrs []slog.Attr
		for key, v := range in.Data.Members() {
			attrs = append(attrs, slog.Any(key, v.Any()))
		}
		if !in.Data.IsNull() && in.Data.Kind() != value.KindObject {
			attrs = append(attrs, slog.Any("data", in.Data.Any()))
		}
		env.Log.LogAttrs(ctx, level, in.Message, attrs...)
		return done{}, nil
	})
}

type sleepInput struct {
	Duration time.Duration `json:"duration,omitempty" doc:"How long, such as 90s or 1h. Give either duration or seconds." min:"0s"`
	Seconds  float64       `json:"seconds,omitempty" doc:"How long, in seconds." min:"0" max:"31536000"`
}

func sleep() actions.Action {
	return actions.Define(actions.Spec{
		Name: "sleep", Version: 1, Effect: actions.Read,
		Summary: "Waits.",
		Doc:     "The end of the run or of the node's timeout ends the wait.",
		Examples: []actions.Example{{
			Title:  "Wait a moment",
			YAML:   "- name: wait\n  uses: sleep\n  with: {duration: 1ms}",
			Output: `{"success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in sleepInput) (done, error) {
		if in.Duration > 0 && in.Seconds > 0 {
			return done{}, actions.Errorf(actions.CodeInvalidInput, "give either duration or seconds, not both")
		}
		return done{}, env.Clock.Sleep(ctx, in.Duration+time.Duration(in.Seconds*float64(time.Second)))
	})
}
