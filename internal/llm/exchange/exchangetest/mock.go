package exchangetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/testserver"
	"github.com/tea-agents/tea/value"
)

const fixtures = `{"fixtures": [
	{"match": {"userMessage": "greet"}, "response": {"content": "Hello! How can I help you today?"}},
	{"match": {"userMessage": "weather"}, "response": {"toolCalls": [{"name": "weather", "arguments": {"city": "Paris", "days": 3}}]}},
	{"match": {"userMessage": "busy"}, "response": {"error": {"message": "too many of you", "type": "rate_limit_error"}, "status": 429}}
]}`

// RunMock checks a provider against llmock, a mock of the services that others
// wrote. The test is skipped where there is none.
func RunMock(t *testing.T, d Dialect) {
	t.Helper()
	addr := testserver.Start(t, testserver.Server{
		Name: "llmock", Install: "npm install @copilotkit/aimock",
		Args: func(port, dir string) []string {
			file := filepath.Join(dir, "fixtures.json")
			if err := os.WriteFile(file, []byte(fixtures), 0o600); err != nil {
				t.Error(err)
			}
			return []string{"--port", port, "--fixtures", file, "--log-level", "warn"}
		},
	})
	c := d.client(t, "http://"+addr)
	for name, sink := range map[string]func(llm.Delta){"whole": nil, "stream": ignore} {
		t.Run(name, func(t *testing.T) {
			r := llm.Request{Model: d.Model, Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{{Text: "greet me"}}}}}
			got, err := c.Generate(t.Context(), r, sink)
			if err != nil || got.Content != "Hello! How can I help you today?" || got.FinishReason != "stop" || len(got.Raw) == 0 {
				t.Errorf("%s, %v", Show(got), err)
			}
			r.Messages[0].Parts[0].Text, r.Tools = "weather?", Tools()
			got, err = c.Generate(t.Context(), r, sink)
			want := value.Must(map[string]any{"city": "Paris", "days": 3})
			if err != nil || len(got.ToolCalls) != 1 || !value.Equal(got.ToolCalls[0].Arguments, want) || got.FinishReason != "tool_calls" {
				t.Errorf("%s, %v", Show(got), err)
			}
			r.Messages[0].Parts[0].Text = "busy?"
			_, err = c.Generate(t.Context(), r, sink)
			_ = failure(t, err, llm.Unavailable)
		})
	}
}
