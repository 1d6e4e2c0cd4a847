package engine_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/value"
)

// What an agent tells a provider in confidence: as secrets in a question, deep
// in it and in a tool, in headers, and as credentials.
const confiding = `
name: confiding
secrets: [ASKED, DEEP, HEADER, KEY]
settings:
  llm: {model: gpt-4o, headers: {X-Team-Token: "{{ secrets.HEADER }}"}}
nodes:
  - name: ask
    uses: llm.stream
    with: {prompt: "Remember {{ secrets.ASKED }}, will you?"}
    output: ask
  - name: wrapped
    uses: cache.wrap
    with:
      action: llm.call
      args:
        api_key: "{{ secrets.KEY }}"
        messages:
          - {role: user, content: [{type: text, text: "a {{ secrets.DEEP }} b"}]}
        tools: [{name: t, description: "knows {{ secrets.ASKED }}", parameters: {type: object}}]
    output: wrapped
  - name: fails
    uses: llm.call
    with: {prompt: "fail with {{ secrets.DEEP }}", max_tokens: 5}
    on_error: {goto: tell}
  - name: tell
    run: |
      print("the key is", secrets["KEY"])
      return {"told": "Bearer " + secrets["KEY"]}
`

// Secrets, echoed by the provider in every spelling, whole and across the
// chunks of a stream, in answers and errors, stand in nothing that is kept or
// shown: result, events, log, cassette, and the store with both caches. What
// was masked replays.
func TestNoCanaryGetsOut(t *testing.T) {
	t.Parallel()
	dir, source := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	memory, err := builtin.Mux().Open(t.Context(), filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the engines
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
	var shown bytes.Buffer
	var canaries []string
	for round := range 40 {
		env := map[string]string{}
		for _, name := range []string{"ASKED", "DEEP", "HEADER", "KEY", "OPENAI_API_KEY"} {
			env[name] = canary(source)
			canaries = append(canaries, env[name])
		}
		echo := echoServer(t, env, round)
		env["OPENAI_BASE_URL"] = echo.Base("openai")
		change := func(o *engine.Options) {
			o.Memory, o.LLMCache = memory, "both"
			o.Log = slog.New(slog.NewTextHandler(&shown, &slog.HandlerOptions{Level: slog.LevelDebug}))
		}
		note(t, &shown, run(t, realEngine(t, env, change), confiding, nil))
		file := filepath.Join(dir, fmt.Sprint(round, ".yaml"))
		recorded := taped(t, realEngine(t, env, change), confiding, file, cassette.Record)
		note(t, &shown, recorded)
		asked := len(echo.Calls())
		if o := taped(t, realEngine(t, env, change), confiding, file, cassette.Replay); o.err != nil || len(echo.Calls()) != asked || !value.Equal(o.State, recorded.State) {
			t.Fatalf("round %d: replayed %s, %v\nrecorded %s", round, o.State, o.err, recorded.State)
		}
	}
	kept := everything(t, dir)
	if len(canaries) != 200 || len(kept) < 10_000 || shown.Len() < 10_000 {
		t.Fatalf("%d canaries, %d bytes kept, %d shown: not enough to tell", len(canaries), len(kept), shown.Len())
	}
	for _, c := range canaries {
		for _, spelled := range spelledOut(c) {
			spelled = spelled[:min(len(spelled), 20)] // less than all of it is too much
			if i := strings.Index(shown.String(), spelled); i >= 0 {
				t.Errorf("shown: %q", shown.String()[max(0, i-80):i+len(spelled)])
			}
			if i := strings.Index(kept, spelled); i >= 0 {
				t.Errorf("kept: %q", kept[max(0, i-80):i+len(spelled)])
			}
		}
	}
}

// canary returns a secret that is like no other.
func canary(source *rand.Rand) string {
	return fmt.Sprintf(`c4%x"/ %x`, source.Uint64(), source.Uint32())
}

// spelledOut returns how a secret may stand in a text.
func spelledOut(c string) []string {
	quoted, _ := json.Marshal(c) //nolint:errchkjson // a string
	return []string{
		c, strings.Trim(string(quoted), `"`), url.QueryEscape(c), url.PathEscape(c),
		base64.StdEncoding.EncodeToString([]byte(c)),
	}
}

// echoServer answers the calls of confiding with what it should keep.
func echoServer(t *testing.T, env map[string]string, round int) *llmtest.Server {
	t.Helper()
	var words []string
	for _, name := range []string{"ASKED", "DEEP", "HEADER", "KEY", "OPENAI_API_KEY"} {
		words = append(words, spelledOut(env[name])[round%5])
	}
	text := "you said " + strings.Join(words, " and ")
	answers := []llmtest.Answer{
		{Text: text, Chunks: cut(text, 1+round%7)},
		{Text: text, Tools: []llmtest.ToolCall{{Name: "t", Arguments: `{"a": ` + string(mustJSON(text)) + `}`}}},
		{Status: 400, Error: "no: " + text},
	}
	server := llmtest.New(t)
	server.Script(answers...) // for the run
	server.Script(answers...) // for the recording
	return server
}

func mustJSON(text string) []byte {
	data, _ := json.Marshal(text) //nolint:errchkjson // a string
	return data
}

// cut cuts a text into chunks of n bytes.
func cut(text string, n int) []string {
	var chunks []string
	for ; len(text) > n; text = text[n:] {
		chunks = append(chunks, text[:n])
	}
	return append(chunks, text)
}

// note writes all that a run shows.
func note(t *testing.T, to *bytes.Buffer, o outcome) {
	t.Helper()
	if o.err != nil || o.State.At("told").Text() != "Bearer ***" || !strings.Contains(o.State.At("ask", "content").Text(), "***") {
		t.Fatalf("%s, %v", o.State, o.err)
	}
	to.WriteString(o.State.String() + o.Output.String())
	for _, e := range o.events {
		if c, ok := e.Body.(event.Chunk); ok {
			to.WriteString(c.Data.At("text").Text()) // beside those before and after it
		}
	}
	for _, e := range o.events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		to.Write(data)
	}
}

// everything returns the bytes of all files in a folder.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, read := os.ReadFile(path)
		all.Write(data)
		return errors.Join(err, read)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
