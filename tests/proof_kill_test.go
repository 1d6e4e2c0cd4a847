package tests

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/llm/llmtest"
)

// manyCalls is an agent that asks a model n times, about a subject.
func manyCalls(n int, subject string) string {
	var b strings.Builder
	b.WriteString("name: many\nsettings: {llm: {model: gpt-4o}}\nnodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {name: n%d, uses: llm.call, with: {prompt: %s %d}, output: a%d}\n", i, subject, i, i)
	}
	return b.String()
}

// generations is a model whose answers are long, and of one generation until
// the next begins.
type generations struct {
	mu   sync.Mutex
	now  int
	left int // calls until told
	told chan struct{}
}

// next begins a generation. told is closed with its nth call.
func (g *generations) next(n int) (name string, told <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now, g.left, g.told = g.now+1, n, make(chan struct{})
	return fmt.Sprint("generation ", g.now), g.told
}

// ServeHTTP implements http.Handler.
func (g *generations) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	text := strings.Repeat(fmt.Sprintln("generation", g.now), 50)
	g.left--
	if g.left == 0 {
		close(g.told)
	}
	g.mu.Unlock()
	one(llmtest.Answer{Text: text}).ServeHTTP(w, r)
}

// TestProofKilledRecordingsAreWhole kills the command at any moment while it
// records: the file is the old one or the new one, and so is each file of a
// directory. All of them can be replayed.
func TestProofKilledRecordingsAreWhole(t *testing.T) {
	t.Parallel()
	const calls = 20
	model := &generations{}
	p := newPlace(t, "OPENAI_BASE_URL="+newServer(t, model)+"/v1")
	p.write(t, "agent.yaml", manyCalls(calls, "tell of tea"))
	kills := 50
	if soak() {
		kills = 1000
	}
	forms := []string{"c.yaml", "c.json", "c"}
	held := map[string][]string{}
	for _, form := range forms {
		model.next(0)
		if got := p.tea(t, "run", "agent.yaml", "--record="+form); got.status != 0 {
			t.Fatal(got.stderr)
		}
		held[form] = generationsIn(t, p.path(form), calls)
	}
	old, fresh := 0, 0
	for i := range kills {
		form := forms[i%len(forms)]
		at := calls // the last one, after which the file is written
		if i%5 == 0 {
			at = 1 + rand.N(calls)
		}
		this, told := model.next(at)
		cmd := p.command("run", "agent.yaml", "--record="+form, "-q")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-told:
		case <-time.After(time.Minute):
			t.Fatal("the command does not record")
		}
		time.Sleep(rand.N(20 * time.Millisecond)) // the moment is what the test varies
		_ = cmd.Process.Kill()                    // it may have ended
		_ = cmd.Wait()
		got := generationsIn(t, p.path(form), calls)
		whole := len(got) == 1 || filepath.Ext(form) == "" // a directory is written call by call
		for _, g := range got {
			if !whole || g != this && !slices.Contains(held[form], g) {
				t.Fatalf("after kill %d, %s has %q; it had %q, and %q was recorded", i, form, got, held[form], this)
			}
		}
		if slices.Contains(got, this) {
			fresh++
		} else {
			old++
		}
		held[form] = got
	}
	if old == 0 || fresh == 0 {
		t.Errorf("the old one %d times, the new one %d times: the kills came all too early or too late", old, fresh)
	}
	t.Logf("%d kills: the old one %d times, the new one %d times", kills, old, fresh)
	p.env = append(p.env, "OPENAI_BASE_URL=http://127.0.0.1:1/v1")
	for _, form := range forms {
		if got := p.tea(t, "run", "agent.yaml", "--replay="+form); got.status != 0 {
			t.Errorf("%s: %s", form, got.stderr)
		}
	}
}

// generationsIn returns of which generations the calls of a cassette are. Each
// call has to be whole.
func generationsIn(t *testing.T, path string, calls int) []string {
	t.Helper()
	c, err := cassette.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	n := 0
	for call, err := range c.Calls() {
		if err != nil {
			t.Fatal(err)
		}
		n++
		lines := strings.Split(strings.TrimSpace(call.Text), "\n")
		if all := slices.Compact(lines); len(lines) != 50 || len(all) != 1 {
			t.Fatalf("%s: a call has %q", path, call.Text)
		}
		found = append(found, lines[0])
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if n != calls {
		t.Fatalf("%s has %d calls of %q", path, n, found)
	}
	return found
}

// TestProofRecordersShareADirectory has several commands record into one
// directory at once: none loses what another one wrote.
func TestProofRecordersShareADirectory(t *testing.T) {
	t.Parallel()
	const calls = 15
	p := newPlace(t, "OPENAI_BASE_URL="+newServer(t, one(llmtest.Answer{Text: "so be it"}))+"/v1")
	subjects := []string{"tea", "milk", "sugar"}
	for _, s := range subjects {
		p.write(t, s+".yaml", manyCalls(calls, s))
	}
	for round, mode := range []string{"--record-missing=shared", "--record-missing=shared"} {
		var commands []*exec.Cmd
		for _, s := range subjects {
			cmd := p.command("run", s+".yaml", mode, "-q")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			commands = append(commands, cmd)
		}
		for i, cmd := range commands {
			if err := cmd.Wait(); err != nil {
				t.Errorf("round %d: %s: %v", round, subjects[i], err)
			}
		}
		c, err := cassette.Read(p.path("shared"))
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != calls*len(subjects) {
			t.Errorf("round %d: %d calls, want %d", round, c.Len(), calls*len(subjects))
		}
	}
	p.env = append(p.env, "OPENAI_BASE_URL=http://127.0.0.1:1/v1")
	for _, s := range subjects {
		if got := p.tea(t, "run", s+".yaml", "--replay=shared"); got.status != 0 {
			t.Errorf("%s: %s", s, got.stderr)
		}
	}
	if left, _ := filepath.Glob(p.path("shared/.*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
