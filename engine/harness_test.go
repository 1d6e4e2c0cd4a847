package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type anyInput struct {
	In value.Value `json:"in,omitempty" doc:"Anything."`
}

// act declares an action of a test.
func act(name string, effect actions.Effect, run func(ctx context.Context, env actions.Env, in value.Value) (value.Value, error)) actions.Action {
	return actions.Define(actions.Spec{Name: name, Version: 1, Summary: "Of a test.", Effect: effect},
		func(ctx context.Context, env actions.Env, in anyInput) (value.Value, error) {
			return run(ctx, env, in.In)
		})
}

// testActions are what the agents of these tests use; calls counts t.count.
func testActions(calls *atomic.Int64) []actions.Action {
	return []actions.Action{
		act("t.echo", actions.Pure, func(_ context.Context, _ actions.Env, in value.Value) (value.Value, error) {
			return value.Object(value.M("said", in)), nil
		}),
		act("t.count", actions.Read, func(context.Context, actions.Env, value.Value) (value.Value, error) {
			return value.Object(value.M("n", value.Int(calls.Add(1)))), nil
		}),
		act("t.fail", actions.Read, func(_ context.Context, _ actions.Env, in value.Value) (value.Value, error) {
			return value.Value{}, actions.Errorf(actions.CodeUnavailable, "no answer from %s", in.Text())
		}),
		act("t.panic", actions.Read, func(context.Context, actions.Env, value.Value) (value.Value, error) {
			panic("ouch")
		}),
		act("t.wait", actions.Read, func(ctx context.Context, _ actions.Env, _ value.Value) (value.Value, error) {
			<-ctx.Done()
			return value.Value{}, context.Cause(ctx)
		}),
		act("t.remember", actions.Write, func(ctx context.Context, env actions.Env, in value.Value) (value.Value, error) {
			if env.Memory == nil {
				return value.Value{}, actions.Errorf(actions.CodeUnavailable, "no memory")
			}
			_, err := env.Memory.Put(ctx, "k", in, nil)
			return value.Object(), err
		}),
	}
}

// newEngine returns an engine with the actions of these tests and a memory.
func newEngine(tb testing.TB, change func(*engine.Options)) (e *engine.Engine, calls *atomic.Int64) {
	tb.Helper()
	calls = &atomic.Int64{}
	o := &engine.Options{Actions: testActions(calls), Memory: ltm.New(memltm.New(), nil)}
	memory := o.Memory
	if change != nil {
		change(o)
	}
	e, err := engine.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(e.Close(), memory.Close()); err != nil {
			tb.Error(err)
		}
	})
	return e, calls
}

// outcome is how a run went.
type outcome struct {
	engine.Result
	err    error
	events []event.Event
}

func (o outcome) types() string {
	names := make([]string, len(o.events))
	for i, e := range o.events {
		names[i] = e.Body.Type()
	}
	return strings.Join(names, " ")
}

// load compiles an agent of the given nodes, or a whole document.
func load(tb testing.TB, e *engine.Engine, yaml string) *engine.Agent {
	tb.Helper()
	if !strings.Contains(yaml, "nodes:") {
		yaml = "name: test\nnodes:\n  " + strings.ReplaceAll(strings.TrimSpace(yaml), "\n", "\n  ") + "\n"
	}
	a, err := e.LoadBytes("agent.yaml", []byte(yaml))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// run runs an agent to its end.
func run(tb testing.TB, e *engine.Engine, yaml string, input any) outcome {
	tb.Helper()
	r, err := e.Start(tb.Context(), load(tb, e, yaml), value.Must(input), &engine.RunOptions{ID: "r1"})
	if err != nil {
		tb.Fatal(err)
	}
	return wait(tb, r)
}

// wait reads all events, each of which must be as the schema says, and waits.
func wait(tb testing.TB, r *engine.Run) outcome {
	tb.Helper()
	schema, err := eventSchema()
	if err != nil {
		tb.Fatal(err)
	}
	var o outcome
	for ev := range r.Events() {
		o.events = append(o.events, ev)
		data, err := json.Marshal(ev)
		if err != nil {
			tb.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			tb.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			tb.Errorf("%s: %v", data, err)
		}
	}
	o.Result, o.err = r.Wait()
	return o
}

// eventSchema is compiled once for all tests.
var eventSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	v, err := event.JSONSchema()
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(v.String()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("event.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("event.json")
})
