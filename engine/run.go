package engine

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/machine"
	"github.com/tea-agents/tea/engine/internal/runner"
	"github.com/tea-agents/tea/value"
)

// Run is one execution of an agent. It is safe for concurrent use.
type Run struct {
	id     string
	events *stream
	cancel context.CancelCauseFunc
	ended  chan struct{}

	// Set before ended is closed.
	result Result
	err    error
}

// Result is what a run leaves.
type Result struct {
	State  value.Value // the last state, also of a run that failed
	Output value.Value // what output_schema makes of the state, else the state; null after a failure
	Stats  Stats
}

// Stats counts what a run did.
type Stats = runner.Stats

// ID returns the run's id, which stands in all its events.
func (r *Run) ID() string { return r.id }

// Events returns the events of the run, from the oldest that nobody has read,
// and ends after the last. Each is read once, and the run does not wait for
// readers: events are kept until they are read, but until somebody begins to,
// only the last 10,000 of them are.
func (r *Run) Events() iter.Seq[event.Event] { return r.events.all() }

// Wait waits for the end of the run. The error is a [*NodeError] when a node
// failed, and otherwise says why the run could not go on; [ExitCode] reads it.
// The result counts even then.
func (r *Run) Wait() (Result, error) {
	<-r.ended
	return r.result, r.err
}

// Cancel stops the run for the given reason: calls under way are canceled, the
// state is kept, and Wait returns an error with the cause in it. A nil cause
// is context.Canceled. A run that has ended stays as it is.
func (r *Run) Cancel(cause error) { r.cancel(cause) }

// drive runs a machine to its end.
func (r *Run) drive(ctx context.Context, p *plan) {
	defer close(r.ended)
	defer r.events.close()
	defer r.cancel(nil)
	ctx, stop := withTimeout(ctx, p.timeout)
	defer stop()
	start := p.clock.Now()
	p.teller.Tell(event.RunStarted{Agent: p.graph.Name, Digest: p.graph.Digest, Nodes: p.nodes})
	done := p.run(ctx)
	r.result = Result{State: p.masks.Value(done.State), Output: p.masks.Value(done.Output), Stats: p.teller.Stats()}
	r.result.Stats.Duration = p.clock.Now().Sub(start)
	r.err = p.masked(done.Err)
	p.teller.Tell(finished(&r.result, r.err))
}

// run starts the machine and drives it.
func (p *plan) run(ctx context.Context) machine.Done {
	m := machine.New(p.graph)
	first, err := m.Start(p.input)
	if err != nil {
		return machine.Done{State: p.input, Err: actions.Errorf(actions.CodeInternal, "%w", err)}
	}
	return runner.Run(ctx, m, first, p.config)
}

// masked returns the failure of a run without secrets.
func (p *plan) masked(err error) error {
	failure, ok := err.(*NodeError) //nolint:errorlint // the machine wraps none
	if !ok {
		return p.masks.Error(err)
	}
	clean := *failure
	clean.Err = p.masks.Error(failure.Err)
	return &clean
}

// withTimeout bounds ctx; 0 is no bound.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	cause := &actions.Error{
		Code: actions.CodeTimeout, Message: ErrRunTimeout.Error() + " of " + d.String(), Err: ErrRunTimeout,
	}
	return context.WithTimeoutCause(ctx, d, cause)
}

// finished describes the end of a run.
func finished(r *Result, err error) event.RunFinished {
	s := r.Stats
	e := event.RunFinished{
		Nodes: s.Nodes, Hits: s.Hits, Misses: s.Misses,
		DurationMS: s.Duration.Milliseconds(), SavedMS: s.Saved.Milliseconds(), SavedUSD: s.SavedUSD,
	}
	if err == nil {
		e.Output = &r.Output
		return e
	}
	e.State = &r.State
	e.Error = &event.Error{Code: string(actions.CodeOf(err)), Message: err.Error()}
	if failure := (*NodeError)(nil); errors.As(err, &failure) {
		e.Node, e.Error.Message = failure.Node, failure.Err.Error()
	}
	return e
}
