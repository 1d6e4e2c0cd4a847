package agenttest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/builtin"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/agenttest"
	"github.com/tea-agents/tea/engine/cassette"
	stores "github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/value"
)

// agent asks a service, through the cache, and decides by its answer.
const agent = `
name: weather
nodes:
  - name: ask
    uses: cache.wrap
    with: {action: test.ask, args: {city: "{{ state.city | default('') }}"}}
    output: {wind: "{{ result.result.wind }}"}
  - name: judge
    if: state.wind > 20
    run: |
      return {"warning": True}
`

type askInput struct {
	City string `json:"city" doc:"Where."`
}

func base(t *testing.T) (agenttest.Options, *int) {
	t.Helper()
	calls := new(int)
	ask := actions.Define(actions.Spec{Name: "test.ask", Version: 1, Summary: "Asks.", Outward: true},
		func(_ context.Context, _ actions.Env, in askInput) (value.Value, error) {
			*calls++
			return value.Object(value.M("wind", value.Int(31)), value.M("city", value.String(in.City))), nil
		})
	return agenttest.Options{
		Engine: engine.Options{Actions: append(builtin.Actions(), ask), Open: stores.Mux().Lazy},
		Mode:   cassette.Replay, Now: time.Now,
	}, calls
}

// run writes the agent and the tests beside it, and returns what came of them
// as lines.
func run(t *testing.T, o agenttest.Options, dir, tests string) (lines string, results []agenttest.Result, err error) {
	t.Helper()
	file := filepath.Join(dir, "weather"+agenttest.Ending)
	if err := os.WriteFile(filepath.Join(dir, "weather.yaml"), []byte(agent), 0o600); err != nil {
		t.Fatal(err)
	}
	suite, err := agenttest.Parse(file, []byte(tests))
	if err != nil {
		return "", nil, err
	}
	err = agenttest.Run(t.Context(), suite, o, func(r agenttest.Result) { results = append(results, r) })
	var b strings.Builder
	for _, r := range results {
		b.WriteString(r.Case.Name + ":")
		for _, f := range r.Failures {
			b.WriteString(" " + strings.TrimPrefix(f.String(), dir+"/") + ";")
		}
		b.WriteString("\n")
	}
	return b.String(), results, err
}

func TestMocksAndExpectations(t *testing.T) {
	t.Parallel()
	o, calls := base(t)
	lines, _, err := run(t, o, t.TempDir(), `
tests:
  - name: a mocked node
    input: {city: Oslo}
    mocks: {ask: {result: {result: {wind: 3}}}}
    expect: {state: {wind: 3}, path: [ask], llm_calls: 0, assert: ["state.wind < 4"]}
  - name: a mocked action, cached
    runs: 2
    input: {city: Oslo}
    mocks: {ask/test.ask: {result: {wind: 25}}}
    expect: {state: {warning: true}, path: [ask, judge], cache: {hits: 1, misses: 0}}
  - name: a failure
    mocks: {ask: {error: {code: unavailable, message: gone}}}
    expect: {error: {node: ask, code: unavailable, message: gone}}
  - name: one after the other
    runs: 3
    mocks: {ask: [{result: {result: {wind: 1}}}, {result: {result: {wind: 2}}}]}
    expect: {state: {wind: 2}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := "a mocked node:\na mocked action, cached:\na failure:\none after the other:\n"
	if lines != want || *calls != 0 {
		t.Errorf("%d calls, got\n%s", *calls, lines)
	}
}

func TestFailedExpectationsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	o, _ := base(t)
	lines, results, err := run(t, o, t.TempDir(), `
tests:
  - name: all wrong
    input: {city: Oslo}
    mocks: {ask: {result: {result: {wind: 30}}}}
    expect:
      state: {wind: 31, gone: 1}
      output: {}
      path: [judge]
      llm_calls: 2
      cache: {hits: 1, misses: 4}
      assert: ["state.wind == 5", "state.wind +"]
      error: {code: failed}
  - name: not recorded
    input: {city: Oslo}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"weather.test.yaml:7:21: state.wind is 30, want 31;",
		"state.gone is missing; there is city, warning, wind;",
		"output is {\"city\":\"Oslo\"",
		"path is ask → judge, want judge;",
		"0 calls reached a model, want 2;",
		"the cache served 0 calls, want 1;",
		"the cache missed 0 calls, want 4;",
		"state.wind == 5 is not true: state.wind is 30;",
		"the run did not fail;",
		"the node ask calls test.ask, which is neither mocked nor on a cassette",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
	if len(results) != 2 || results[0].Missed || !results[1].Missed {
		t.Errorf("results %+v", results)
	}
}

func TestMistakesInTestsHaveAPlace(t *testing.T) {
	t.Parallel()
	o, _ := base(t)
	for name, c := range map[string]struct{ tests, want string }{
		"no tests":         {"agent: weather.yaml\n", `weather.test.yaml:1:1: missing`},
		"unknown key":      {"tests: [{name: a, expct: {}}]\n", `1:19: unknown key "expct"`},
		"two of a name":    {"tests: [{name: a}, {name: a}]\n", `1:27: another case has the name "a"`},
		"unknown node":     {"tests: [{name: a, mocks: {aks: {result: 1}}}]\n", `the agent has no node "aks"`},
		"unknown in path":  {"tests: [{name: a, expect: {path: [jugde]}}]\n", `1:35: the agent has no node "jugde"`},
		"empty mock":       {"tests: [{name: a, mocks: {ask: {}}}]\n", "a mock has a `result` or an `error`"},
		"no outcome":       {"tests: [{name: a, mocks: {ask: []}}]\n", "the list of outcomes is empty"},
		"misspelt in mock": {"tests: [{name: a, mocks: {ask: {resutl: 1}}}]\n", `unknown key "resutl"`},
		"syntax":           {"tests: [\n", "weather.test.yaml:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := run(t, o, t.TempDir(), c.tests)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// A case is recorded once and replayed from then on.
func TestCassettes(t *testing.T) {
	t.Parallel()
	o, calls := base(t)
	dir := t.TempDir()
	const tests = "tests:\n  - name: A storm in Oslo!\n    input: {city: Oslo}\n    expect: {state: {warning: true}, llm_calls: 0}\n"
	o.Mode = cassette.Record
	if lines, _, err := run(t, o, dir, tests); err != nil || strings.Contains(lines, ";") || *calls != 1 {
		t.Fatalf("recording: %v, %d calls, %s", err, *calls, lines)
	}
	file := filepath.Join(dir, "cassettes", "weather", "a-storm-in-oslo.yaml")
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	o.Mode = cassette.Replay
	if lines, _, err := run(t, o, dir, tests); err != nil || strings.Contains(lines, ";") || *calls != 1 {
		t.Errorf("replaying: %v, %d calls, %s", err, *calls, lines)
	}
	changed := strings.Replace(tests, "input: {city: Oslo}", "input: {city: Bergen}", 1)
	lines, results, err := run(t, o, dir, changed)
	if err != nil || !results[0].Missed || !strings.Contains(lines, "tea test --record") || *calls != 1 {
		t.Errorf("changed: %v, %d calls, %s", err, *calls, lines)
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	o, _ := base(t)
	_, results, err := run(t, o, t.TempDir(), `
tests:
  - {name: good, mocks: {ask: {result: {result: {wind: 1}}}}}
  - {name: "b<d", mocks: {ask: {result: {result: {wind: 1}}}}, expect: {path: []}}
`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := agenttest.WriteJUnit(&b, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuites tests="2" failures="1">`, `name="b&lt;d"`, `line="4"`,
		`<failure message="path is ask, want empty">`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in\n%s", want, &b)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("agent: a.yaml\ntests:\n  - name: x\n    mocks: {a: [{result: 1}, {error: {code: failed}}]}\n    expect: {state: {}}\n")
	f.Add("tests: [{name: a, expect: {cache: {hits: -1}}}]")
	f.Fuzz(func(t *testing.T, text string) {
		if suite, err := agenttest.Parse("x.test.yaml", []byte(text)); suite == nil && err == nil {
			t.Error("neither a suite nor an error")
		}
	})
}
