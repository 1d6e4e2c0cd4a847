package engine_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cacheactions "github.com/tea-agents/tea/actions/cache"
	llmactions "github.com/tea-agents/tea/actions/llm"
	runactions "github.com/tea-agents/tea/actions/run"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/value"
)

// realEngine returns an engine with the real actions, for a provider's server
// in an environment.
func realEngine(t *testing.T, env map[string]string, change func(*engine.Options)) *engine.Engine {
	t.Helper()
	e, _ := newEngine(t, func(o *engine.Options) {
		o.Actions = slices.Concat(llmactions.Actions(), cacheactions.Actions(), runactions.Actions())
		o.Getenv = func(name string) (string, bool) { text, ok := env[name]; return text, ok }
		if change != nil {
			change(o)
		}
	})
	return e
}

const fiveCalls = `
name: five calls
settings: {llm: {model: gpt-4o, temperature: 0}}
nodes:
  - {name: one, uses: llm.call, with: {prompt: hello}, output: one}
  - {name: two, uses: llm.call, with: {prompt: hello}, output: two}
  - {name: three, uses: llm.stream, with: {prompt: go on}, output: three}
  - {name: four, uses: cache.wrap, with: {action: llm.call, args: {prompt: other}}, output: four}
  - {name: five, uses: llm.call, with: {prompt: fail}, on_error: {goto: end}}
  - {name: end, run: 'return {"done": True}'}
`

// A hundred replays of five calls, two of them equal, one streamed, one failing
// and handled, are alike to the byte, and so are their events but for the time.
func TestReplaysAreAlike(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.Script(
		llmtest.Answer{Text: "first"}, llmtest.Answer{Text: "second"}, llmtest.Answer{Text: "on and on it went"},
		llmtest.Answer{Text: "fourth"}, llmtest.Answer{Status: 400, Error: "no"},
	)
	file := filepath.Join(t.TempDir(), "c.yaml")
	e := realEngine(t, map[string]string{"OPENAI_BASE_URL": server.Base("openai"), "OPENAI_API_KEY": "sk-test-1234"}, nil)
	recorded := taped(t, e, fiveCalls, file, cassette.Record)
	if recorded.err != nil || len(server.Calls()) != 5 {
		t.Fatalf("%d calls, %v", len(server.Calls()), recorded.err)
	}
	offline := realEngine(t, nil, nil)
	want := timeless(t, recorded.events)
	if strings.Count(want, `"type":"chunk"`) != 5 {
		t.Errorf("the stream has other pieces: %s", want)
	}
	for i := range 100 {
		o := taped(t, offline, fiveCalls, file, cassette.Replay)
		if o.err != nil || o.Output.String() != recorded.Output.String() {
			t.Fatalf("replay %d: %s, %v", i, o.Output, o.err)
		}
		if got := timeless(t, o.events); got != want {
			t.Fatalf("replay %d tells\n%s\nthe recording told\n%s", i, got, want)
		}
	}
}

// timeless returns events as text, without what time has a part in.
func timeless(t *testing.T, events []event.Event) string {
	t.Helper()
	var out strings.Builder
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		v, err := value.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(v.Without("ts").Without("duration_ms").String() + "\n")
	}
	return out.String()
}

// A stream that breaks off, wherever it does, is a failure: nothing of it gets
// into the cache of answers, and what is recorded of it is a failure too.
func TestABrokenStreamIsNeverAnAnswer(t *testing.T) {
	t.Parallel()
	const yaml = "- {name: a, uses: llm.stream, with: {model: gpt-4o, prompt: hello}, output: a}"
	answer := llmtest.Answer{Text: "one two"}
	whole := streamed(t, answer)
	step := max(1, len(whole)/40)
	for n := 0; n < bytes.LastIndex(whole, []byte("[DONE]")); n += step {
		for _, clean := range []bool{false, true} {
			server := llmtest.New(t)
			server.Answer(answer.CutAfter(n, clean))
			e := realEngine(t, map[string]string{"OPENAI_BASE_URL": server.Base("openai")}, func(o *engine.Options) { o.LLMCache = "both" })
			if o := run(t, e, yaml, nil); o.err == nil {
				t.Fatalf("cut after %d of %d bytes: %s", n, len(whole), o.State)
			}
			server.Answer(answer)
			if o := run(t, e, yaml, nil); o.err != nil || o.State.At("a", "content").Text() != "one two" || o.Stats.Hits != 0 {
				t.Fatalf("after a cut at %d: %s, %+v, %v", n, o.State, o.Stats, o.err)
			}
			if o := run(t, e, yaml, nil); o.Stats.Hits != 1 {
				t.Fatalf("the whole answer was not kept: %+v", o.Stats)
			}
		}
	}
}

// streamed returns the bytes of a streamed answer.
func streamed(t *testing.T, a llmtest.Answer) []byte {
	t.Helper()
	server := llmtest.New(t)
	server.Answer(a)
	e := realEngine(t, map[string]string{"OPENAI_BASE_URL": server.Base("openai")}, nil)
	file := filepath.Join(t.TempDir(), "c.yaml")
	s, err := cassette.New(file, &cassette.Options{Mode: cassette.Record})
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Start(t.Context(), load(t, e, "- {name: a, uses: llm.stream, with: {model: gpt-4o, prompt: hello}}"), value.Null(), &engine.RunOptions{Cassette: s})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Wait(); err != nil {
		t.Fatal(err)
	}
	if calls := s.Calls(); len(calls) == 1 && len(calls[0].Raw) > 0 {
		return calls[0].Raw
	}
	t.Fatal("nothing was kept of the stream")
	return nil
}
