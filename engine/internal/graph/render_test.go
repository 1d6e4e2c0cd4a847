package graph_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

func state(t *testing.T, json string) filters.MapScope {
	t.Helper()
	v, err := value.Parse([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	return filters.MapScope{"state": v, "variables": value.Object()}
}

func call(t *testing.T, src string) *graph.Call {
	t.Helper()
	return mustLoad(t, src).Nodes[0].Body.(*graph.Call)
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestArgs(t *testing.T) {
	t.Parallel()
	c := call(t, `
nodes:
  - name: a
    uses: cache.wrap
    with:
      action: http.get
      key: "{{ state.none | lower }}"
      unless: "{{ result.x }}"
      vary: [state.tenant, "{{ state.n }}-x"]
      args:
        url: "see {{ state.url }}"
        retries: "{{ state.n }}"
        headers: {x: {deep: ["{{ state.n + 1 }}", plain]}}
`)
	v, late, err := c.With.Render(t.Context(), state(t, `{"url":"U","n":2,"tenant":"T"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"action":"http.get","args":{"headers":{"x":{"deep":[3,"plain"]}},"retries":2,"url":"see U"},` +
		`"key_strategy":"custom","unless":"{{ result.x }}","vary":["T","2-x"]}`
	if v.String() != want {
		t.Errorf("got  %s\nwant %s", v, want)
	}
	if len(late) != 1 || !strings.HasPrefix(message(late["key"]), "a.yaml:7:") {
		t.Errorf("late is %v, want the failure of key with its place", late)
	}
}

func TestArgsReportAllFailures(t *testing.T) {
	t.Parallel()
	c := call(t, `
nodes:
  - name: a
    uses: http.get
    with:
      url: "see {{ state.x }}"
      headers:
        a: fine
        b: |
          two
          lines {{ state.y | upper }}
`)
	_, _, err := c.With.Render(t.Context(), state(t, `{}`))
	failure, ok := errors.AsType[*graph.Error](err)
	if !ok || len(failure.Problems) != 2 {
		t.Fatalf("got %v, want two problems", err)
	}
	for i, want := range []string{"a.yaml:6:26", "a.yaml:11:26"} {
		if got := failure.Problems[i].Pos.String(); got != want {
			t.Errorf("problem %d is at %s, want %s", i, got, want)
		}
	}
}

func TestCancelIsNoLateFailure(t *testing.T) {
	t.Parallel()
	c := call(t, `{nodes: [{name: a, uses: cache.wrap, with: {action: log, key: "{% for x in range(9999) %}{{ x }}{% endfor %}", args: {message: x}}}]}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, late, err := c.With.Render(ctx, state(t, `{}`)); !errors.Is(err, cause) || late != nil {
		t.Errorf("got %v, late %v", err, late)
	}
}

func TestStorageHash(t *testing.T) {
	t.Parallel()
	c := call(t, `{nodes: [{name: a, uses: log, with: {message: "{{ state.file | storage_hash }}"}}]}`)
	ctx := filters.WithStorageHash(t.Context(), func(_ context.Context, path string) (string, error) { return "hash of " + path, nil })
	v, _, err := c.With.Render(ctx, state(t, `{"file":"x"}`))
	if err != nil || v.At("message").Text() != "hash of x" {
		t.Errorf("got %s, %v", v, err)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	g := mustLoad(t, `
nodes:
  - name: a
    if: "{{ state.n > 1 }}"
    run: x = 1
  - name: b
    if: state.word
    run: x = 1
  - name: c
    if: state.deep.er
    run: x = 1
`)
	scope := state(t, `{"n":2,"word":"no"}`)
	if ok, err := g.Nodes[0].If.True(t.Context(), scope); !ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
	for i, line := range map[int]string{1: "a.yaml:7:", 2: "a.yaml:10:"} {
		if _, err := g.Nodes[i].If.True(t.Context(), scope); !strings.HasPrefix(message(err), line) {
			t.Errorf("got %v, want an error at %s", err, line)
		}
	}
}

func TestCachePlan(t *testing.T) {
	t.Parallel()
	c := call(t, `
settings: {cache: {ttl: 5m, namespace: shared, mode: read}}
nodes:
  - name: a
    uses: http.get
    with: {url: x}
    cache:
      ttl_hours: "{{ state.hours }}"
      key: "k:{{ state.x }}"
      unless: result.n > state.limit
`)
	scope := state(t, `{"hours":2,"x":"X","limit":3}`)
	p, err := c.Cache.Policy(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	if p.TTL != 2*time.Hour || p.Key.Namespace != "shared" || p.Key.Strategy != cache.ByCustom || p.Key.Custom.Value.Text() != "k:X" || p.Mode != cache.Both || p.Explicit {
		t.Errorf("got %+v", p)
	}
	for n, want := range map[int64]bool{3: false, 4: true} {
		if got, err := p.Unless(value.Object(value.M("n", value.Int(n)))); got != want || err != nil {
			t.Errorf("unless of %d is %v, %v", n, got, err)
		}
	}
	if _, err := c.Cache.Policy(t.Context(), state(t, `{"hours":-2,"x":"X"}`)); !strings.HasPrefix(message(err), "a.yaml:7:5: cache: ") {
		t.Errorf("got %v, want an error at the option", err)
	}
	p, err = c.Cache.Policy(t.Context(), state(t, `{"hours":2}`))
	if err != nil || p.Key.Custom.Err == nil {
		t.Errorf("got %v, %v: a key that cannot be rendered is for the cache to judge", p.Key.Custom, err)
	}
}

func TestOutputSchema(t *testing.T) {
	t.Parallel()
	g := mustLoad(t, `
output_schema:
  n: {type: int, required: true}
  text: "n is {{ state.n }}"
  long: {type: float, value: "{{ state.n }}"}
  gone: str
nodes: [{name: a, run: x = 1}]
`)
	v, err := g.Schemas.Output.Render(t.Context(), state(t, `{"n":"5","other":1}`))
	if want := `{"long":5.0,"n":5,"text":"n is 5"}`; err != nil || v.String() != want {
		t.Errorf("got %s, %v, want %s", v, err, want)
	}
	if _, err := g.Schemas.Output.Render(t.Context(), state(t, `{"n":null}`)); message(err) == "" {
		t.Error("a required key is missing, and nobody says so")
	}
}
