package utilactions_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	utilactions "github.com/tea-agents/tea/actions/util"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/value"
)

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := newAgent(t, func(e *actions.Env) {
		e.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
				if attr.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return attr
			},
		}))
	})
	a.Yields("log", `{"message": "half done", "data": {"step": 2, "n": 9007199254740993}}`, `{"success":true}`)
	a.Yields("log", `{"message": "careful", "level": "warning", "data": [1]}`, `{"success":true}`)
	a.Yields("log", `{"message": "unseen", "level": "debug"}`, `{"success":true}`)
	const want = "level=INFO msg=\"half done\" n=9007199254740993 step=2\n" +
		"level=WARN msg=careful data=[1]\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	a.Fails("log", `{"message": "x", "level": "warnig"}`, actions.CodeInvalidInput, `did you mean "warning"?`)
}

func TestSleep(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	start := a.Env.Clock.Now()
	a.Yields("sleep", `{"duration": "1h"}`, `{"success":true}`)
	a.Yields("sleep", `{"seconds": 1.5}`, `{"success":true}`)
	a.Yields("sleep", `{}`, `{"success":true}`)
	if slept := a.Env.Clock.Now().Sub(start); slept != time.Hour+1500*time.Millisecond {
		t.Errorf("slept %s", slept)
	}
	a.Fails("sleep", `{"seconds": 1, "duration": 1}`, actions.CodeInvalidInput, "not both")
	a.Fails("sleep", `{"seconds": -1}`, actions.CodeInvalidInput, "at least 0")
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(e *actions.Env) { e.Clock = actions.SystemClock{} })
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	_, err := a.Run(ctx, &actions.Call{Action: "sleep", Input: value.Must(map[string]any{"duration": "1h"})})
	if actions.CodeOf(err) != actions.CodeCanceled {
		t.Errorf("%v", err)
	}
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, utilactions.Actions(), change)
}
