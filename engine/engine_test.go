package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

func TestRunToTheEnd(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	o := run(t, e, `
name: greeter
variables: {greeting: hello}
input_schema: {who: str, times: {type: int, default: 1}}
output_schema: {text: "{{ state.out.said }}"}
initial_state: {mark: "!"}
nodes:
  - name: greet
    uses: t.echo
    with: {in: "{{ variables.greeting }} {{ state.who }}{{ state.mark }} {{ state.times }}"}
    output: out
`, map[string]any{"who": "you"})
	if o.err != nil {
		t.Fatal(o.err)
	}
	if got, want := o.Output.String(), `{"text":"hello you! 1"}`; got != want {
		t.Errorf("output %s, want %s", got, want)
	}
	if o.Stats.Nodes != 1 {
		t.Errorf("stats %+v, want one node", o.Stats)
	}
	if got, want := o.types(), "run_started node_started node_finished route_taken run_finished"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	for i, ev := range o.events {
		if ev.Seq != int64(i+1) || ev.Run != "r1" || ev.Time.IsZero() {
			t.Errorf("event %d is %+v", i, ev)
		}
	}
}

func TestWithoutOutputSchemaTheStateIsTheOutput(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	o := run(t, e, "- {name: a, uses: t.echo, with: {in: 1}}", map[string]any{"x": 1})
	if o.err != nil || !value.Equal(o.Output, o.State) || o.State.At("x").IsNull() {
		t.Errorf("output %s, state %s, error %v", o.Output, o.State, o.err)
	}
}

func TestLoadSaysAllThatIsWrong(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	_, err := e.LoadBytes("bad.yaml", []byte("nodes:\n  - {name: a, uses: t.ecoh}\n  - {name: a, uses: t.echo, with: {im: 1}}\n"))
	var problems diag.List
	if !errors.As(err, &problems) || len(problems) < 3 {
		t.Fatalf("error %v, want three problems", err)
	}
	if engine.ExitCode(err) != 1 {
		t.Errorf("exit code %d, want 1", engine.ExitCode(err))
	}
}

func TestStartRefusesInput(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	a := load(t, e, "input_schema: {n: {type: int, required: true}}\nnodes: [{name: a, uses: t.echo}]")
	for _, input := range []any{nil, map[string]any{"n": "many"}, []any{1}} {
		_, err := e.Start(t.Context(), a, value.Must(input), nil)
		if actions.CodeOf(err) != actions.CodeInvalidInput {
			t.Errorf("%v: error %v, want invalid_input", input, err)
		}
	}
}

// A key of the initial state counts as given, and is none of a closed schema's
// business when it is not declared.
func TestInputOverInitialState(t *testing.T) {
	t.Parallel()
	const agent = "initial_state: {n: '3', log: []}\ninput_schema: {type: object, required: [n], additionalProperties: false,\n" +
		"  properties: {n: {type: integer}}}\nnodes: [{name: a, uses: t.echo, output: out}]"
	e, _ := newEngine(t, nil)
	for input, want := range map[string]string{`{}`: `[3,[]]`, `{"n":"4"}`: `[4,[]]`} {
		v, err := value.Parse([]byte(input))
		if err != nil {
			t.Fatal(err)
		}
		o := run(t, e, agent, v)
		if got := value.List(o.State.At("n"), o.State.At("log")).String(); o.err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", input, got, o.err, want)
		}
	}
	_, err := e.Start(t.Context(), load(t, e, agent), value.Must(map[string]any{"log": 1}), nil)
	if err == nil || !strings.Contains(err.Error(), "additional properties 'log' not allowed") {
		t.Errorf("error %v", err)
	}
}

func TestFailureNamesNodeAndKeepsState(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	o := run(t, e, "- {name: a, uses: t.echo, with: {in: 1}}\n- {name: b, uses: t.fail, with: {in: there}}", nil)
	var failure *engine.NodeError
	if !errors.As(o.err, &failure) || failure.Node != "b" || failure.Code != actions.CodeUnavailable {
		t.Fatalf("error %v", o.err)
	}
	if o.State.At("said").IsNull() || !o.Output.IsNull() {
		t.Errorf("state %s, output %s", o.State, o.Output)
	}
	last, ok := o.events[len(o.events)-1].Body.(event.RunFinished)
	if !ok || last.Node != "b" || last.Error == nil || last.Error.Message != "no answer from there" {
		t.Errorf("the last event is %+v", last)
	}
	if last.State == nil || !value.Equal(*last.State, o.State) || last.Output != nil {
		t.Errorf("the last event has the state %s, want %s and no output", last.State, o.State)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for want, err := range map[int]error{
		0:   nil,
		1:   errors.New("any"),
		3:   fmt.Errorf("memory: %w", ltm.ErrConfig),
		4:   actions.Errorf(actions.CodeCredentialMissing, "no key"),
		6:   &engine.NodeError{Node: "a", Err: actions.Errorf(actions.CodeReplayMiss, "miss")},
		70:  actions.Errorf(actions.CodeInternal, "ours"),
		124: fmt.Errorf("x: %w", engine.ErrRunTimeout),
		130: context.Canceled,
		143: actions.Errorf(actions.CodeCanceled, "canceled: %w", &engine.SignalError{Name: "terminated", Number: 15}),
	} {
		if got := engine.ExitCode(err); got != want {
			t.Errorf("%v: exit code %d, want %d", err, got, want)
		}
	}
}

func TestPanicIsOurFault(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	o := run(t, e, "- {name: a, uses: t.panic}", nil)
	if engine.ExitCode(o.err) != 70 || !strings.Contains(o.err.Error(), "ouch") {
		t.Errorf("error %v, exit code %d", o.err, engine.ExitCode(o.err))
	}
}

func TestRunTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _ := newEngine(t, nil)
		o := run(t, e, "settings: {limits: {run_timeout: 90s}}\nnodes: [{name: a, uses: t.echo, with: {in: 1}}, {name: b, uses: t.wait}]", nil)
		if !errors.Is(o.err, engine.ErrRunTimeout) || engine.ExitCode(o.err) != 124 {
			t.Errorf("error %v, exit code %d", o.err, engine.ExitCode(o.err))
		}
		if o.Stats.Duration != 90*time.Second || o.State.At("said").IsNull() {
			t.Errorf("after %s with state %s", o.Stats.Duration, o.State)
		}
	})
}

func TestCancelCarriesItsCause(t *testing.T) {
	t.Parallel()
	signal := &engine.SignalError{Name: "terminated", Number: 15}
	for name, stop := range map[string]func(context.CancelCauseFunc, *engine.Run){
		"run":     func(_ context.CancelCauseFunc, r *engine.Run) { r.Cancel(signal) },
		"context": func(cancel context.CancelCauseFunc, _ *engine.Run) { cancel(signal) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, _ := newEngine(t, nil)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				a := load(t, e, "- {name: a, uses: t.echo, with: {in: 1}}\n- {name: b, uses: t.wait, on_error: result}")
				r, err := e.Start(ctx, a, value.Null(), nil)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				stop(cancel, r)
				o := wait(t, r)
				if !errors.Is(o.err, signal) || engine.ExitCode(o.err) != 143 {
					t.Errorf("error %v, exit code %d", o.err, engine.ExitCode(o.err))
				}
				if o.State.At("said").IsNull() {
					t.Errorf("the state is lost: %s", o.State)
				}
			})
		})
	}
}

// A call that does not heed its context is left behind after a moment.
func TestDeafCallDoesNotHoldTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		e, _ := newEngine(t, func(o *engine.Options) {
			o.Actions = append(o.Actions, act("t.deaf", actions.Read,
				func(context.Context, actions.Env, value.Value) (value.Value, error) {
					<-hold
					return value.Object(), nil
				}))
		})
		r, err := e.Start(t.Context(), load(t, e, "- {name: a, uses: t.deaf}"), value.Null(), nil)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.Cancel(nil)
		if o := wait(t, r); engine.ExitCode(o.err) != 130 {
			t.Errorf("error %v, exit code %d", o.err, engine.ExitCode(o.err))
		}
		close(hold)
	})
}

func TestNodeCache(t *testing.T) {
	t.Parallel()
	e, calls := newEngine(t, nil)
	const nodes = "- {name: a, uses: t.count, with: {in: '{{ state.q }}'}, cache: 1h}"
	for i, c := range []struct {
		q            string
		n            int64
		hits, misses int
		status       string
	}{{"x", 1, 0, 1, "miss"}, {"x", 1, 1, 0, "hit"}, {"y", 2, 0, 1, "miss"}} {
		o := run(t, e, nodes, map[string]any{"q": c.q})
		if n, _ := o.State.At("n").AsInt(); o.err != nil || n != c.n || o.Stats.Hits != c.hits || o.Stats.Misses != c.misses {
			t.Errorf("run %d: state %s, stats %+v, error %v", i, o.State, o.Stats, o.err)
		}
		if text := eventText(t, o, "node_finished"); !strings.Contains(text, `"cache":{"status":"`+c.status+`"`) {
			t.Errorf("run %d: node_finished is %s", i, text)
		}
	}
	if calls.Load() != 2 {
		t.Errorf("the action ran %d times, want 2", calls.Load())
	}
}

func eventText(t *testing.T, o outcome, typ string) string {
	t.Helper()
	for _, ev := range o.events {
		if ev.Body.Type() != typ {
			continue
		}
		data, err := json.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return ""
}

func TestCacheModePrecedence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		option, fallback, settings, node string
		ran                              int64
	}{
		"the node's own":           {"", "", "", "true", 1},
		"default off":              {"", "off", "", "true", 2},
		"settings before default":  {"", "off", "mode: both", "true", 1},
		"option before settings":   {"off", "", "mode: both", "true", 2},
		"write never serves":       {"write", "", "", "true", 2},
		"settings may turn it off": {"", "", "mode: 'off'", "true", 2},
		"settings, the other way":  {"", "", "cache_enabled: false", "true", 2},
		"settings may turn it on":  {"", "off", "cache_enabled: true", "true", 1},
		"node before settings":     {"", "", "mode: 'off'", "{mode: both}", 1},
		"option bounds the node":   {"write", "", "", "{mode: both}", 2},
		"option adds nothing":      {"both", "", "", "{mode: write}", 2},
		"default bounds the node":  {"", "off", "", "{mode: both}", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, calls := newEngine(t, func(o *engine.Options) { o.Cache, o.DefaultCache = c.option, c.fallback })
			for range 2 {
				if o := run(t, e, "name: x\nsettings: {cache: {"+c.settings+"}}\nnodes:\n  - {name: a, uses: t.count, cache: "+c.node+"}", nil); o.err != nil {
					t.Fatal(o.err)
				}
			}
			if calls.Load() != c.ran {
				t.Errorf("ran %d times, want %d", calls.Load(), c.ran)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, err := engine.New(&engine.Options{Cache: "bth", Actions: []actions.Action{{}}})
	if err == nil || !strings.Contains(err.Error(), `"bth"`) || !strings.Contains(err.Error(), "Define") {
		t.Errorf("error %v, want both problems", err)
	}
	if engine.ExitCode(err) != 3 {
		t.Errorf("exit code %d, want 3", engine.ExitCode(err))
	}
}

func TestSecretsAreMaskedEverywhere(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e, _ := newEngine(t, func(o *engine.Options) {
		o.Getenv = func(name string) (string, bool) { return "s3cr3t!", name == "KEY" }
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		o.Actions = append(o.Actions, act("t.leak", actions.Read,
			func(_ context.Context, env actions.Env, in value.Value) (value.Value, error) {
				env.Log.Warn("got " + in.Text())
				env.Sink(actions.Chunk{Data: in})
				return value.Object(value.M("leak", in)), nil
			}))
	})
	o := run(t, e, "secrets: [KEY]\nnodes:\n  - {name: a, uses: t.leak, with: {in: 'k={{ secrets.KEY }}'}}\n"+
		"  - {name: b, uses: t.fail, with: {in: '{{ secrets.KEY }}'}}", nil)
	if got := o.State.At("leak").Text(); got != "k=***" {
		t.Errorf("state has %q", got)
	}
	text := log.String() + o.err.Error()
	for _, ev := range o.events {
		data, err := json.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		text += string(data)
	}
	if strings.Contains(text, "s3cr3t") || strings.Count(text, "***") < 4 {
		t.Errorf("told: %s", text)
	}
	if !strings.Contains(o.types(), "log chunk") {
		t.Errorf("events %s, want log and chunk", o.types())
	}
}

func TestMissingSecret(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, func(o *engine.Options) {
		o.Getenv = func(string) (string, bool) { return "", false }
	})
	o := run(t, e, "secrets: [KEY]\nnodes: [{name: a, uses: t.echo, with: {in: '{{ secrets.KEY }}'}}]", nil)
	if engine.ExitCode(o.err) != 4 || !strings.Contains(o.err.Error(), "KEY") {
		t.Errorf("error %v, exit code %d", o.err, engine.ExitCode(o.err))
	}
}

func TestTemplateErrorPointsIntoTheFile(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	o := run(t, e, "name: a\nnodes:\n  - name: a\n    uses: t.echo\n    with: {in: 'x {{ state.missing }}'}", nil)
	if actions.CodeOf(o.err) != actions.CodeFailed || !strings.Contains(o.err.Error(), "agent.yaml:5:") {
		t.Errorf("error %v", o.err)
	}
}

// A program that never reads does not collect events for ever.
func TestUnreadEventsAreBounded(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	r, err := e.Start(t.Context(), load(t, e, "- name: a\n  type: while_loop\n  condition: 'true'\n  max_iterations: 100\n  body:\n"+
		"    - {type: while_loop, condition: 'true', max_iterations: 60, body: [{uses: t.echo}]}"), value.Null(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(); err != nil {
		t.Fatal(err)
	}
	var events []event.Event
	for ev := range r.Events() {
		events = append(events, ev)
	}
	if n := len(events); n != 10_000 || events[n-1].Body.Type() != "run_finished" || events[n-1].Seq-events[0].Seq != 9_999 {
		t.Errorf("%d events from %d to %d, want the last 10,000", n, events[0].Seq, events[n-1].Seq)
	}
}

func TestEventsMayBeReadLateOrNever(t *testing.T) {
	t.Parallel()
	e, _ := newEngine(t, nil)
	r, err := e.Start(t.Context(), load(t, e, "- {name: a, uses: t.echo}"), value.Null(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(); err != nil {
		t.Fatal(err)
	}
	var seqs []int64
	for range 2 { // the second reader goes on where the first left off
		for ev := range r.Events() {
			seqs = append(seqs, ev.Seq)
			if ev.Seq == 2 {
				break
			}
		}
	}
	if fmt.Sprint(seqs) != "[1 2 3 4 5]" {
		t.Errorf("read %v", seqs)
	}
	if r.ID() == "" {
		t.Error("the run has no id")
	}
}
