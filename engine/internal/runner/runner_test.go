package runner_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/engine/internal/runner"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type anyInput struct {
	In value.Value `json:"in,omitempty" doc:"Anything."`
}

func compile(t *testing.T, nodes string) *graph.Graph {
	t.Helper()
	registry, err := actions.NewRegistry(actions.Define(
		actions.Spec{Name: "t.do", Version: 1, Summary: "Does."},
		func(context.Context, actions.Env, anyInput) (value.Value, error) { return value.Value{}, nil }))
	if err != nil {
		t.Fatal(err)
	}
	document, problems := spec.Parse("agent.yaml", []byte("name: a\nnodes:\n"+nodes))
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	g, problems := graph.Compile(document, graph.Options{Registry: registry, Filters: filters.Default()})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return g
}

// drive runs nodes with a handler and returns how the run ended and its log.
func drive(ctx context.Context, t *testing.T, nodes string, h actions.Handler) (machine.Done, string) {
	t.Helper()
	var log bytes.Buffer
	g := compile(t, nodes)
	m := machine.New(g)
	first, err := m.Start(value.Object())
	if err != nil {
		t.Fatal(err)
	}
	return runner.Run(ctx, m, first, runner.Config{
		Handler: h, Inner: h, Names: machine.Names(g), Log: slog.New(slog.NewTextHandler(&log, nil)),
		Teller: runner.NewTeller("r", actions.SystemClock{}, nil, nil),
		Place:  func(error) (int, int, string, bool) { return 0, 0, "", false },
	}), log.String()
}

const two = "  - {name: a, uses: t.do, with: {in: '{{ state.x | default(1) }}'}, output: x}\n" +
	"  - {name: b, uses: t.do, with: {in: '{{ state.x + 1 }}'}, output: y}\n"

func echo(_ context.Context, c *actions.Call) (actions.Result, error) {
	return actions.Result{Output: c.Input.At("in")}, nil
}

func TestParametersAreRenderedOnTheStateOfTheirTask(t *testing.T) {
	t.Parallel()
	done, _ := drive(t.Context(), t, two, echo)
	if done.Err != nil || done.State.String() != `{"x":1,"y":2}` {
		t.Errorf("state %s, error %v", done.State, done.Err)
	}
}

func TestPanicOfTheHandler(t *testing.T) {
	t.Parallel()
	done, log := drive(t.Context(), t, two, func(context.Context, *actions.Call) (actions.Result, error) { panic("ouch") })
	if actions.CodeOf(done.Err) != actions.CodeInternal {
		t.Errorf("error %v, want internal", done.Err)
	}
	if !strings.Contains(log, "ouch") || !strings.Contains(log, "runner_test.go") {
		t.Errorf("the log does not say where: %s", log)
	}
}

// What succeeds in spite of a cancellation is kept; then the run ends.
func TestSuccessDuringCancellationIsKept(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	var calls atomic.Int64
	done, _ := drive(ctx, t, two, func(ctx context.Context, c *actions.Call) (actions.Result, error) {
		calls.Add(1)
		cancel(cause)
		return echo(ctx, c)
	})
	if !errors.Is(done.Err, cause) || actions.CodeOf(done.Err) != actions.CodeCanceled {
		t.Errorf("error %v, want the cause of the cancellation", done.Err)
	}
	if done.State.String() != `{"x":1}` || calls.Load() != 1 {
		t.Errorf("state %s after %d calls, want what the first one returned", done.State, calls.Load())
	}
}

func TestFailureDuringCancellationIsTheCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	done, _ := drive(ctx, t, two, func(context.Context, *actions.Call) (actions.Result, error) {
		cancel(cause)
		return actions.Result{}, actions.Errorf(actions.CodeUnavailable, "the connection was closed")
	})
	if !errors.Is(done.Err, cause) {
		t.Errorf("error %v, want the cause of the cancellation", done.Err)
	}
}

func TestDeafCallIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		done, log := drive(ctx, t, two, func(context.Context, *actions.Call) (actions.Result, error) {
			<-hold
			return actions.Result{}, nil
		})
		if !errors.Is(done.Err, context.DeadlineExceeded) || !strings.Contains(log, "did not return") {
			t.Errorf("error %v, log %s", done.Err, log)
		}
		close(hold)
	})
}

func TestTellerNumbersEventsOneByOne(t *testing.T) {
	t.Parallel()
	var seqs []int64 // the teller calls one at a time
	teller := runner.NewTeller("r", actions.SystemClock{}, nil, func(e event.Event) { seqs = append(seqs, e.Seq) })
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			teller.Tell(event.NodeStarted{})
			teller.Count(true, time.Second, 0)
			teller.Count(false, 0, 0)
		})
	}
	all.Wait()
	for i, seq := range seqs {
		if seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, seq)
		}
	}
	want := runner.Stats{Nodes: 50, Hits: 50, Misses: 50, Saved: 50 * time.Second}
	if got := teller.Stats(); got != want || len(seqs) != 50 {
		t.Errorf("%d events, stats %+v; want %+v", len(seqs), got, want)
	}
}
