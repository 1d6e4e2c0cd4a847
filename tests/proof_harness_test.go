package tests

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions/builtin"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/event"
	stores "github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/value"
)

// soak tells whether the proofs run at their full counts.
func soak() bool { return os.Getenv("TEA_SOAK") == "1" }

// place is a folder in which the command runs, with an environment of its own.
type place struct {
	dir string
	env []string
}

func newPlace(tb testing.TB, env ...string) *place {
	tb.Helper()
	dir := tb.TempDir()
	name, text := noSleep()
	return &place{dir, append([]string{name + "=" + text, "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_DATA_HOME=" + dir}, env...)}
}

// path returns where a file of the place is.
func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// write puts a file into the place.
func (p *place) write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// command is a tea that can be started in the place.
func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tea", args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// said is what a command left.
type said struct {
	stdout, stderr string
	status         int
}

// tea runs the command to its end.
func (p *place) tea(tb testing.TB, args ...string) said {
	tb.Helper()
	return finish(tb, p.command(args...))
}

func finish(tb testing.TB, cmd *exec.Cmd) said {
	tb.Helper()
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		tb.Fatal(err)
	}
	return said{out.String(), complaint.String(), cmd.ProcessState.ExitCode()}
}

// newServer serves until the test ends.
func newServer(tb testing.TB, h http.Handler) (url string) {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s.URL
}

// trap listens, and counts who comes: nobody should.
func trap(tb testing.TB) (url string, visits *atomic.Int64) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	visits = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			_ = c.Close()
		}
	}()
	return "http://" + l.Addr().String(), visits
}

// offline is an HTTP client that fails the test when it is to dial.
func offline(tb testing.TB) *http.Client {
	tb.Helper()
	return &http.Client{Transport: &http.Transport{
		DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			tb.Errorf("dialled %s %s", network, address)
			return nil, errors.New("there is no network here")
		},
	}}
}

// environment is a Getenv over a map.
func environment(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { text, ok := env[name]; return text, ok }
}

// newEngine returns an engine as the command has one, in an empty environment.
func newEngine(tb testing.TB, change func(*engine.Options)) *engine.Engine {
	tb.Helper()
	o := &engine.Options{Actions: builtin.Actions(), Open: stores.Mux().Lazy, Getenv: environment(nil)}
	change(o)
	e, err := engine.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// loaded compiles an agent.
func loaded(tb testing.TB, e *engine.Engine, yaml string) *engine.Agent {
	tb.Helper()
	a, err := e.LoadBytes("agent.yaml", []byte(yaml))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// played is how a run in this process went.
type played struct {
	engine.Result
	err    error
	events []value.Value
}

// play runs an agent to its end; seen, if not nil, gets its events as they come.
func play(tb testing.TB, e *engine.Engine, a *engine.Agent, s *cassette.Session, seen func(*engine.Run, event.Event)) played {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	run, err := e.Start(ctx, a, value.Null(), &engine.RunOptions{Cassette: s})
	if err != nil {
		tb.Fatal(err)
	}
	var p played
	for ev := range run.Events() {
		if seen != nil {
			seen(run, ev)
		}
		data, err := ev.MarshalJSON()
		if err != nil {
			tb.Fatal(err)
		}
		v, err := value.Parse(data)
		if err != nil {
			tb.Fatal(err)
		}
		p.events = append(p.events, v)
	}
	p.Result, p.err = run.Wait()
	return p
}

// stdout is what the command would have written.
func (p played) stdout() string { return p.Output.Indent() + "\n" }

// story is what happened, without when, how long it took and the run's id.
func (p played) story() []string {
	lines := make([]string, len(p.events))
	for i, e := range p.events {
		for _, key := range []string{"ts", "run", "duration_ms"} {
			e = e.Without(key)
		}
		lines[i] = e.String()
	}
	return lines
}

// session opens a cassette.
func session(tb testing.TB, path string, mode cassette.Mode) *cassette.Session {
	tb.Helper()
	s, err := cassette.New(path, &cassette.Options{Mode: mode})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// taped runs an agent with a cassette, and finishes that.
func taped(tb testing.TB, e *engine.Engine, a *engine.Agent, path string, mode cassette.Mode) played {
	tb.Helper()
	s := session(tb, path, mode)
	p := play(tb, e, a, s, nil)
	if err := s.Finish(p.err == nil); err != nil {
		tb.Fatal(err)
	}
	return p
}

// text reads a file.
func text(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}
