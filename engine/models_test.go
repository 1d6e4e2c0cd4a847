package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/actions"
	cacheactions "github.com/tea-agents/tea/actions/cache"
	runactions "github.com/tea-agents/tea/actions/run"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/value"
)

type askInput struct {
	Model    string        `json:"model,omitempty" doc:"Model."`
	Provider string        `json:"provider,omitempty" doc:"Provider."`
	APIKey   string        `json:"api_key,omitempty" doc:"Key."`
	APIBase  string        `json:"api_base,omitempty" doc:"Address."`
	Messages []value.Value `json:"messages,omitempty" doc:"Messages."`
	Prompt   string        `json:"prompt,omitempty" doc:"Prompt."`
	Seed     int64         `json:"seed,omitempty" doc:"Seed."`
	Cache    string        `json:"cache,omitempty" doc:"Mode."`
}

// modelActions are a model that says what it was given, and how often it was
// asked.
func modelActions(asked *atomic.Int64) []actions.Action {
	ask := func(_ context.Context, env actions.Env, in askInput) (value.Value, error) {
		n := asked.Add(1)
		key := in.APIKey
		if key == "" {
			text, err := env.Credential("OPENAI_API_KEY")
			if err != nil {
				return value.Null(), err
			}
			key = text
		}
		prompt := in.Messages[0].At("content").Text()
		if prompt == "fail" {
			return value.Null(), actions.Errorf(actions.CodeUnavailable, "overloaded")
		}
		return value.Object(
			value.M("content", value.String(prompt+" with "+key)), value.M("model", value.String(in.Model)),
			value.M("seed", value.Int(in.Seed)), value.M("n", value.Int(n)),
		), nil
	}
	spec := actions.Spec{Name: "llm.call", Version: 1, Summary: "Asks.", Outward: true, Model: true}
	return append(append(cacheactions.Actions(), runactions.Actions()...), actions.Define(spec, ask))
}

// modelEngine returns an engine over modelActions in an environment.
func modelEngine(t *testing.T, env map[string]string, change func(*engine.Options)) (*engine.Engine, *atomic.Int64) {
	t.Helper()
	asked := &atomic.Int64{}
	e, _ := newEngine(t, func(o *engine.Options) {
		o.Actions = modelActions(asked)
		o.Getenv = func(name string) (string, bool) { text, ok := env[name]; return text, ok }
		if change != nil {
			change(o)
		}
	})
	return e, asked
}

const settled = `
name: settled
secrets: [KEY]
variables: {name: gpt-4o}
settings:
  llm: {model: "{{ variables.name }}", api_key: "{{ secrets.KEY }}", cache: "${MODE:-off}"}
nodes:
  - {name: a, uses: llm.call, with: {prompt: hello}, output: a}
  - {name: b, uses: cache.wrap, with: {action: llm.call, args: {prompt: hello}}, output: b}
`

func TestSettingsOfModels(t *testing.T) {
	t.Parallel()
	e, asked := modelEngine(t, map[string]string{"KEY": "sk-secret-1234"}, nil)
	o := run(t, e, settled, nil)
	if o.err != nil || o.State.At("a", "model").Text() != "gpt-4o" || o.State.At("b", "result", "model").Text() != "gpt-4o" {
		t.Fatalf("%s, %v", o.State, o.err)
	}
	if got := o.State.At("a", "content").Text(); got != "hello with ***" || asked.Load() != 2 {
		t.Errorf("said %q, asked %d times", got, asked.Load())
	}
	e, asked = modelEngine(t, map[string]string{"KEY": "sk-secret-1234", "MODE": "both"}, nil)
	// The second call misses the cache of results, and hits that of answers.
	if o := run(t, e, settled, nil); asked.Load() != 1 || o.Stats.Hits != 1 || o.Stats.Misses != 2 {
		t.Errorf("asked %d times: %+v", asked.Load(), o.Stats)
	}
	e, _ = modelEngine(t, map[string]string{"KEY": "sk-secret-1234", "MODE": "bth"}, nil)
	if _, err := e.Start(t.Context(), load(t, e, settled), value.Null(), nil); engine.ExitCode(err) != 3 {
		t.Errorf("a mode that is none: %v", err)
	}
}

func TestCredentialsAreTheProgramsOwn(t *testing.T) {
	t.Parallel()
	const yaml = "- {name: a, uses: llm.call, with: {model: gpt-4o, prompt: hello}, output: a}"
	e, _ := modelEngine(t, map[string]string{"OPENAI_API_KEY": "sk-of-the-program"}, nil)
	if o := run(t, e, yaml, nil); o.err != nil || o.State.At("a", "content").Text() != "hello with ***" {
		t.Errorf("%s, %v", o.State, o.err)
	}
	e, _ = modelEngine(t, nil, nil)
	if o := run(t, e, yaml, nil); engine.ExitCode(o.err) != 4 || !strings.Contains(o.err.Error(), "OPENAI_API_KEY") {
		t.Errorf("error %v", o.err)
	}
	e, _ = modelEngine(t, nil, func(o *engine.Options) {
		o.Credentials = func(name string) (string, error) { return "vault/" + name, nil }
	})
	if o := run(t, e, yaml, nil); o.State.At("a", "content").Text() != "hello with ***" {
		t.Errorf("%s, %v", o.State, o.err)
	}
}

func TestModesOfTheAnswerCache(t *testing.T) {
	t.Parallel()
	if _, err := engine.New(&engine.Options{LLMCache: "bth", DefaultLLMCache: "raed"}); !errors.Is(err, engine.ErrConfig) ||
		!strings.Contains(err.Error(), "both") || !strings.Contains(err.Error(), "read") {
		t.Errorf("got %v", err)
	}
	env := map[string]string{"KEY": "sk-secret-1234"}
	for _, c := range []struct {
		flag, fallback string
		asked          int64 // of two
	}{{"", "", 2}, {"both", "", 1}, {"", "both", 2}, {"off", "both", 2}} {
		e, asked := modelEngine(t, env, func(o *engine.Options) { o.LLMCache, o.DefaultLLMCache = c.flag, c.fallback })
		run(t, e, settled, nil) // settings.llm.cache says off
		if asked.Load() != c.asked {
			t.Errorf("%+v: asked %d times", c, asked.Load())
		}
	}
}

const chance = `
name: chance
nodes:
  - {name: ask, uses: llm.call, with: {model: gpt-4o, prompt: hello}, output: answer}
  - name: roll
    run: |
      import random
      import datetime
      return {"n": random.random(), "m": random.random(), "now": str(datetime.datetime.now())}
  - name: again
    run: |
      import random
      return {"other": random.random()}
`

func TestDeterministicRunsAreAlike(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OPENAI_API_KEY": "sk-of-the-program"}
	e, asked := modelEngine(t, env, func(o *engine.Options) { o.Deterministic = true })
	first, again := run(t, e, chance, nil), run(t, e, chance, nil)
	if first.err != nil || !value.Equal(first.State, again.State) || asked.Load() != 1 {
		t.Errorf("%s, %v\nthen\n%s after %d calls", first.State, first.err, again.State, asked.Load())
	}
	if seed, _ := first.State.At("answer", "seed").AsInt(); seed == 0 {
		t.Error("the call had no seed")
	}
	if s := first.State; value.Equal(s.At("n"), s.At("m")) || value.Equal(s.At("n"), s.At("other")) {
		t.Errorf("no chance at all: %s", s)
	}
	if !strings.HasPrefix(first.State.At("now").Text(), "2000-01-01") || first.events[0].Time.Year() == 2000 {
		t.Errorf("run blocks see %s, events %s", first.State.At("now"), first.events[0].Time)
	}
	e, _ = modelEngine(t, env, nil)
	if o := run(t, e, chance, nil); value.Equal(o.State.At("n"), first.State.At("n")) {
		t.Error("chance is the same without being asked to")
	}
}

const handled = `
name: handled
settings: {llm: {model: gpt-4o}}
nodes:
  - {name: a, uses: llm.call, with: {prompt: hello}, output: a}
  - {name: b, uses: llm.call, with: {prompt: hello}, output: b}
  - {name: c, uses: llm.call, with: {prompt: fail}, on_error: {goto: d}}
  - {name: d, run: 'return {"done": True}'}
`

func TestRunsAreRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	e, asked := modelEngine(t, map[string]string{"OPENAI_API_KEY": "sk-of-the-program"}, nil)
	recorded := taped(t, e, handled, file, cassette.Record)
	offline, none := modelEngine(t, nil, nil)
	replayed := taped(t, offline, handled, file, cassette.Replay)
	if recorded.err != nil || asked.Load() != 3 || none.Load() != 0 || !value.Equal(recorded.State, replayed.State) {
		t.Errorf("%s, %v, %d calls\nbecame\n%s, %v, %d calls", recorded.State, recorded.err, asked.Load(), replayed.State, replayed.err, none.Load())
	}
	if a, b := recorded.State.At("a", "n"), recorded.State.At("b", "n"); value.Equal(a, b) {
		t.Errorf("equal calls share an answer: %s", recorded.State)
	}
	if recorded.types() != replayed.types() {
		t.Errorf("events %s\nbecame %s", recorded.types(), replayed.types())
	}
	missed := taped(t, offline, strings.ReplaceAll(handled, "prompt: fail", "prompt: other"), file, cassette.Replay)
	if engine.ExitCode(missed.err) != 6 || none.Load() != 0 {
		t.Errorf("a call that was not recorded: %v", missed.err)
	}
}

// taped runs an agent with a cassette.
func taped(t *testing.T, e *engine.Engine, yaml, file string, mode cassette.Mode) outcome {
	t.Helper()
	s, err := cassette.New(file, &cassette.Options{Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Start(t.Context(), load(t, e, yaml), value.Null(), &engine.RunOptions{ID: "r1", Cassette: s})
	if err != nil {
		t.Fatal(err)
	}
	o := wait(t, r)
	if err := s.Finish(o.err == nil); err != nil {
		t.Fatal(err)
	}
	return o
}
