package tests

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/value"
)

// keyForms are the ways to hand a provider its key: by the environment, as a
// setting, as a secret.
func keyForms() []string { return []string{"", "${PROVIDER_KEY}", "{{ secrets.PROVIDER_KEY }}"} }

// secretive returns the agent of proof_secrets.yaml, and the environment that it
// wants. form says how the provider gets its key.
func secretive(t *testing.T, form int, echo, memory, canary, key string) (yaml string, env map[string]string) {
	t.Helper()
	yaml = strings.NewReplacer("@ECHO@", echo, "@MEMORY@", memory, "@KEY@", keyForms()[form]).
		Replace(text(t, "testdata/proof_secrets.yaml"))
	env = map[string]string{"OPENAI_BASE_URL": echo + "/v1", "CANARY_SECRET": canary, "PROVIDER_KEY": key}
	switch form {
	case 0:
		yaml = strings.Replace(yaml, `, api_key: ""`, "", 1)
		delete(env, "PROVIDER_KEY")
		env["OPENAI_API_KEY"] = key
	case 2:
		yaml = strings.Replace(yaml, "[CANARY_SECRET]", "[CANARY_SECRET, PROVIDER_KEY]", 1)
	}
	return yaml, env
}

// canaryCount is how many secrets are set free, two in each run.
func canaryCount() int {
	if soak() {
		return 200
	}
	return 40
}

// TestProofSecretsStayInside sends secrets along every way that there is, to
// servers that say them again in every form that they can: none is found in
// anything that a run shows or keeps, and what was recorded still replays.
func TestProofSecretsStayInside(t *testing.T) {
	t.Parallel()
	echo := newEcho(t)
	p := newPlace(t)
	memory := "sqlite://" + p.path("memory.db")
	env, logs := map[string]string{}, &logBuffer{}
	var mu sync.Mutex
	e := newEngine(t, func(o *engine.Options) {
		o.Log = slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Getenv = func(name string) (string, bool) {
			mu.Lock()
			defer mu.Unlock()
			text, ok := env[name]
			return text, ok
		}
	})
	all := canaries(canaryCount())
	for i := 0; i < len(all); i += 2 {
		yaml, vars := secretive(t, i/2%3, echo.URL, memory, all[i], all[i+1])
		mu.Lock()
		env = vars
		mu.Unlock()
		s := &sinks{secrets: all[i : i+2]}
		oneSecretive(t, s, e, loaded(t, e, strings.Replace(yaml, "name: secrets", fmt.Sprint("name: secrets ", i), 1)), p, i/2)
		s.report(t)
		if t.Failed() {
			break
		}
	}
	s := &sinks{secrets: all}
	s.add("log", logs.text())
	s.files(t, p.path("memory.db*"))
	s.report(t)
}

// oneSecretive runs an agent live, from its caches, while it is recorded and
// from the recording, and gathers all that is left.
func oneSecretive(t *testing.T, s *sinks, e *engine.Engine, a *engine.Agent, p *place, i int) {
	t.Helper()
	tape := p.path(fmt.Sprint("c", i) + []string{".yaml", ".json", ""}[i%3])
	live := play(t, e, a, nil, nil)
	cached := play(t, e, a, nil, nil)
	recorded := taped(t, e, a, tape, cassette.Record)
	replayed := taped(t, e, a, tape, cassette.Replay)
	failed := session(t, p.path(fmt.Sprint("failed", i, ".yaml")), cassette.Record)
	s.run("failed", play(t, e, a, failed, nil))
	if err := failed.Finish(false); err != nil {
		t.Fatal(err)
	}
	if live.err != nil || cached.err != nil || recorded.err != nil || replayed.err != nil {
		t.Fatalf("%v\n%v\n%v\n%v", live.err, cached.err, recorded.err, replayed.err)
	}
	if cached.Stats.Hits == 0 || !strings.Contains(live.stdout(), value.Mask) {
		t.Errorf("%+v: %s", cached.Stats, live.stdout())
	}
	if recorded.stdout() != replayed.stdout() || !slices.Equal(recorded.story(), replayed.story()) {
		t.Errorf("the recording\n%s\nreplays as\n%s", strings.Join(recorded.story(), "\n"), strings.Join(replayed.story(), "\n"))
	}
	s.run("live", live)
	s.run("cached", cached)
	s.run("recorded", recorded)
	s.run("replayed", replayed)
	s.cassette(t, tape)
	s.files(t, p.path(fmt.Sprint("failed", i, ".yaml.failed")))
}

// TestProofSecretsStayInsideTheCommand is the same for the command: stdout,
// stderr with -v, its files, and the cassette of a proxy around it.
func TestProofSecretsStayInsideTheCommand(t *testing.T) {
	t.Parallel()
	echo := newEcho(t)
	all := canaries(canaryCount())[:canaryCount()*3/20] // six, or thirty
	for i := 0; i < len(all); i += 2 {
		yaml, vars := secretive(t, i/2%3, echo.URL, "sqlite://memory.db", all[i], all[i+1])
		p := newPlace(t)
		for name, text := range vars {
			p.env = append(p.env, name+"="+text)
		}
		p.write(t, "agent.yaml", yaml)
		p.write(t, "fails.yaml", yaml+"  - {name: fails, uses: llm.call, with: {prompt: \"refuse {{ secrets.CANARY_SECRET }}\"}}\n")
		s := &sinks{secrets: all[i : i+2]}
		for status, args := range map[string][]string{
			"0 live":     {"run", "agent.yaml", "-v", "--stream"},
			"0 recorded": {"run", "agent.yaml", "-v", "--record"},
			"1 failed":   {"run", "fails.yaml", "-v", "--record"},
			"0 proxied":  {"proxy", "--record=proxied.yaml", "--upstream", echo.URL, "--", "tea", "run", "agent.yaml", "-v"},
			"1 failing":  {"proxy", "--record=failing.yaml", "--upstream", echo.URL, "--", "tea", "run", "fails.yaml", "-v"},
		} {
			got := p.tea(t, args...)
			if fmt.Sprint(got.status) != status[:1] {
				t.Fatalf("%s: status %d: %s", status, got.status, got.stderr)
			}
			s.add(status+" stdout", got.stdout)
			s.add(status+" stderr", got.stderr)
		}
		replayed, proxied := p.tea(t, "run", "agent.yaml", "--replay", "-v"), p.tea(t, "proxy", "--replay=proxied.yaml", "--", "tea", "run", "agent.yaml", "-q")
		if replayed.status != 0 || proxied.status != 0 {
			t.Errorf("replays end with %d and %d: %s\n%s", replayed.status, proxied.status, replayed.stderr, proxied.stderr)
		}
		s.add("replayed", replayed.stdout+replayed.stderr)
		s.cassette(t, p.path("cassettes/agent.yaml"))
		s.cassette(t, p.path("proxied.yaml"))
		s.files(t, p.path("*.failed"), p.path("cassettes/*.failed"), p.path("memory.db*"))
		s.report(t)
	}
}

// logBuffer takes a log.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// sinks are texts in which no secret may be found.
type sinks struct {
	secrets []string
	names   []string
	texts   []string
}

func (s *sinks) add(name, text string) {
	s.names, s.texts = append(s.names, name), append(s.texts, text)
}

// run adds all that a run shows.
func (s *sinks) run(name string, p played) {
	s.add(name+" output", p.stdout())
	s.add(name+" state", p.State.String())
	s.add(name+" error", fmt.Sprint(p.err))
	var events, chunks strings.Builder
	for _, e := range p.events {
		events.WriteString(e.String() + "\n")
		chunks.WriteString(e.At("data", "text").Text() + e.At("data", "tool_call", "arguments").Text())
	}
	s.add(name+" events", events.String())
	s.add(name+" chunks", chunks.String())
}

// files adds the bytes of files, folders included.
func (s *sinks) files(t *testing.T, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Errorf("no file %s: %v", pattern, err)
		}
		for _, path := range found {
			err := filepath.WalkDir(path, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					s.add(filepath.Base(path), text(t, path))
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// cassette adds a cassette: its bytes, what they say, and what the chunks of
// each call spell.
func (s *sinks) cassette(t *testing.T, path string) {
	t.Helper()
	s.files(t, path)
	c, err := cassette.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for call, err := range c.Calls() {
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path) + " " + call.Node + call.Endpoint
		s.add(name, fmt.Sprint(call.Key.Indent(), call.Prompt, call.Output.Indent(), call.Text, call.ToolUses, call.Failure, call.Header, string(call.Body)))
		s.add(name+" raw", string(call.Raw))
		var data, frames strings.Builder
		for _, chunk := range call.Chunks {
			data.WriteString(chunk.Data.At("text").Text() + chunk.Data.At("tool_call", "arguments").Text())
			frames.Write(chunk.Bytes)
		}
		s.add(name+" chunks", data.String())
		s.add(name+" frames", frames.String())
		s.add(name+" deltas", deltas(frames.String()))
	}
}

// report says where secrets are.
func (s *sinks) report(t *testing.T) {
	t.Helper()
	for i, text := range s.texts {
		if found := leaks(text, s.secrets); len(found) > 0 {
			t.Errorf("%s: %s", s.names[i], strings.Join(found, "\n\t"))
		}
	}
}
