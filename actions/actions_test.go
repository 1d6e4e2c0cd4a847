package actions_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

type greetIn struct {
	Name  string          `json:"name" doc:"Whom."`
	Times int             `json:"times" doc:"How often." default:"1" min:"1"`
	Extra value.Value     `json:"extra,omitempty" doc:"Anything."`
	Key   schema.Rendered `json:"key,omitempty" doc:"Late." mode:"late"`
}

type greetOut struct {
	Text string `json:"text" doc:"The greeting."`
}

func greet(_ context.Context, _ actions.Env, in greetIn) (greetOut, error) {
	return greetOut{strings.Repeat("hello "+in.Name+" ", in.Times)}, nil
}

func spec(name string) actions.Spec {
	return actions.Spec{Name: name, Version: 1, Summary: "Says something."}
}

// free declares an action of any result.
func free(name string, effect actions.Effect, run func(ctx context.Context, env actions.Env, in greetIn) (value.Value, error)) actions.Action {
	s := spec(name)
	s.Effect = effect
	return actions.Define(s, run)
}

func call(input string) *actions.Call {
	return &actions.Call{ID: "main/0", Node: "n", Action: "test.greet", Input: mustParse(input)}
}

func mustParse(text string) value.Value {
	v, err := value.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

func TestHandleDecodesRunsAndEncodes(t *testing.T) {
	t.Parallel()
	a := actions.Define(spec("test.greet"), greet)
	for input, want := range map[string]string{
		`{"name":"ada"}`:              `{"success":true,"text":"hello ada "}`,
		`{"name":7,"times":"2"}`:      `{"success":true,"text":"hello 7 hello 7 "}`,
		`{"name":"x","times":null}`:   `{"success":true,"text":"hello x "}`,
		`{"name":"x","extra":[1,{}]}`: `{"success":true,"text":"hello x "}`,
	} {
		res, err := a.Handle(t.Context(), actions.Env{}, call(input))
		if err != nil || res.Output.String() != want {
			t.Errorf("%s: got %s, %v, want %s", input, res.Output, err, want)
		}
	}
}

func TestHandleNamesAllThatIsWrongWithTheInput(t *testing.T) {
	t.Parallel()
	a := actions.Define(spec("test.greet"), greet)
	for input, want := range map[string]string{
		`{"nmae":"ada","times":0}`: `test.greet: missing required key "name" (Whom.); times: must be at least 1, got 0; unknown key "nmae" (did you mean "name"?)`,
		`null`:                     `test.greet: missing required key "name" (Whom.)`,
		`[]`:                       `the input of test.greet must be an object, got a list`,
		`"x"`:                      `the input of test.greet must be an object, got a string`,
	} {
		_, err := a.Handle(t.Context(), actions.Env{}, call(input))
		if err == nil || err.Error() != want || actions.CodeOf(err) != actions.CodeInvalidInput {
			t.Errorf("%s: got %v, want %s", input, err, want)
		}
	}
}

func TestSuccessIsSaidUnlessTheActionSaysOtherwise(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{}`:                `{"success":true}`,
		`{"success":false}`: `{"success":false}`,
		`{"success":null}`:  `{"success":null}`,
		`{"error":"quota"}`: `{"error":"quota"}`,
		`{"error":null}`:    `{"error":null,"success":true}`,
		`[1]`:               `[1]`,
		`null`:              `null`,
	} {
		a := free("test.any", actions.Pure, func(context.Context, actions.Env, greetIn) (value.Value, error) {
			return mustParse(result), nil
		})
		res, err := a.Handle(t.Context(), actions.Env{}, call(`{"name":"x"}`))
		if err != nil || res.Output.String() != want {
			t.Errorf("%s: got %s, %v", result, res.Output, err)
		}
	}
}

func TestResultsThatAreNotJSONAreRefusedWithThePath(t *testing.T) {
	t.Parallel()
	a := free("test.any", actions.Pure, func(context.Context, actions.Env, greetIn) (value.Value, error) {
		return value.Must(map[string]any{"list": []any{1, math.NaN()}}), nil
	})
	_, err := a.Handle(t.Context(), actions.Env{}, call(`{"name":"x"}`))
	if actions.CodeOf(err) != actions.CodeFailed || !strings.Contains(err.Error(), "list[1]") {
		t.Errorf("got %v", err)
	}
}

func TestSecretsAreResolvedOnlyWhereTheActionWorksItself(t *testing.T) {
	t.Parallel()
	env := actions.Env{Secrets: func(name string) (string, error) {
		if name != "known" {
			return "", errors.New("not listed")
		}
		return "hunter2", nil
	}}
	echo := func(_ context.Context, _ actions.Env, in greetIn) (value.Value, error) {
		return value.Object(value.M("kind", value.String(in.Extra.Kind().String())), value.M("text", value.String(in.Extra.Text()))), nil
	}
	with := func(name string) *actions.Call {
		c := call(`{"name":"x"}`)
		c.Input = c.Input.With("extra", value.Secret(name))
		return c
	}
	for effect, want := range map[actions.Effect]string{
		actions.Read:    `{"kind":"string","success":true,"text":"hunter2"}`,
		actions.Compose: `{"kind":"secret","success":true,"text":""}`,
	} {
		res, err := free("test.echo", effect, echo).Handle(t.Context(), env, with("known"))
		if err != nil || res.Output.String() != want {
			t.Errorf("%s: got %s, %v", effect, res.Output, err)
		}
	}
	for name, env := range map[string]actions.Env{"unknown": env, "known": {}} {
		_, err := free("test.echo", actions.Write, echo).Handle(t.Context(), env, with(name))
		if actions.CodeOf(err) != actions.CodeCredentialMissing || !strings.Contains(err.Error(), `"`+name+`"`) {
			t.Errorf("got %v", err)
		}
	}
}

func TestProblemsWithSecretInputDoNotShowIt(t *testing.T) {
	t.Parallel()
	a := actions.Define(spec("test.greet"), greet)
	c := call(`{"name":"x"}`)
	c.Input = c.Input.With("times", value.Secret("s"))
	_, err := a.Handle(t.Context(), actions.Env{Secrets: func(string) (string, error) { return "hunter2", nil }}, c)
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "times") {
		t.Errorf("got %v", err)
	}
}

func TestLateErrorsReachTheAction(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	a := free("test.late", actions.Pure, func(_ context.Context, _ actions.Env, in greetIn) (value.Value, error) {
		if !errors.Is(in.Key.Err, boom) {
			return value.Null(), fmt.Errorf("got %v", in.Key)
		}
		return value.Object(), nil
	})
	c := call(`{"name":"x"}`)
	c.Late = map[string]error{"key": boom}
	if _, err := a.Handle(t.Context(), actions.Env{}, c); err != nil {
		t.Error(err)
	}
}

func TestPanicsBecomeInternalErrors(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a := free("test.panic", actions.Pure, func(context.Context, actions.Env, greetIn) (value.Value, error) { panic("oops") })
	_, err := a.Handle(t.Context(), actions.Env{Log: log}, call(`{"name":"x"}`))
	if actions.CodeOf(err) != actions.CodeInternal || err.Error() != "action test.panic panicked: oops" {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(logged.String(), "level=DEBUG") || !strings.Contains(logged.String(), "actions_test.go") {
		t.Errorf("logged %q", &logged)
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	t.Parallel()
	coded := &actions.Error{Code: actions.CodeUnavailable, Message: "busy", RetryAfter: time.Second}
	for _, c := range []struct {
		err  error
		code actions.Code
		text string
	}{
		{coded, actions.CodeUnavailable, "busy"},
		{fmt.Errorf("while asking: %w", coded), actions.CodeUnavailable, "while asking: busy"},
		{errors.New("plain"), actions.CodeFailed, "plain"},
		{context.DeadlineExceeded, actions.CodeTimeout, "context deadline exceeded"},
		{schema.Problems{{Message: "odd"}}, actions.CodeInvalidInput, "test.fail: odd"},
	} {
		a := free("test.fail", actions.Read, func(context.Context, actions.Env, greetIn) (value.Value, error) { return value.Null(), c.err })
		_, err := a.Handle(t.Context(), actions.Env{}, call(`{"name":"x"}`))
		var got *actions.Error
		if !errors.As(err, &got) || got.Code != c.code || err.Error() != c.text || !errors.Is(err, error(coded)) && c.code == actions.CodeUnavailable {
			t.Errorf("%v: got %v (%s)", c.err, err, actions.CodeOf(err))
		}
		if c.code == actions.CodeUnavailable && (actions.RetryAfter(err) != time.Second || !got.Retryable()) {
			t.Errorf("%v: got %+v", c.err, got)
		}
	}
}

func TestTheEndOfTheContextIsTimeoutOrCanceledWithItsCause(t *testing.T) {
	t.Parallel()
	why := errors.New("the run is over budget")
	sleepy := free("test.sleep", actions.Read, func(ctx context.Context, env actions.Env, _ greetIn) (value.Value, error) {
		return value.Null(), env.Clock.Sleep(ctx, time.Hour)
	})
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	plain, stop := context.WithCancel(t.Context())
	stop()
	late, end := context.WithTimeoutCause(t.Context(), time.Millisecond, why)
	defer end()
	for _, c := range []struct {
		ctx  context.Context
		code actions.Code
		text string
	}{
		{canceled, actions.CodeCanceled, "test.sleep was canceled: the run is over budget"},
		{plain, actions.CodeCanceled, "test.sleep was canceled"},
		{late, actions.CodeTimeout, "test.sleep timed out: the run is over budget"},
	} {
		_, err := sleepy.Handle(c.ctx, actions.Env{}, call(`{"name":"x"}`))
		if actions.CodeOf(err) != c.code || err.Error() != c.text || !errors.Is(err, c.ctx.Err()) || !errors.Is(err, context.Cause(c.ctx)) {
			t.Errorf("got %v (%s), want %s", err, actions.CodeOf(err), c.text)
		}
	}
}

func TestTheEnvironmentIsBoundToTheCall(t *testing.T) {
	t.Parallel()
	var chunks []actions.Chunk
	c := call(`{"name":"x"}`)
	c.Sink = func(ch actions.Chunk) { chunks = append(chunks, ch) }
	a := free("test.env", actions.Read, func(_ context.Context, env actions.Env, _ greetIn) (value.Value, error) {
		env.Sink(actions.Chunk{Data: value.String(env.CallID + " " + env.Node)})
		env.Scratch.Set("k", value.Int(1))
		env.Log.Info("dropped")
		if r := env.Rand(); r < 0 || r >= 1 || env.HTTP == nil || env.Clock.Now().IsZero() {
			return value.Null(), errors.New("an incomplete environment")
		}
		return value.Object(), nil
	})
	if _, err := a.Handle(t.Context(), actions.Env{}, c); err != nil {
		t.Fatal(err)
	}
	if len(chunks) != 1 || chunks[0].Data.Text() != "main/0 n" {
		t.Errorf("got %v", chunks)
	}
}

func TestInvokeGoesThroughTheChainWithChildIDs(t *testing.T) {
	t.Parallel()
	parent := free("test.parent", actions.Compose, func(ctx context.Context, env actions.Env, in greetIn) (value.Value, error) {
		if in.Times == 2 {
			_, err := env.Invoke(ctx, "test.gret", value.Object(), actions.Policy{})
			return value.Null(), err
		}
		_, err := env.Invoke(ctx, "test.greet", value.Object(), actions.Policy{})
		if err != nil {
			return value.Null(), err
		}
		_, err = env.Invoke(ctx, "actions.test_greet", in.Extra, actions.Policy{})
		return value.Object(), err
	})
	registry, err := actions.NewRegistry(parent, actions.Define(spec("test.greet"), greet))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	env := actions.Env{Registry: registry}.WithInvoker(func(_ context.Context, c *actions.Call) (actions.Result, error) {
		seen = append(seen, fmt.Sprintf("%s %s %s %s", c.ID, c.Node, c.Action, c.Input))
		return actions.Result{}, nil
	})
	if _, err := parent.Handle(t.Context(), env, call(`{"name":"x","extra":{"a":1}}`)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, "; "); got != `main/0/1 n test.greet {}; main/0/2 n test.greet {"a":1}` {
		t.Errorf("got %s", got)
	}
	_, err = parent.Handle(t.Context(), env, call(`{"name":"x","times":2}`))
	if actions.CodeOf(err) != actions.CodeNotFound || err.Error() != `unknown action "test.gret" (did you mean "test.greet"?)` {
		t.Errorf("got %v", err)
	}
	_, err = parent.Handle(t.Context(), actions.Env{}, call(`{"name":"x"}`))
	if actions.CodeOf(err) != actions.CodeUnsupported {
		t.Errorf("got %v", err)
	}
}

func TestOutputSchemaHasSuccess(t *testing.T) {
	t.Parallel()
	s := actions.Define(spec("test.greet"), greet).OutputSchema()
	if got := s.At("properties", "success", "type").Text(); got != "boolean" {
		t.Errorf("got %s", s)
	}
	if s.At("properties", "text").IsNull() {
		t.Errorf("got %s", s)
	}
	a := free("test.any", actions.Pure, nil)
	if a.Output() != nil || a.OutputSchema().Len() != 1 {
		t.Errorf("got %s", a.OutputSchema())
	}
}

func BenchmarkHandle(b *testing.B) {
	a := actions.Define(spec("test.nothing"), func(context.Context, actions.Env, struct{}) (struct{}, error) { return struct{}{}, nil })
	c := &actions.Call{ID: "main/0", Node: "n", Action: "test.nothing", Input: value.Object()}
	env := actions.Env{}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Handle(b.Context(), env, c); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAnActionThatKeepsItsInputTakesNoSecret(t *testing.T) {
	t.Parallel()
	a := actions.Define(actions.Spec{Name: "test.keep", Version: 1, Summary: "Keeps.", Effect: actions.Write, Keeps: true},
		func(context.Context, actions.Env, greetIn) (value.Value, error) { return value.Null(), nil })
	in := value.Object(value.M("name", value.String("x")), value.M("extra", value.List(value.Secret("TOKEN"))))
	_, err := a.Handle(t.Context(), actions.Env{}, &actions.Call{Input: in})
	if actions.CodeOf(err) != actions.CodeInvalidInput || !strings.Contains(err.Error(), "TOKEN") {
		t.Errorf("a secret is taken: %v", err)
	}
}
