package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/actions"
	cacheactions "github.com/tea-agents/tea/actions/cache"
	runactions "github.com/tea-agents/tea/actions/run"
	storageactions "github.com/tea-agents/tea/actions/storage"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/value"
)

type extractInput struct {
	File      string `json:"file" doc:"Path of the document."`
	AgentName string `json:"agent_name,omitempty" doc:"The extraction agent."`
}

type llmInput struct {
	Model    string        `json:"model" doc:"The model."`
	Messages []value.Value `json:"messages" doc:"The conversation."`
}

// storyActions are those that the agents of the story use; calls counts how
// often one of the two that cost something ran.
func storyActions(calls *atomic.Int64) []actions.Action {
	return slices.Concat(cacheactions.Actions(), runactions.Actions(), storageactions.Actions(), []actions.Action{
		actions.Define(actions.Spec{Name: "llamaextract.extract", Version: 1, Summary: "Extracts."},
			func(_ context.Context, _ actions.Env, in extractInput) (value.Value, error) {
				calls.Add(1)
				return value.Must(map[string]any{"data": map[string]any{"agent": in.AgentName}}), nil
			}),
		actions.Define(actions.Spec{Name: "llm.call", Version: 1, Summary: "Asks."},
			func(_ context.Context, _ actions.Env, in llmInput) (value.Value, error) {
				calls.Add(1)
				return value.Object(value.M("content", in.Messages[0].At("content"))), nil
			}),
	})
}

// story loads one of the story's agents, as it stands there.
func story(t *testing.T, e *engine.Engine, name string, input map[string]any) outcome {
	t.Helper()
	a, err := e.Load(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Start(t.Context(), a, value.Must(input), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := wait(t, r)
	if o.err != nil {
		t.Fatal(o.err)
	}
	return o
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStory(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	e, _ := newEngine(t, func(o *engine.Options) { o.Actions = storyActions(&calls) })
	file := filepath.Join(t.TempDir(), "a.pdf")
	write(t, file, "one")
	input := map[string]any{"file_path": file, "agent_name": "invoices"}

	first := story(t, e, "document_extraction", input)
	if got := first.State.At("data", "agent").Text(); got != "invoices" {
		t.Errorf("state %s", first.State)
	}
	if !strings.Contains(eventText(t, first, "log"), "Cache miss - fresh extraction performed") {
		t.Errorf("the miss was not printed: %s", eventText(t, first, "log"))
	}
	again := story(t, e, "document_extraction", input)
	if hit, _ := again.State.At("extraction_result", "_cache_hit").AsBool(); !hit || again.Stats.Hits != 1 {
		t.Errorf("the second run: %s, %+v", again.State, again.Stats)
	}
	if !strings.Contains(eventText(t, again, "log"), "Cache hit! Created at: 20") {
		t.Errorf("the hit was not printed: %s", eventText(t, again, "log"))
	}
	if !strings.Contains(eventText(t, again, "node_finished"), `"status":"hit"`) {
		t.Errorf("the node does not show the hit: %s", eventText(t, again, "node_finished"))
	}
	write(t, file, "two")
	story(t, e, "document_extraction", input)
	if calls.Load() != 2 {
		t.Errorf("extracted %d times, want 2: the content changed once", calls.Load())
	}

	cleared := story(t, e, "cache_management", nil)
	if got := cleared.State.At("deleted").String(); got != "2" {
		t.Errorf("deleted %s entries, want 2: %s", got, cleared.State)
	}
	story(t, e, "document_extraction", input)
	if calls.Load() != 3 {
		t.Errorf("extracted %d times, want 3: the cache was cleared", calls.Load())
	}
}

func TestStoryOfTheTranslation(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	e, _ := newEngine(t, func(o *engine.Options) { o.Actions = storyActions(&calls) })
	for i, text := range []string{"good day", "good day", "good night"} {
		o := story(t, e, "cached_llm", map[string]any{"target_language": "French", "text": text})
		if got := o.State.At("translation_result", "result", "content").Text(); got != "Translate to French: "+text {
			t.Errorf("run %d: %s", i, o.State)
		}
	}
	if calls.Load() != 2 {
		t.Errorf("asked %d times, want 2", calls.Load())
	}
}

func TestStorageHashInTemplates(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	e, _ := newEngine(t, func(o *engine.Options) { o.Actions = storyActions(&calls) })
	file := filepath.Join(t.TempDir(), "a")
	write(t, file, "abc")
	o := run(t, e, `
name: hashes
nodes:
  - name: extract
    uses: cache.wrap
    with:
      action: llamaextract.extract
      key: "{{ state.file | storage_hash }}"
      args: {file: "{{ state.file }}"}
    output: r
`, map[string]any{"file": file})
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := o.State.At("r", "_cache_key").Text(); o.err != nil || !strings.Contains(got, sum) {
		t.Errorf("key %q, error %v", got, o.err)
	}
	if !strings.Contains(eventText(t, o, "call_started"), `"action":"storage.hash"`) {
		t.Errorf("the hash is no call of its own: %s", o.types())
	}
	o = run(t, e, `
name: hashes
nodes:
  - name: extract
    uses: cache.wrap
    with:
      action: llamaextract.extract
      key: "{{ state.file | storage_hash }}"
      args: {file: x}
    output: r
`, map[string]any{"file": file + ".missing"})
	if got := o.State.At("r", "_cache_status").Text(); o.err != nil || got != "uncacheable" {
		t.Errorf("a file that cannot be hashed: status %q, error %v; want uncacheable", got, o.err)
	}
}
