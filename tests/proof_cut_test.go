package tests

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/memltm"
	"github.com/tea-agents/tea/value"
)

// cutAgents ask for the same stream, each on the way to another store.
func cutAgents() map[string]string {
	agent := func(body string) string {
		return "name: cut\nsettings:\n  llm: {model: \"${MODEL}\", api_base: \"${BASE}\", api_key: a-key-of-no-use}\nnodes:\n" +
			"  - name: ask\n    output: answer\n" + body
	}
	return map[string]string{
		"llm cache":  agent("    uses: llm.stream\n    with: {prompt: to the llm cache, cache: both}\n"),
		"cache.wrap": agent("    uses: cache.wrap\n    with: {action: llm.stream, args: {prompt: to the cache}}\n"),
		"cassette":   agent("    uses: llm.stream\n    with: {prompt: to the cassette}\n"),
	}
}

// fickle answers every call as it is told last, always as if it were the first.
type fickle struct {
	mu     sync.Mutex
	answer http.Handler
	calls  int
}

func (f *fickle) now(answer http.Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

func (f *fickle) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// ServeHTTP implements http.Handler.
func (f *fickle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.calls++
	answer := f.answer
	f.mu.Unlock()
	answer.ServeHTTP(w, r)
}

func one(a llmtest.Answer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fresh := &llmtest.Server{}
		fresh.Answer(a)
		fresh.ServeHTTP(w, r)
	})
}

// bench is an engine with a store in memory, and a provider that it asks.
type bench struct {
	engine   *engine.Engine
	provider *fickle
	agents   map[string]*engine.Agent
}

func newBench(t *testing.T, model, path string) *bench {
	t.Helper()
	b := &bench{provider: &fickle{}, agents: map[string]*engine.Agent{}}
	server := httptest.NewServer(b.provider)
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	memory := ltm.New(memltm.New(), nil)
	b.engine = newEngine(t, func(o *engine.Options) {
		o.HTTP, o.Memory = client, memory
		o.Getenv = environment(map[string]string{"MODEL": model, "BASE": server.URL + path})
	})
	for name, yaml := range cutAgents() {
		b.agents[name] = loaded(t, b.engine, yaml)
	}
	return b
}

// sample returns the bytes of a whole stream.
func (b *bench) sample(t *testing.T, a llmtest.Answer) string {
	t.Helper()
	var body string
	b.provider.now(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tape := httptest.NewRecorder()
		one(a).ServeHTTP(tape, r)
		body = tape.Body.String()
		for name, values := range tape.Header() {
			w.Header()[name] = values
		}
		_, _ = io.WriteString(w, body)
	}))
	if p := play(t, b.engine, b.agents["cassette"], nil, nil); p.err != nil {
		t.Fatal(p.err)
	}
	return body
}

// dialects are the models that are asked, one of each provider.
var dialects = []struct{ name, model, path string }{
	{"openai", "gpt-4o", "/v1"},
	{"anthropic", "claude-sonnet-4-0", ""},
	{"gemini", "gemini-2.5-flash", ""},
	{"ollama", "ollama/llama3.2", ""},
}

// TestProofCutStreamsAreFailures cuts a stream after every byte. Nothing of it
// is kept as an answer: the next run, which finds the stores as the last one
// left them, asks again, and what was recorded fails alike when it is replayed.
func TestProofCutStreamsAreFailures(t *testing.T) {
	t.Parallel()
	answers := map[string]llmtest.Answer{
		"text": {Chunks: []string{"Tea"}},
		"tool": {Tools: []llmtest.ToolCall{{Name: "brew", Arguments: `{"n":10}`}}},
	}
	for _, d := range dialects {
		for kind, answer := range answers {
			t.Run(d.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				step := 1
				if kind == "tool" && !soak() {
					step = 11
				}
				cutEverywhere(t, newBench(t, d.model, d.path), answer, step)
			})
		}
	}
}

// cut is where a body ends, and whether that looks like its end or breaks off.
type cut struct {
	after int
	clean bool
}

// cuts are all cuts of so many bytes, or one in step of them; at full count each
// both ways, else one way and the other in turns.
func cuts(bytes, step int) []cut {
	var all []cut
	for n := 0; n < bytes; n += step {
		if soak() || n/step%2 == 0 {
			all = append(all, cut{n, true})
		}
		if soak() || n/step%2 == 1 {
			all = append(all, cut{n, false})
		}
	}
	return all
}

func cutEverywhere(t *testing.T, b *bench, answer llmtest.Answer, step int) {
	t.Helper()
	whole := b.sample(t, answer)
	must := len(strings.TrimRight(whole, "\r\n")) // from here on all has been said
	tape := newPlace(t).path("c.yaml")
	recording := session(t, tape, cassette.Record)
	var recorded []played
	for _, c := range cuts(must, step) {
		n := c.after
		b.provider.now(one(answer.CutAfter(n, c.clean)))
		for name, agent := range b.agents {
			var s *cassette.Session
			if name == "cassette" {
				s = recording
			}
			before := b.provider.count()
			p := play(t, b.engine, agent, s, nil)
			if actions.CodeOf(p.err) != actions.CodeUnavailable || b.provider.count() != before+1 {
				t.Fatalf("%s: cut after %d of %d bytes (%q): %d calls, %v", name, n, len(whole), whole[max(0, n-20):n], b.provider.count()-before, p.err)
			}
			if name == "cassette" {
				recorded = append(recorded, p)
			}
		}
	}
	if err := recording.Finish(true); err != nil {
		t.Fatal(err)
	}
	failAlike(t, b, tape, recorded)
	wholeAgain(t, b, answer)
}

// failAlike replays what failed.
func failAlike(t *testing.T, b *bench, tape string, recorded []played) {
	t.Helper()
	before := b.provider.count()
	replay := session(t, tape, cassette.Replay)
	for n, want := range recorded {
		got := play(t, b.engine, b.agents["cassette"], replay, nil)
		if got.err == nil || got.err.Error() != want.err.Error() || strings.Join(got.story(), "\n") != strings.Join(want.story(), "\n") {
			t.Fatalf("cut after %d bytes: %v\n%s\nreplayed: %v\n%s", n, want.err, strings.Join(want.story(), "\n"), got.err, strings.Join(got.story(), "\n"))
		}
	}
	if b.provider.count() != before {
		t.Error("a replay asked the provider")
	}
}

// wholeAgain asks for the whole answer: once in the place of what was cut, and
// from then on the caches have it. So they were at work all the time.
func wholeAgain(t *testing.T, b *bench, answer llmtest.Answer) {
	t.Helper()
	b.provider.now(one(answer))
	for _, name := range []string{"llm cache", "cache.wrap"} {
		before := b.provider.count()
		first := play(t, b.engine, b.agents[name], nil, nil)
		again := play(t, b.engine, b.agents[name], nil, nil)
		if first.err != nil || again.err != nil || b.provider.count() != before+1 {
			t.Fatalf("%s: %v, %v after %d calls", name, first.err, again.err, b.provider.count()-before)
		}
		result := func(p played) value.Value {
			v := p.State.At("answer")
			if name == "cache.wrap" {
				v = v.At("result")
			}
			return v
		}
		if !value.Equal(result(first), result(again)) || result(first).At("content").Text() != strings.Join(answer.Chunks, "") {
			t.Errorf("%s: %s became %s", name, result(first), result(again))
		}
	}
}

// TestProofCanceledStreamsAreNotKept cancels a run in the middle of a stream,
// after each of its pieces.
func TestProofCanceledStreamsAreNotKept(t *testing.T) {
	t.Parallel()
	answer := llmtest.Answer{Chunks: []string{"Tea", " is", " warm", "."}}
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, d.model, d.path)
			whole := b.sample(t, answer)
			place := newPlace(t)
			for chunks := 1; chunks <= len(answer.Chunks); chunks++ {
				b.provider.now(stalling(d.name, whole))
				for name, agent := range b.agents {
					before, file := b.provider.count(), place.path(fmt.Sprint("c", chunks, ".yaml"))
					var s *cassette.Session
					if name == "cassette" {
						s = session(t, file, cassette.Record)
					}
					cause := errors.New("the reader has left")
					seen := 0
					p := play(t, b.engine, agent, s, func(r *engine.Run, ev event.Event) {
						if ev.Body.Type() == "chunk" {
							if seen++; seen == chunks {
								r.Cancel(cause)
							}
						}
					})
					if !errors.Is(p.err, cause) || seen < chunks || b.provider.count() != before+1 {
						t.Fatalf("%s: %d chunks, %d calls: %v", name, seen, b.provider.count()-before, p.err)
					}
					if s != nil {
						emptied(t, s, file)
					}
				}
			}
			wholeAgain(t, b, answer)
		})
	}
}

// stalling sends a stream without its last bytes, and then nothing any more
// until the client hangs up.
func stalling(provider, whole string) http.Handler {
	kind := "text/event-stream"
	if provider == "ollama" {
		kind = "application/x-ndjson"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody tells that the client is gone
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, whole[:len(whole)-4])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

// emptied holds that a session has kept nothing, passed or not.
func emptied(t *testing.T, s *cassette.Session, file string) {
	t.Helper()
	if n := len(s.Calls()); n != 0 {
		t.Errorf("%d calls were kept", n)
	}
	if err := s.Finish(true); err != nil {
		t.Error(err)
	}
	if _, err := cassette.Read(file); !errors.Is(err, cassette.ErrMissing) {
		t.Errorf("the cassette is there: %v", err)
	}
}
