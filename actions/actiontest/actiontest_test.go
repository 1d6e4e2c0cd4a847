package actiontest_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

type in struct {
	Text  string          `json:"text" doc:"A text."`
	Count int             `json:"count" doc:"A count." default:"1" min:"0" max:"9"`
	Wait  time.Duration   `json:"wait,omitempty" doc:"How long to wait."`
	Items []item          `json:"items,omitempty" doc:"Some items."`
	Late  schema.Rendered `json:"late,omitempty" doc:"Judged later." mode:"late"`
}

type item struct {
	Name string `json:"name" doc:"Its name."`
}

type out struct {
	Text string `json:"text" doc:"The text, repeated."`
}

func repeat(ctx context.Context, env actions.Env, in in) (out, error) {
	if err := env.Clock.Sleep(ctx, in.Wait); err != nil {
		return out{}, err
	}
	if in.Late.Err != nil {
		return out{}, actions.Errorf(actions.CodeInvalidInput, "late: %w", in.Late.Err)
	}
	return out{strings.Repeat(in.Text, in.Count)}, nil
}

func good() actions.Spec {
	return actions.Spec{
		Name: "test.repeat", Version: 1, Summary: "Repeats a text.", Effect: actions.Pure,
		Examples: []actions.Example{{
			Title: "Twice", YAML: "- name: a\n  uses: test.repeat\n  with: {text: ab, count: 2}\n", Output: `{"text":"abab"}`,
		}},
	}
}

func registry(t *testing.T, list ...actions.Action) *actions.Registry {
	t.Helper()
	r, err := actions.NewRegistry(list...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAGoodActionPasses(t *testing.T) {
	t.Parallel()
	actiontest.Run(t, registry(t, actions.Define(good(), repeat)), nil)
}

// TestTheSuiteNotices breaks an action in every way that the suite is for.
func TestTheSuiteNotices(t *testing.T) {
	t.Parallel()
	with := func(change func(*actions.Spec)) actions.Action {
		s := good()
		change(&s)
		return actions.Define(s, repeat)
	}
	body := func(run func(in) (value.Value, error)) actions.Action {
		return actions.Define(good(), func(_ context.Context, _ actions.Env, x in) (value.Value, error) { return run(x) })
	}
	example := func(yaml, output string) actions.Action {
		return with(func(s *actions.Spec) { s.Examples = []actions.Example{{Title: "T", YAML: yaml, Output: output}} })
	}
	const use = "- uses: test.repeat\n"
	for name, c := range map[string]struct {
		action actions.Action
		want   string
	}{
		"no summary":          {with(func(s *actions.Spec) { s.Summary = "" }), "declaration: the summary"},
		"summary without end": {with(func(s *actions.Spec) { s.Summary = "Repeats" }), "declaration: the summary"},
		"undocumented input": {actions.Define(good(), func(context.Context, actions.Env, struct {
			X bareItem `json:"x" doc:"."`
		}) (out, error) {
			return out{}, nil
		}), "declaration: input.x.name has no doc"},
		"undocumented output":  {actions.Define(good(), func(context.Context, actions.Env, in) (bareItem, error) { return bareItem{}, nil }), "declaration: output.name has no doc"},
		"example without use":  {example("- run: x\n", ""), `examples: example "T" does not use`},
		"example not YAML":     {example("- [", ""), `examples: example "T": yaml`},
		"example bad input":    {example(use+"  with: {text: a, cuont: 2}\n", ""), `examples: example "T": unknown key "cuont"`},
		"example without with": {example(use, ""), `examples: example "T": missing required key "text"`},
		"example bad output":   {example(use+"  with: {text: '{{ x }}'}\n", "{"), `examples: example "T": output`},
		"untitled example":     {with(func(s *actions.Spec) { s.Examples[0].Title = "" }), "examples: an example has no title"},
		"panics":               {body(func(in) (value.Value, error) { panic("oops") }), "panicked: oops"},
		"panics on a number":   {body(func(x in) (value.Value, error) { return value.List(value.Int(int64(10 / x.Count))), nil }), "types: "},
		"panics on long text":  {body(func(x in) (value.Value, error) { _ = [1]int{}[len(x.Text)/9]; return value.Null(), nil }), "random: "},
		"result is not JSON":   {body(func(in) (value.Value, error) { return value.Float(math.NaN()), nil }), ""},
		"no such code":         {body(func(in) (value.Value, error) { return value.Null(), actions.Errorf("odd", "x") }), `the code "odd"`},
		"silent error":         {body(func(in) (value.Value, error) { return value.Null(), errors.New("") }), "says nothing"},
		"enum not kept": {actions.Define(good(), func(context.Context, actions.Env, in) (enumOut, error) {
			return enumOut{"c"}, nil
		}), "does not fit the output schema"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := actiontest.Violations(t, registry(t, c.action), &actiontest.Harness{Runs: 50})
			noticed := slices.ContainsFunc(got, func(v string) bool { return strings.Contains(v, c.want) })
			if c.want != "" && !noticed || c.want == "" && len(got) > 0 {
				t.Errorf("want %q, got %q", c.want, got)
			}
		})
	}
}

type bareItem struct {
	Name string `json:"name"`
}

type enumOut struct {
	Kind string `json:"kind" doc:"Its kind." enum:"a,b"`
}

func TestWritingActionsRunOnlyWhereTheyAreConfined(t *testing.T) {
	t.Parallel()
	for _, confined := range []bool{false, true} {
		ran := false
		spec := good()
		spec.Effect = actions.Write
		a := actions.Define(spec, func(context.Context, actions.Env, in) (out, error) {
			ran = true
			return out{}, nil
		})
		got := actiontest.Violations(t, registry(t, a), &actiontest.Harness{Writes: confined, Runs: 20})
		if len(got) > 0 || ran != confined {
			t.Errorf("confined %v: ran %v, got %q", confined, ran, got)
		}
	}
}

func TestTheEnvironmentCaches(t *testing.T) {
	t.Parallel()
	runs := 0
	r := registry(t, actions.Define(good(), func(context.Context, actions.Env, in) (out, error) {
		runs++
		return out{"x"}, nil
	}))
	policy, problems := cache.Settings{}.Policy()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	handle := actiontest.Direct(r, actiontest.Env(t, r))
	for _, input := range []string{`{"text":"1"}`, `{"text":1,"count":"1"}`} {
		c := &actions.Call{Action: "test.repeat", Input: value.Must(json.RawMessage(input)), Policy: actions.Policy{Cache: &policy}}
		res, err := handle(t.Context(), c)
		if err != nil || res.Output.String() != `{"success":true,"text":"x"}` || res.Meta.Cache == nil || res.Meta.Cache.Key == "" {
			t.Errorf("%s: got %+v, %v", input, res, err)
		}
	}
	if runs != 1 {
		t.Errorf("ran %d times", runs)
	}
}

func TestTheEnvironmentInvokesAndSleepsWithoutWaiting(t *testing.T) {
	t.Parallel()
	outer := good()
	outer.Name, outer.Effect = "test.outer", actions.Compose
	r := registry(t, actions.Define(good(), repeat), actions.Define(outer, func(ctx context.Context, env actions.Env, x in) (value.Value, error) {
		before := env.Clock.Now()
		res, err := env.Invoke(ctx, "actions.test_repeat", value.Must(map[string]any{"text": x.Text, "wait": "1h"}), actions.Policy{})
		if env.Clock.Now().Sub(before) != time.Hour {
			return value.Null(), errors.New("the clock did not move")
		}
		return res.Output, err
	}))
	a, _ := r.Lookup("test.outer")
	res, err := a.Handle(t.Context(), actiontest.Env(t, r), &actions.Call{Input: value.Must(map[string]any{"text": "x"})})
	if err != nil || res.Output.At("text").Text() != "x" {
		t.Errorf("got %s, %v", res.Output, err)
	}
}
