package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/internal/runner"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// RunOptions are the choices of one run. Nil is all defaults.
type RunOptions struct {
	// ID is the run's id. "": a fresh random one.
	ID string
	// Cassette records the calls of the run, or replays them, as its mode says;
	// it stays the caller's to finish. Nil: neither. While it is at work, caches
	// are left alone; with RecordFromCache they may serve the calls that are
	// recorded.
	Cassette        *cassette.Session
	RecordFromCache bool
	// Mock returns what answers a call in the place of its action, or nil for a
	// call that is to be made; inner tells calls that actions make from those of
	// nodes. Of a run block the result is its update of the state. Caches treat
	// an answer like any other result; nothing of it is recorded. It is safe for
	// concurrent use. Nil: nothing is mocked.
	Mock func(c *actions.Call, inner bool) func(ctx context.Context) (value.Value, error)
}

// plan is all that a run is driven with.
type plan struct {
	graph   *graph.Graph
	nodes   int
	input   value.Value
	clock   actions.Clock
	teller  *runner.Teller
	masks   *chain.Scrubber
	timeout time.Duration
	config  runner.Config
}

// Start begins a run of a on input, an object or null, and returns at once.
// The error is an input that does not fit input_schema (invalid_input), or a
// configuration that cannot work. The run ends when ctx does, with its cause;
// until it ends it holds goroutines, so wait for it or cancel it.
func (e *Engine) Start(ctx context.Context, a *Agent, input value.Value, o *RunOptions) (*Run, error) {
	input, err := a.conform(input)
	if err != nil {
		return nil, err
	}
	p, r, err := e.plan(a, o)
	if err != nil {
		return nil, err
	}
	p.input = input
	ctx, r.cancel = context.WithCancelCause(ctx)
	go r.drive(ctx, p)
	return r, nil
}

// conform returns what the run starts with: the input over the initial state.
// It has the shape that input_schema declares, where a key of the initial state
// counts as given; the keys that are not declared are none of the input's.
func (a *Agent) conform(input value.Value) (value.Value, error) {
	switch input.Kind() {
	case value.KindNull:
		input = value.Object()
	case value.KindObject:
	default:
		return input, actions.Errorf(actions.CodeInvalidInput, "the input is a %s; it must be an object", input.Kind())
	}
	if err := input.Check(); err != nil {
		return input, actions.Errorf(actions.CodeInvalidInput, "the input: %w", err)
	}
	initial := a.graph.Initial
	if a.graph.Schemas.Input == nil {
		return initial.Merge(input), nil
	}
	declared := value.Object()
	for _, key := range a.graph.Schemas.Input.Keys() {
		if v, ok := initial.Get(key); ok {
			declared = declared.With(key, v)
		}
	}
	input, err := a.graph.Schemas.Input.Conform(declared.Merge(input))
	if err != nil {
		return input, actions.Errorf(actions.CodeInvalidInput, "the input does not fit input_schema: %w", err)
	}
	return initial.Merge(input), nil
}

// plan prepares a run.
func (e *Engine) plan(a *Agent, o *RunOptions) (*plan, *Run, error) {
	if o == nil {
		o = &RunOptions{}
	}
	st, err := e.stores.of(a.graph)
	if err != nil {
		return nil, nil, err
	}
	modes, err := e.cacheModes(a.graph)
	if err != nil {
		return nil, nil, err
	}
	r := &Run{id: o.ID, events: newStream(), ended: make(chan struct{})}
	if r.id == "" {
		r.id = newRunID()
	}
	scrubber := e.scrubberOf(a.graph)
	asked, err := e.modelsOf(a, st, scrubber)
	if err != nil {
		return nil, nil, err
	}
	teller := runner.NewTeller(r.id, e.options.Clock, scrubber.Text, r.events.put)
	node, inner := chain.New(chain.Config{
		Env: e.env(a, st), Files: e.stamp, Cache: st.results, Quota: a.graph.Settings.Whole.Quota(), Modes: modes, Scrubber: scrubber, Observer: teller,
		Models: asked, Recording: recording(a.graph, o), Mock: o.Mock,
		Clock: e.options.Clock, Rand: e.randomness(),
	})
	return &plan{
		graph: a.graph, nodes: len(a.Nodes()), clock: e.options.Clock, teller: teller, masks: scrubber, timeout: a.graph.Settings.Limits.RunTimeout,
		config: runner.Config{
			Handler: node, Inner: inner, Names: a.names, Teller: teller, Workers: e.options.Workers,
			Place: placeInCode,
			Log:   slog.New(scrubber.Handler(e.options.Log.Handler())),
		},
	}, r, nil
}

// env is what every action of the run gets.
func (e *Engine) env(a *Agent, st store) actions.Env {
	return actions.Env{
		Memory: st.memory, Cache: st.results, Namespace: a.namespace, AgentID: a.id,
		Storage: e.storage, HTTP: e.options.HTTP, Secrets: e.secretsOf(a.graph), Credential: e.options.Credentials,
		Exec:  e.execOf(a.graph),
		Clock: e.clock(), Rand: e.options.Rand, Log: e.options.Log,
		Scratch: &actions.Scratch{}, Registry: e.registry, Filters: e.filters,
	}
}

// stamp tells whether a file is still the same.
func (e *Engine) stamp(ctx context.Context, uri string) (string, error) {
	info, err := e.storage.Stat(ctx, uri)
	return info.Stamp(), err
}

// cacheModes returns the modes from outside of the nodes: the option counts
// first, then the agent's settings, then the default. A node that chooses a
// mode itself has chosen it over the settings, not over the program around.
func (e *Engine) cacheModes(g *graph.Graph) (chain.Modes, error) {
	outside, err := firstMode(e.options.Cache, e.options.DefaultCache)
	if err != nil {
		return chain.Modes{}, err
	}
	other, err := firstMode(e.options.Cache, agentMode(g.Settings.Cache), e.options.DefaultCache)
	return chain.Modes{Chosen: outside, Other: other}, err
}

// agentMode is the mode that settings.cache asks for, or "".
func agentMode(settings value.Value) string {
	enabled, said := settings.At("cache_enabled").AsBool()
	switch mode := settings.At("mode").Text(); {
	case said && !enabled:
		return cache.Off.String()
	case said && mode == "":
		return cache.Both.String()
	default:
		return mode
	}
}

// firstMode reads the first of the texts that is not empty; nil for none.
func firstMode(texts ...string) (*cache.Mode, error) {
	modes, err := parseModes(texts...)
	if err != nil || len(modes) == 0 {
		return nil, err
	}
	return &modes[0], nil
}

// parseModes reads those of the texts that are not empty.
func parseModes(texts ...string) (modes []cache.Mode, err error) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		mode, bad := cache.ParseMode(text)
		if bad != nil {
			err = errors.Join(err, configError("%w", bad))
		}
		modes = append(modes, mode)
	}
	return modes, err
}
