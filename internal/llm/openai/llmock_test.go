package openai_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/openai"
	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/value"
)

// fixtures are what the mock answers.
const fixtures = `{"fixtures": [
  {"match": {"userMessage": "greet"}, "response": {"content": "Hello there, dear friend of the house"}},
  {"match": {"userMessage": "weather"}, "response": {"toolCalls": [{"name": "look", "arguments": "{\"city\":\"Rome\"}"}]}},
  {"match": {"userMessage": "busy"}, "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429}},
  {"match": {"inputText": "embed me"}, "response": {"embedding": [0.5, 0.25]}}
]}`

// A mock that others wrote checks that the wire is not our own invention.
func TestAgainstAnIndependentMock(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "fixtures.json")
	if err := os.WriteFile(file, []byte(fixtures), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := testserver.Start(t, testserver.Server{
		Name: "llmock", Install: "npm install @copilotkit/aimock",
		Args: func(port, _ string) []string { return []string{"--port", port, "--fixtures", file, "--strict"} },
	})
	client, err := openai.New(llm.Config{
		APIBase: "http://" + addr + "/v1", APIKey: "sk-test",
		HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, streamed := range []bool{false, true} {
		var pieces []string
		var sink func(llm.Delta)
		if streamed {
			sink = func(d llm.Delta) { pieces = append(pieces, d.Text) }
		}
		got, err := client.Generate(t.Context(), ask("greet me"), sink)
		if err != nil || got.Content != "Hello there, dear friend of the house" || got.FinishReason != "stop" || len(got.Raw) == 0 || got.Usage.Total() == 0 {
			t.Errorf("streamed %v: %+v, %v", streamed, got, err)
		}
		if streamed && (len(pieces) < 2 || strings.Join(pieces, "") != got.Content) {
			t.Errorf("pieces: %q", pieces)
		}
		r := ask("the weather?")
		r.Tools = []llm.Tool{{Name: "look", Parameters: value.Must(map[string]any{"type": "object"})}}
		got, err = client.Generate(t.Context(), r, sink)
		if err != nil || got.FinishReason != "tool_calls" || len(got.ToolCalls) != 1 || got.ToolCalls[0].Arguments.At("city").Text() != "Rome" || got.ToolCalls[0].ID == "" {
			t.Errorf("streamed %v: tools: %+v, %v", streamed, got, err)
		}
		_, err = client.Generate(t.Context(), ask("busy?"), sink)
		if kindOf(t, err) != llm.Unavailable || !strings.Contains(err.Error(), "slow down") {
			t.Errorf("streamed %v: busy: %v", streamed, err)
		}
	}
	vectors, err := client.Embed(t.Context(), llm.EmbedRequest{Model: "text-embedding-3-small", Texts: []string{"embed me"}})
	if err != nil || len(vectors.Vectors) != 1 || len(vectors.Vectors[0]) != 2 || vectors.Vectors[0][1] != 0.25 {
		t.Errorf("vectors: %+v, %v", vectors, err)
	}
}
