package chain_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

type askInput struct {
	Model     string                 `json:"model,omitempty" doc:"Model."`
	Provider  string                 `json:"provider,omitempty" doc:"Provider."`
	APIBase   string                 `json:"api_base,omitempty" doc:"Address."`
	APIKey    string                 `json:"api_key,omitempty" doc:"Key."`
	Messages  []value.Value          `json:"messages,omitempty" doc:"Messages."`
	Prompt    string                 `json:"prompt,omitempty" doc:"Prompt."`
	Headers   map[string]value.Value `json:"headers,omitempty" doc:"Headers."`
	Cache     string                 `json:"cache,omitempty" doc:"Mode."`
	Sensitive bool                   `json:"sensitive,omitempty" doc:"No traces."`
	Sample    int                    `json:"sample,omitempty" doc:"Which sample."`
}

// desk is a chain over models that answer with what they were asked.
type desk struct {
	observer
	asked   atomic.Int64
	memory  *ltm.Memory
	answers *llmcache.Cache
	config  chain.Config
}

// ask answers in words, which it streams if it is llm.stream. The prompt "fail"
// fails, "half" breaks off, "refuse" is a result that tells of a failure.
func (d *desk) ask(name string) actions.Action {
	spec := actions.Spec{Name: name, Version: 1, Summary: "Asks.", Outward: true, Model: true}
	return actions.Define(spec, func(_ context.Context, env actions.Env, in askInput) (value.Value, error) {
		d.asked.Add(1)
		var content strings.Builder
		for _, m := range in.Messages {
			content.WriteString("re: " + m.At("content").Text())
		}
		if _, err := env.Credential("TEST_API_KEY"); err != nil && in.APIKey == "" {
			return value.Null(), err
		}
		for word := range strings.SplitAfterSeq(content.String(), " ") {
			if name == "llm.stream" {
				env.Sink(actions.Chunk{Data: value.Object(value.M("text", value.String(word)))})
			}
		}
		switch content.String() {
		case "re: fail":
			return value.Null(), &actions.Error{Code: actions.CodeUnavailable, Message: "overloaded", RetryAfter: 7e9}
		case "re: half":
			return value.Null(), actions.Errorf(actions.CodeUnavailable, "the stream broke off")
		case "re: refuse":
			return value.Object(value.M("success", value.Bool(false)), value.M("error", value.String("no JSON"))), nil
		}
		env.Keep([]byte(`{"raw": "` + content.String() + `"}`))
		return value.Object(
			value.M("content", value.String(content.String())), value.M("model", value.String(in.Model)),
			value.M("usage", value.Must(map[string]any{"prompt_tokens": 10, "completion_tokens": 5})),
			value.M("cost_usd", value.Float(0.25)),
		), nil
	})
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{memory: ltm.New(memltm.New(), nil)}
	d.answers = llmcache.New(d.memory, nil)
	results := cache.New(d.memory, nil)
	registry, err := actions.NewRegistry(d.ask("llm.call"), d.ask("llm.stream"),
		actions.Define(actions.Spec{Name: "llm.two", Version: 1, Summary: "Asks twice.", Effect: actions.Compose, Model: true},
			func(ctx context.Context, env actions.Env, in askInput) (value.Value, error) {
				ask := func(text string) (actions.Result, error) {
					input := prompt(text)
					if in.Model != "" {
						input = input.With("model", value.String(in.Model))
					}
					return env.Invoke(ctx, "llm.call", input, actions.Policy{})
				}
				_, err := ask("one")
				second, failed := ask("two")
				return second.Output, errors.Join(err, failed)
			}),
		actions.Define(actions.Spec{Name: "t.clock", Version: 1, Summary: "Reads."},
			func(context.Context, actions.Env, echoInput) (value.Value, error) {
				return value.Object(value.M("n", value.Int(d.asked.Add(1)))), nil
			}))
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]actions.Action{}
	for _, a := range registry.All() {
		if a.Spec().Model {
			models[a.Spec().Name] = a
		}
	}
	d.config = chain.Config{
		Env: actions.Env{
			Registry: registry, Clock: actions.SystemClock{}, Namespace: "ns",
			Secrets:    func(name string) (string, error) { return "s3cr3t-" + name, nil },
			Credential: func(string) (string, error) { return "k3y-of-the-program", nil },
		},
		Cache: results, Scrubber: &chain.Scrubber{}, Observer: d,
		Models: chain.Models{
			Actions: models, Answers: d.answers,
			Settings: value.Object(value.M("model", value.String("gpt-4o"))),
		},
	}
	t.Cleanup(func() {
		if err := errors.Join(d.answers.Close(), results.Close(), d.memory.Close()); err != nil {
			t.Error(err)
		}
	})
	return d
}

// said is how a call went.
type said struct {
	actions.Result
	err    error
	chunks []string
}

func (d *desk) call(t *testing.T, action string, input value.Value, change ...func(*actions.Call)) said {
	t.Helper()
	var s said
	call := &actions.Call{ID: "n", Node: "n", Action: action, Input: input, Sink: func(c actions.Chunk) {
		s.chunks = append(s.chunks, c.Data.At("text").Text())
	}}
	for _, f := range change {
		f(call)
	}
	handler, _ := chain.New(d.config)
	s.Result, s.err = handler(t.Context(), call)
	return s
}

func prompt(text string, more ...value.Member) value.Value {
	return value.Object(append(more, value.M("prompt", value.String(text)))...)
}

func (s said) status() cache.Status {
	if s.Meta.Answer == nil {
		return ""
	}
	return s.Meta.Answer.Status
}

func TestSettingsReachEveryCallOfAModel(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, action := range []string{"llm.call", "llm.two"} {
		if s := d.call(t, action, prompt("hello")); s.err != nil || s.Output.At("model").Text() != "gpt-4o" {
			t.Errorf("%s: %s, %v", action, s.Output, s.err)
		}
	}
	d.config.Models.Settings = d.config.Models.Settings.With("provider", value.String("openai"))
	for _, action := range []string{"llm.call", "llm.two"} {
		s := d.call(t, action, prompt("hello", value.M("model", value.String("anthropic/claude-x"))))
		if s.err != nil || s.Output.At("model").Text() != "claude-x" {
			t.Errorf("%s: another provider's model is not asked: %s, %v", action, s.Output, s.err)
		}
	}
	d.config.Models.Settings = d.config.Models.Settings.Without("provider")
	if s := d.call(t, "llm.call", prompt("x", value.M("model", value.String("nobody-knows")))); actions.CodeOf(s.err) != actions.CodeInvalidInput {
		t.Errorf("error %v, want invalid_input", s.err)
	}
}

func TestTheModeOfTheAnswerCache(t *testing.T) {
	t.Parallel()
	off, read := llmcache.Off, llmcache.Read
	for name, c := range map[string]struct {
		own   string
		mode  llmcache.Mode
		limit *llmcache.Mode
		calls int64 // of three
	}{
		"nothing said":        {calls: 3},
		"by the settings":     {mode: llmcache.Both, calls: 1},
		"by the call":         {own: "both", calls: 1},
		"off by the call":     {own: "off", mode: llmcache.Both, calls: 3},
		"write looks not up":  {own: "write", calls: 3},
		"read stores nothing": {own: "read", calls: 3},
		"off from outside":    {own: "both", limit: &off, calls: 3},
		"read from outside":   {own: "both", limit: &read, calls: 3},
	} {
		d := newDesk(t)
		d.config.Models.Mode, d.config.Models.Cap = c.mode, c.limit
		for range 3 {
			input := prompt("hello")
			if c.own != "" {
				input = input.With("cache", value.String(c.own))
			}
			if s := d.call(t, "llm.call", input); s.err != nil || s.Output.At("content").Text() != "re: hello" {
				t.Errorf("%s: %s, %v", name, s.Output, s.err)
			}
		}
		if got := d.asked.Load(); got != c.calls {
			t.Errorf("%s: asked %d times, want %d", name, got, c.calls)
		}
	}
	if s := newDesk(t).call(t, "llm.call", prompt("x", value.M("cache", value.String("bth")))); actions.CodeOf(s.err) != actions.CodeInvalidInput || !strings.Contains(s.err.Error(), "both") {
		t.Errorf("got %v", s.err)
	}
}

func TestAHitIsTheSameAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.config.Models.Mode = llmcache.Both
	first := d.call(t, "llm.stream", prompt("one two three"))
	again := d.call(t, "llm.stream", prompt("one two three"))
	if first.status() != cache.Miss || again.status() != cache.Hit || d.asked.Load() != 1 {
		t.Errorf("%s, %s, asked %d times", first.status(), again.status(), d.asked.Load())
	}
	if !value.Equal(first.Output, again.Output) || string(first.Meta.Raw) != string(again.Meta.Raw) || len(again.Meta.Raw) == 0 {
		t.Errorf("%s %s\nbecame\n%s %s", first.Output, first.Meta.Raw, again.Output, again.Meta.Raw)
	}
	if got, want := strings.Join(again.chunks, "|"), "re: |one |two |three"; got != want || strings.Join(first.chunks, "|") != want {
		t.Errorf("chunks %q and %q, want %q", first.chunks, again.chunks, want)
	}
	if again.Meta.Answer.SavedUSD == 0 || d.hits != 1 || d.misses != 1 {
		t.Errorf("saved %v, counted %d hits, %d misses", again.Meta.Answer.SavedUSD, d.hits, d.misses)
	}
	plain := d.call(t, "llm.call", prompt("one two three"))
	if plain.status() != cache.Hit || len(plain.chunks) != 0 {
		t.Errorf("a plain call: %s with chunks %q", plain.status(), plain.chunks)
	}
}

func TestAPlainAnswerIsStreamedInOnePiece(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.config.Models.Mode = llmcache.Both
	d.call(t, "llm.call", prompt("a b"))
	if s := d.call(t, "llm.stream", prompt("a b")); strings.Join(s.chunks, "|") != "re: a b" {
		t.Errorf("chunks %q", s.chunks)
	}
}

func TestWhatIsNotKeptInTheAnswerCache(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]value.Value{
		"a failure":                 prompt("fail"),
		"a stream that broke off":   prompt("half"),
		"a result tells of failure": prompt("refuse"),
		"sensitive":                 prompt("hello", value.M("sensitive", value.Bool(true))),
		"marked":                    prompt("TEA_NOCACHE hello"),
	} {
		d := newDesk(t)
		d.config.Models.Mode = llmcache.Both
		first, again := d.call(t, "llm.stream", input), d.call(t, "llm.stream", input)
		if d.asked.Load() != 2 {
			t.Errorf("%s: asked %d times, want 2", name, d.asked.Load())
		}
		if (first.err == nil) != (again.err == nil) || !value.Equal(first.Output, again.Output) {
			t.Errorf("%s: %s %v, then %s %v", name, first.Output, first.err, again.Output, again.err)
		}
	}
}

// tape returns a session on a cassette.
func tape(t *testing.T, path string, mode cassette.Mode) *cassette.Session {
	t.Helper()
	s, err := cassette.New(path, &cassette.Options{Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// record makes calls with a fresh cassette, and returns what they yield.
func (d *desk) with(t *testing.T, path string, mode cassette.Mode, calls func() []said) []said {
	t.Helper()
	d.config.Recording.Session = tape(t, path, mode)
	all := calls()
	if err := d.config.Recording.Session.Finish(true); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRecordingsReplayWithoutAskingAnybody(t *testing.T) {
	t.Parallel()
	d, path := newDesk(t), filepath.Join(t.TempDir(), "c.yaml")
	d.config.Models.Mode = llmcache.Both
	calls := func() []said {
		return []said{
			d.call(t, "llm.call", prompt("one")), d.call(t, "llm.call", prompt("one")),
			d.call(t, "llm.stream", prompt("a b c")), d.call(t, "llm.call", prompt("fail")),
			d.call(t, "llm.two", prompt("")),
		}
	}
	recorded := d.with(t, path, cassette.Record, calls)
	if d.asked.Load() != 6 {
		t.Fatalf("asked %d times, want 6: caches are left alone", d.asked.Load())
	}
	d.config.Env.Credential = func(string) (string, error) { return "", errors.New("none here") }
	replayed := d.with(t, path, cassette.Replay, calls)
	if d.asked.Load() != 6 {
		t.Errorf("a replay asked %d times", d.asked.Load()-6)
	}
	for i, r := range recorded {
		p := replayed[i]
		if !value.Equal(r.Output, p.Output) || strings.Join(r.chunks, "|") != strings.Join(p.chunks, "|") || string(r.Meta.Raw) != string(p.Meta.Raw) {
			t.Errorf("call %d: %s %q %s became %s %q %s", i, r.Output, r.chunks, r.Meta.Raw, p.Output, p.chunks, p.Meta.Raw)
		}
		if (r.err == nil) != (p.err == nil) || r.err != nil && (r.err.Error() != p.err.Error() || actions.RetryAfter(r.err) != actions.RetryAfter(p.err) || actions.CodeOf(r.err) != actions.CodeOf(p.err)) {
			t.Errorf("call %d: error %v became %v", i, r.err, p.err)
		}
	}
}

func TestAMissEndsTheRun(t *testing.T) {
	t.Parallel()
	d, path := newDesk(t), filepath.Join(t.TempDir(), "c.yaml")
	d.with(t, path, cassette.Record, func() []said { return []said{d.call(t, "llm.call", prompt("what is tea"))} })
	missed := d.with(t, path, cassette.Replay, func() []said { return []said{d.call(t, "llm.call", prompt("what is coffee"))} })[0]
	if actions.CodeOf(missed.err) != actions.CodeReplayMiss || d.asked.Load() != 1 {
		t.Fatalf("error %v after %d calls", missed.err, d.asked.Load())
	}
	if _, ok := errors.AsType[*cassette.ReplayMissError](missed.err); !ok {
		t.Errorf("a %T", missed.err)
	}
}

func TestWhatIsRecorded(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		d := newDesk(t)
		d.config.Recording.All = all
		s := tape(t, filepath.Join(t.TempDir(), "c.yaml"), cassette.Record)
		d.config.Recording.Session = s
		d.call(t, "t.clock", value.Object())
		d.call(t, "llm.two", prompt(""))
		if want := 2 + map[bool]int{true: 1}[all]; s.Made() != want {
			t.Errorf("all: %v: %d calls recorded, want %d", all, s.Made(), want)
		}
	}
}

func TestCanceledCallsAreNotRecorded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := tape(t, filepath.Join(t.TempDir(), "c.yaml"), cassette.Record)
	d.config.Recording.Session = s
	handler, _ := chain.New(d.config)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := handler(ctx, &actions.Call{ID: "n", Action: "llm.call", Input: prompt("x")}); actions.CodeOf(err) != actions.CodeCanceled || s.Made() != 0 {
		t.Errorf("error %v, %d recorded", err, s.Made())
	}
}

func TestCachesAreLeftAloneWhileRecording(t *testing.T) {
	t.Parallel()
	for fromCache, want := range map[bool]int64{false: 2, true: 1} {
		d := newDesk(t)
		d.config.Recording = chain.Recording{Session: tape(t, filepath.Join(t.TempDir(), "c.yaml"), cassette.Record), FromCache: fromCache}
		withPolicy := func(c *actions.Call) { c.Policy = cached() }
		d.call(t, "llm.call", prompt("x"), withPolicy)
		s := d.call(t, "llm.call", prompt("x"), withPolicy)
		if d.asked.Load() != want || (s.Meta.Cache.Status == cache.Bypass) == fromCache {
			t.Errorf("from cache: %v: asked %d times, want %d; %+v", fromCache, d.asked.Load(), want, s.Meta.Cache)
		}
	}
}

func TestNoSecretOfAModelCallIsKept(t *testing.T) {
	t.Parallel()
	d, path := newDesk(t), filepath.Join(t.TempDir(), "c.yaml")
	secret, ok := value.Concat(value.String("say "), value.Secret("WORD"))
	if !ok {
		t.Fatal("not joined")
	}
	input := value.Object(
		value.M("prompt", secret), value.M("api_key", value.String("sk-in-the-clear")),
		value.M("headers", value.Must(map[string]any{"Authorization": "Bearer t0ken-t0ken"})),
	)
	var kept []string
	calls := func() []said { return []said{d.call(t, "llm.stream", input)} }
	recorded := d.with(t, path, cassette.Record, calls)[0]
	for _, c := range d.config.Recording.Session.Calls() {
		kept = append(kept, c.Key.String(), c.Prompt, c.Output.String(), string(c.Raw), c.Text)
		for _, chunk := range c.Chunks {
			kept = append(kept, chunk.Data.String())
		}
	}
	for _, leak := range []string{"s3cr3t", "sk-in", "t0ken", "k3y-of"} {
		if text := strings.Join(kept, "\n"); strings.Contains(text, leak) {
			t.Errorf("%s in %s", leak, text)
		}
	}
	if got := recorded.Output.At("content").Text(); got != "re: say ***" {
		t.Errorf("content %q", got)
	}
	if p := d.with(t, path, cassette.Replay, calls)[0]; p.err != nil || !value.Equal(p.Output, recorded.Output) {
		t.Errorf("replayed %s, %v", p.Output, p.err)
	}
}

func TestMocksStandInForCalls(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.config.Mock = func(c *actions.Call, _ bool) func(context.Context) (value.Value, error) {
		if c.Action != "llm.call" {
			return nil
		}
		return func(context.Context) (value.Value, error) { return value.String("mocked"), nil }
	}
	if s := d.call(t, "llm.call", prompt("x")); s.Output.Text() != "mocked" || d.asked.Load() != 0 {
		t.Errorf("got %s after %d calls", s.Output, d.asked.Load())
	}
	if s := d.call(t, "llm.stream", prompt("x")); s.Output.At("content").Text() != "re: x" {
		t.Errorf("got %s", s.Output)
	}
}
