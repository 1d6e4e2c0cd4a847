package chain_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// observer notes what it is told, as JSON without what varies.
type observer struct {
	mu           sync.Mutex
	events       []string
	hits, misses int
	models       int
}

func (o *observer) Tell(b event.Body) {
	o.mu.Lock()
	defer o.mu.Unlock()
	data, err := json.Marshal(b)
	if err != nil {
		data = []byte(err.Error())
	}
	o.events = append(o.events, b.Type()+" "+string(data))
}

func (o *observer) Count(hit bool, _ time.Duration, _ float64) {
	if hit {
		o.hits++
	} else {
		o.misses++
	}
}

func (o *observer) CountModel() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.models++
}

type echoInput struct {
	Text  string `json:"text,omitempty" doc:"What to say."`
	Times int    `json:"times" doc:"How often." default:"1"`
}

// fixture is a chain over a few actions and a cache in memory.
type fixture struct {
	observer
	runs     int
	handler  actions.Handler
	scrubber *chain.Scrubber
	store    *ltm.Memory
}

func newFixture(t *testing.T, mode *cache.Mode) *fixture {
	t.Helper()
	f := &fixture{scrubber: &chain.Scrubber{}, store: ltm.New(memltm.New(), nil)}
	registry, err := actions.NewRegistry(
		actions.Define(actions.Spec{Name: "t.echo", Version: 1, Summary: "Echoes."},
			func(_ context.Context, env actions.Env, in echoInput) (value.Value, error) {
				f.runs++
				env.Log.Info("echo", "text", in.Text)
				if in.Text == "fail" {
					return value.Value{}, actions.Errorf(actions.CodeUnavailable, "it failed")
				}
				env.Sink(actions.Chunk{Data: value.String(in.Text)})
				return value.Object(value.M("said", value.String(strings.Repeat(in.Text, in.Times)))), nil
			}),
		actions.Define(actions.Spec{Name: "t.outer", Version: 1, Summary: "Calls.", Effect: actions.Compose},
			func(ctx context.Context, env actions.Env, in echoInput) (value.Value, error) {
				r, err := env.Invoke(ctx, "actions.t_echo", value.Object(value.M("text", value.String(in.Text))), cached())
				return r.Output, err
			}),
	)
	if err != nil {
		t.Fatal(err)
	}
	c := cache.New(f.store, nil)
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), f.store.Close()); err != nil {
			t.Error(err)
		}
	})
	f.handler, _ = chain.New(chain.Config{
		Env: actions.Env{
			Registry: registry, Clock: actions.SystemClock{}, Namespace: "ns",
			Secrets: func(name string) (string, error) { return "s3cr3t-" + name, nil },
		},
		Cache: c, Modes: chain.Modes{Chosen: mode, Other: mode}, Scrubber: f.scrubber, Observer: f,
	})
	return f
}

func cached() actions.Policy {
	p, _ := cache.Settings{}.Policy()
	return actions.Policy{Cache: &p}
}

func (f *fixture) call(t *testing.T, action string, p actions.Policy, input any) (actions.Result, error) {
	t.Helper()
	return f.handler(t.Context(), &actions.Call{
		ID: "n", Node: "n", Action: action, Input: value.Must(input), Policy: p,
	})
}

func TestCacheServesEqualCalls(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	var results []actions.Result
	// The second call says a default that the first one leaves out.
	for _, input := range []any{map[string]any{"text": "a"}, map[string]any{"text": "a", "times": 1}} {
		r, err := f.call(t, "t.echo", cached(), input)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	if f.runs != 1 {
		t.Errorf("the action ran %d times, want once", f.runs)
	}
	if results[0].Meta.Cache.Status != cache.Miss || results[1].Meta.Cache.Status != cache.Hit {
		t.Errorf("statuses %+v, %+v; want miss, hit", results[0].Meta.Cache, results[1].Meta.Cache)
	}
	if !value.Equal(results[0].Output, results[1].Output) {
		t.Errorf("hit %s differs from miss %s", results[1].Output, results[0].Output)
	}
	if f.hits != 1 || f.misses != 1 {
		t.Errorf("counted %d hits, %d misses; want 1, 1", f.hits, f.misses)
	}
}

func TestModeFromOutsideCaps(t *testing.T) {
	t.Parallel()
	off := cache.Off
	f := newFixture(t, &off)
	for range 2 {
		if _, err := f.call(t, "t.echo", cached(), map[string]any{"text": "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if f.runs != 2 || f.hits+f.misses != 0 {
		t.Errorf("ran %d times with %d hits, %d misses; want 2, 0, 0", f.runs, f.hits, f.misses)
	}
}

func TestInnerCallsAreObserved(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for range 2 {
		r, err := f.call(t, "t.outer", actions.Policy{}, map[string]any{"text": "a"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Meta.Cache == nil {
			t.Error("the outcome of the only inner call does not show")
		}
	}
	if f.hits != 1 || f.misses != 1 {
		t.Errorf("counted %d hits, %d misses; want 1, 1: a composed call counts nothing twice", f.hits, f.misses)
	}
	var types []string
	for _, e := range f.events {
		types = append(types, strings.Fields(e)[0])
	}
	want := []string{"call_started", "log", "call_finished", "call_started", "call_finished"}
	if !slices.Equal(types, want) {
		t.Errorf("events %q, want %q", types, want)
	}
	if !strings.Contains(f.events[0], `"id":"n/1","action":"t.echo"`) {
		t.Errorf("the inner call is %s", f.events[0])
	}
}

func TestFailureIsToldAndNotCached(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	for range 2 {
		if _, err := f.call(t, "t.outer", actions.Policy{}, map[string]any{"text": "fail"}); actions.CodeOf(err) != actions.CodeUnavailable {
			t.Fatalf("error %v, want unavailable", err)
		}
	}
	if f.runs != 2 {
		t.Errorf("ran %d times, want 2", f.runs)
	}
	if last := f.events[len(f.events)-1]; !strings.Contains(last, `"error":{"code":"unavailable","message":"it failed"}`) {
		t.Errorf("the last event is %s", last)
	}
}

func TestSecretsNeverLeaveExecute(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	text, ok := value.Concat(value.String("<"), value.Secret("KEY"), value.String(">"))
	if !ok {
		t.Fatal("not joined")
	}
	var chunks []string
	r, err := f.handler(t.Context(), &actions.Call{
		ID: "n", Node: "n", Action: "t.echo", Policy: cached(),
		Input: value.Object(value.M("text", text)),
		Sink:  func(c actions.Chunk) { chunks = append(chunks, c.Data.String()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Output.At("said").Text(); got != "<***>" {
		t.Errorf("result %q", got)
	}
	if r.Meta.Cache.Status != cache.Miss {
		t.Errorf("status %s, want miss: calls with secrets have keys", r.Meta.Cache.Status)
	}
	if everything := strings.Join(append(f.events, chunks...), "\n"); strings.Contains(everything, "s3cr3t") {
		t.Errorf("told: %s", everything)
	}
	page, err := f.store.In(driver.Cache, "ns").Search(t.Context(), ltm.Query{AllNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Entries) == 0 {
		t.Fatal("nothing stored")
	}
	for _, e := range page.Entries {
		if strings.Contains(e.Value.String()+e.Metadata.String()+e.Key, "s3cr3t") {
			t.Errorf("stored: %s %s", e.Value, e.Metadata)
		}
	}
}

func TestUnknownAction(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	_, err := f.call(t, "t.ehco", actions.Policy{}, nil)
	if actions.CodeOf(err) != actions.CodeNotFound || !strings.Contains(err.Error(), "t.echo") {
		t.Errorf("error %v, want not_found with a hint", err)
	}
}
