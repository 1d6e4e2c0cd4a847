package agenttest

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
)

// Options are the choices of Run.
type Options struct {
	// Engine is what every case runs with. Its memory, environment, secrets,
	// cassette and mocks are the case's own.
	Engine engine.Options
	// Mode is Replay, or Record or RecordMissing to make the recordings of the
	// cases that have one.
	Mode cassette.Mode
	// Only says which cases run. Nil: all.
	Only func(name string) bool
	// Now tells the time. Required.
	Now func() time.Time
}

// Result is how a case went.
type Result struct {
	Suite    *Suite
	Case     *Case
	Failures []Failure // none: it passed
	Missed   bool      // the run asked for a call that is not on the cassette
	Duration time.Duration
	Stats    engine.Stats // of the last run
}

// Passed tells whether every expectation holds.
func (r Result) Passed() bool { return len(r.Failures) == 0 }

// Run runs the cases of a suite in their order and gives each result to done.
// The error is an agent that cannot be loaded, an engine that cannot work, or
// the end of ctx.
func Run(ctx context.Context, s *Suite, o Options, done func(Result)) error {
	if err := s.check(o); err != nil {
		return err
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		if o.Only != nil && !o.Only(c.Name) {
			continue
		}
		start := o.Now()
		r, err := c.run(ctx, s, o)
		if err != nil {
			return err
		}
		r.Duration = o.Now().Sub(start)
		done(r)
	}
	return nil
}

// check loads the agent and finds nodes that it has not.
func (s *Suite) check(o Options) (err error) {
	e, err := engine.New(s.Cases[0].options(o))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	agent, err := e.Load(s.Agent)
	if err != nil {
		return err
	}
	var diags diag.List
	nodes := agent.Nodes()
	for _, c := range s.Cases {
		for name := range c.Mocks {
			c.known(&diags, nodes, name, c.placeOfKey("mocks", name))
		}
		for i, name := range c.Expect.Path {
			c.known(&diags, nodes, name, c.place("expect", "path", strconv.Itoa(i)))
		}
		if c.Expect.Error != nil && c.Expect.Error.Node != "" {
			c.known(&diags, nodes, c.Expect.Error.Node, c.place("expect", "error", "node"))
		}
	}
	diags.Sort()
	return diags.Err()
}

// run runs the agent as often as the case says and judges the last run.
func (c *Case) run(ctx context.Context, s *Suite, o Options) (r Result, err error) {
	r = Result{Suite: s, Case: c}
	session, err := c.session(s, o)
	if err != nil {
		r.Failures = []Failure{{Pos: c.Pos, Message: err.Error()}}
		return r, nil
	}
	if session != nil {
		defer func() { err = errors.Join(err, session.Close()) }()
	}
	e, err := engine.New(c.options(o))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	set, err := filters.NewSet(o.Engine.Filters...)
	if err != nil {
		return r, err
	}
	agent, err := e.Load(s.Agent)
	if err != nil {
		return r, err
	}
	m := &mocks{c: c, outward: outward(o.Engine.Actions), closed: session == nil, seen: map[string]int{}}
	var last ended
	for range c.Runs {
		last = c.once(ctx, e, agent, &engine.RunOptions{Cassette: session, Mock: m.answer})
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
	}
	j := &judge{c: c, filters: set, recording: o.Mode != cassette.Replay}
	r.Failures, r.Stats = j.all(ctx, last), last.result.Stats
	r.Missed = actions.CodeOf(last.err) == actions.CodeReplayMiss
	if session != nil {
		if err := session.Finish(r.Passed()); err != nil {
			r.Failures = append(r.Failures, Failure{Pos: c.Pos, Message: err.Error()})
		}
	}
	return r, nil
}

// once runs the agent one time.
func (c *Case) once(ctx context.Context, e *engine.Engine, agent *engine.Agent, o *engine.RunOptions) ended {
	run, err := e.Start(ctx, agent, c.Input, o)
	if err != nil {
		return ended{err: err}
	}
	var last ended
	for e := range run.Events() {
		if started, ok := e.Body.(event.NodeStarted); ok {
			last.path = append(last.path, started.Node)
		}
	}
	last.result, last.err = run.Wait()
	return last
}
