package tests

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/value"
)

// fiveAnswers are what the model says to the agent of proof_five_calls.yaml:
// the first two questions are equal, the answers are not.
func fiveAnswers() []llmtest.Answer {
	return []llmtest.Answer{
		{Text: "Assam"}, {Text: "Sencha"},
		{Chunks: []string{"Pour ", "hot", "", " water — ", "wait.\n"}},
		{Status: http.StatusInternalServerError, Error: "the kettle broke"},
		{Text: `{"better": null, "why": "<taste> & \"smell\"", "n": 10000000000000001}`},
	}
}

// TestProofReplaysAreIdentical records an agent once and replays it a hundred
// times: the same bytes on stdout, the same events, and nobody is dialled.
func TestProofReplaysAreIdentical(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	model.Script(fiveAnswers()...)
	p := newPlace(t, "OPENAI_BASE_URL="+model.Base("openai"), "OPENAI_API_KEY=sk-of-the-proofs")
	yaml := text(t, "testdata/proof_five_calls.yaml")
	p.write(t, "agent.yaml", yaml)
	recorded := p.tea(t, "run", "agent.yaml", "--record")
	if recorded.status != 0 || len(model.Calls()) != 5 {
		t.Fatalf("status %d after %d calls: %s", recorded.status, len(model.Calls()), recorded.stderr)
	}
	for _, part := range []string{"Assam", "Sencha", "the kettle broke", "10000000000000001"} {
		if !strings.Contains(recorded.stdout, part) {
			t.Errorf("%q is not in %s", part, recorded.stdout)
		}
	}

	t.Run("in process", func(t *testing.T) {
		t.Parallel()
		e := newEngine(t, func(o *engine.Options) { o.HTTP = offline(t) })
		a := loaded(t, e, yaml)
		var first []string
		for i := range 100 {
			got := taped(t, e, a, p.path("cassettes/agent.yaml"), cassette.Replay)
			if got.err != nil || got.stdout() != recorded.stdout {
				t.Fatalf("replay %d: %v\n%s\nwant\n%s", i, got.err, got.stdout(), recorded.stdout)
			}
			if first == nil {
				first = got.story()
			}
			if !slices.Equal(got.story(), first) {
				t.Fatalf("replay %d: events\n%s\nwant\n%s", i, strings.Join(got.story(), "\n"), strings.Join(first, "\n"))
			}
		}
		if n := strings.Count(strings.Join(first, "\n"), `"type":"chunk"`); n != 4 {
			t.Errorf("the stream came in %d chunks", n)
		}
	})
	t.Run("command", func(t *testing.T) {
		t.Parallel()
		url, visits := trap(t)
		p := &place{p.dir, append(slices.Clone(p.env), "OPENAI_BASE_URL="+url+"/v1", "OPENAI_API_KEY=")}
		for range 3 {
			if got := p.tea(t, "run", "agent.yaml", "--replay"); got.status != 0 || got.stdout != recorded.stdout {
				t.Errorf("status %d: %s\n%s", got.status, got.stderr, got.stdout)
			}
		}
		if visits.Load() != 0 {
			t.Errorf("dialled %d times", visits.Load())
		}
	})
}

// TestProofReplayTellsTheSameStory holds the events of a replay against those
// of the run that was recorded.
func TestProofReplayTellsTheSameStory(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"c.yaml", "c.json", "c"} {
		model := llmtest.New(t)
		model.Script(fiveAnswers()...)
		file := newPlace(t).path(form)
		yaml := text(t, "testdata/proof_five_calls.yaml")
		live := newEngine(t, func(o *engine.Options) {
			o.Getenv = environment(map[string]string{"OPENAI_BASE_URL": model.Base("openai")})
		})
		recorded := taped(t, live, loaded(t, live, yaml), file, cassette.Record)
		dead := newEngine(t, func(o *engine.Options) { o.HTTP = offline(t) })
		replayed := taped(t, dead, loaded(t, dead, yaml), file, cassette.Replay)
		if recorded.err != nil || replayed.err != nil || !value.Equal(recorded.State, replayed.State) {
			t.Fatalf("%s: %v, %v\n%s\n%s", form, recorded.err, replayed.err, recorded.State, replayed.State)
		}
		if !slices.Equal(recorded.story(), replayed.story()) {
			t.Errorf("%s:\n%s\nbecame\n%s", form, strings.Join(recorded.story(), "\n"), strings.Join(replayed.story(), "\n"))
		}
	}
}
