package engine_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/llm/llmtest"
)

const drifting = `
name: drifting
settings:
  llm:
    model: gpt-4o
    temperature: 0.5
    seed: 7
nodes:
  - name: other
    uses: llm.call
    with: {prompt: Something else entirely, model: gpt-4.1, temperature: 0, seed: 1}
  - name: ask
    uses: llm.call
    with:
      max_tokens: 100
      top_p: 0.9
      stop: [END]
      sample: 1
      tool_choice: auto
      extra: {logprobs: false}
      response_format: {type: json_schema, name: reply, schema: {type: object, properties: {said: {type: string}}}}
      messages:
        - {role: system, content: You are brief.}
        - {role: user, content: "What is tea?"}
        - {role: assistant, content: A drink.}
        - {role: user, content: "And coffee?"}
      tools:
        - name: lookup
          description: Looks a word up.
          parameters: {type: object, properties: {word: {type: string, maxLength: 40}}, required: [word]}
    on_error: {goto: end}
  - {name: end, run: 'return {"done": True}'}
`

// Whatever changes in a request, its replay fails, names the recorded call
// that it was, and shows what changed.
func TestDriftIsShown(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.Answer(llmtest.Answer{Text: `{"said": "ok"}`})
	file := filepath.Join(t.TempDir(), "c.yaml")
	e := realEngine(t, map[string]string{"OPENAI_BASE_URL": server.Base("openai")}, nil)
	if o := taped(t, e, drifting, file, cassette.Record); o.err != nil || len(server.Calls()) != 2 {
		t.Fatalf("%d calls, %v", len(server.Calls()), o.err)
	}
	if o := taped(t, e, drifting, file, cassette.Replay); o.err != nil {
		t.Fatalf("unchanged: %v", o.err)
	}
	for was, is := range map[string]string{
		"temperature: 0.5":     "temperature: 0.6",
		"seed: 7":              "seed: 8",
		"model: gpt-4o\n":      "model: gpt-4o-mini\n",
		"max_tokens: 100":      "max_tokens: 101",
		"top_p: 0.9":           "top_p: 0.8",
		"stop: [END]":          "stop: [END, STOP]",
		"sample: 1":            "sample: 2",
		"tool_choice: auto":    "tool_choice: lookup",
		"logprobs: false":      "logprobs: true",
		"name: reply":          "name: answer",
		"said: {type: string}": "said: {type: integer}",
		"You are brief.":       "You are very brief.",
		"What is tea?":         "What is tea",
		"A drink.":             "A plant.",
		"And coffee?":          "And Coffee?",
		"role: assistant":      "role: user",
		"name: lookup":         "name: search",
		"Looks a word up.":     "Looks words up.",
		"maxLength: 40":        "maxLength: 50",
		", required: [word]":   "",
		"      tools:\n":       "      x-tools:\n",
		"- {role: user, content: \"What is tea?\"}\n        - {role: assistant, content: A drink.}": "- {role: assistant, content: A drink.}\n        - {role: user, content: \"What is tea?\"}",
	} {
		changed := strings.Replace(drifting, was, is, 1)
		if strings.Contains(is, "x-tools") {
			changed = drifting[:strings.Index(drifting, "      tools:")] + drifting[strings.Index(drifting, "    on_error"):]
		}
		o := taped(t, e, changed, file, cassette.Replay)
		miss, ok := errors.AsType[*cassette.ReplayMissError](o.err)
		if !ok || engine.ExitCode(o.err) != 6 || len(server.Calls()) != 2 {
			t.Errorf("%q: %v after %d calls", is, o.err, len(server.Calls()))
			continue
		}
		if miss.Closest == nil || miss.Closest.Node != "ask" || !strings.Contains(miss.Diff, "\n-") && !strings.Contains(miss.Diff, "\n+") {
			t.Errorf("%q: %v", is, miss)
		}
	}
}
