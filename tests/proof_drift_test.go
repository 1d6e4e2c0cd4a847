package tests

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/llm/llmtest"
)

// drift is one change of the agent of proof_drift.yaml, with the lines that the
// diff has to show.
type drift struct {
	name, before, after string
	lines               []string
}

func drifts() []drift {
	const (
		green   = "        - {role: user, content: \"Which tea is green?\"}\n"
		sencha  = "        - {role: assistant, content: Sencha.}\n"
		format  = "schema: {type: object, properties: {tea: {type: string}}}"
		leaf    = "{leaf: {type: string}}"
		brewing = "        - {name: brew, description: Brews a tea., parameters: {type: object, properties: {leaf: {type: string}}}}\n"
		pouring = "        - {name: pour, description: Pours a tea., parameters: {type: object, properties: {cups: {type: integer}}}}\n"
	)
	return []drift{
		{"prompt", "And which is black?", "And which is yellow?", []string{`-.*And which is black\?`, `\+.*And which is yellow\?`}},
		{"a space", "And which is black?", "And  which is black?", []string{`-.*And which is black\?`, `\+.*And  which is black\?`}},
		{"case", "And which is black?", "and which is black?", []string{`-.*And which is black\?`, `\+.*and which is black\?`}},
		{"temperature", "temperature: 0.2", "temperature: 0.3", []string{`- *"temperature": 0.2`, `\+ *"temperature": 0.3`}},
		{"model", "model: gpt-4o,", "model: gpt-4o-mini,", []string{`- *"model": "gpt-4o"`, `\+ *"model": "gpt-4o-mini"`}},
		{"max_tokens", "max_tokens: 100", "max_tokens: 101", []string{`- *"max_tokens": 100`, `\+ *"max_tokens": 101`}},
		{"seed", "seed: 7", "seed: 8", []string{`- *"seed": 7`, `\+ *"seed": 8`}},
		{"stop", "stop: [END]", "stop: [END, STOP]", []string{`- *"END"`, `\+ *"END",`, `\+ *"STOP"`}},
		{"system", "a master of tea", "a master of coffee", []string{`-.*a master of tea`, `\+.*a master of coffee`}},
		{"order of messages", green + sencha, sencha + green, []string{`-.*(Sencha|is green)`, `\+.*(Sencha|is green)`}},
		{"a further message", sencha, sencha + "        - {role: user, content: Thanks.}\n", []string{`\+.*"Thanks\."`, `\+.*"role": "user"`}},
		{"schema of a tool", leaf, "{leaf: {type: integer}}", []string{`- *"type": "string"`, `\+ *"type": "integer"`}},
		{"description of a tool", "Brews a tea.", "Brews tea.", []string{`-.*Brews a tea\.`, `\+.*Brews tea\.`}},
		{"order of tools", brewing + pouring, pouring + brewing, []string{`-.*"(brew|pour)"`, `\+.*"(brew|pour)"`}},
		{"response_format", format, strings.Replace(format, "tea:", "leaf:", 1), []string{`- *"tea": \{`, `\+ *"leaf": \{`}},
		{"tool_choice", "tool_choice: auto", "tool_choice: required", []string{`- *"tool_choice": "auto"`, `\+ *"tool_choice": "required"`}},
		{"top_p, of settings.llm", "top_p: 0.9", "top_p: 0.8", []string{`- *"top_p": 0.9`, `\+ *"top_p": 0.8`}},
		{"extra parameter", "logprobs: false", "logprobs: true", []string{`- *"logprobs": false`, `\+ *"logprobs": true`}},
		{"provider", "{model: gpt-4o,", "{provider: ollama, model: gpt-4o,", []string{`- *"provider": "openai"`, `\+ *"provider": "ollama"`}},
		{"a further default in settings.llm", "top_p: 0.9}", "top_p: 0.9, api_version: v2}", []string{`\+ *"api_version": "v2"`}},
	}
}

// TestProofDriftIsFound changes an agent after it was recorded: its replay ends
// with status 6, names the recorded call that is closest, and shows the line
// that changed.
func TestProofDriftIsFound(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t)
	model.Script(llmtest.Answer{Text: "None."}, llmtest.Answer{Text: `{"tea": "Assam"}`})
	p := newPlace(t, "OPENAI_BASE_URL="+model.Base("openai"))
	agent := text(t, "testdata/proof_drift.yaml")
	p.write(t, "agent.yaml", agent)
	if got := p.tea(t, "run", "agent.yaml", "--record=c.yaml"); got.status != 0 {
		t.Fatal(got.stderr)
	}
	closest := hashOf(t, p.path("c.yaml"), "main")
	url, visits := trap(t)
	p.env = append(p.env, "OPENAI_BASE_URL="+url+"/v1", "OLLAMA_HOST="+url)
	if got := p.tea(t, "run", "agent.yaml", "--replay=c.yaml"); got.status != 0 {
		t.Fatalf("without a change: %s", got.stderr)
	}
	t.Run("changes", func(t *testing.T) {
		for i, d := range drifts() {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				drifted := strings.Replace(agent, d.before, d.after, 1)
				if d.name == "model" || d.name == "provider" || strings.Contains(d.name, "settings.llm") {
					drifted = own(t, drifted) // the other call stays as it was
				}
				file := "drifted" + string(rune('a'+i)) + ".yaml"
				p.write(t, file, drifted)
				got := p.tea(t, "run", file, "--replay=c.yaml")
				if got.status != 6 || got.stdout != "" {
					t.Errorf("status %d, stdout %s", got.status, got.stdout)
				}
				for _, line := range append(d.lines, "Closest recorded call: "+closest, "tea run "+file+" --record-missing=c.yaml") {
					if !regexp.MustCompile(`(?m)^(.*: )?` + line).MatchString(got.stderr) {
						t.Errorf("no line %s in\n%s", line, got.stderr)
					}
				}
			})
		}
	})
	if len(drifts()) != 20 || visits.Load() != 0 {
		t.Errorf("%d changes, dialled %d times", len(drifts()), visits.Load())
	}
}

// own leaves the call before the main one out: a change of the settings would
// be found there already.
func own(t *testing.T, agent string) string {
	t.Helper()
	head, rest, found := strings.Cut(agent, "  - name: before\n")
	_, tail, also := strings.Cut(rest, "  - name: main\n")
	if !found || !also {
		t.Fatal("the agent has changed")
	}
	return head + "  - name: main\n" + tail
}

// hashOf returns the short hash of the call of a node.
func hashOf(t *testing.T, file, node string) string {
	t.Helper()
	c, err := cassette.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for call, err := range c.Calls() {
		if err != nil {
			t.Fatal(err)
		}
		if call.Node == node {
			return cassette.ShortHash(call.Hash)
		}
	}
	t.Fatalf("no call of %s in %s", node, file)
	return ""
}
