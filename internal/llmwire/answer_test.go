package llmwire_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llmwire"
	"github.com/tea-agents/tea/value"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, s := range append(streams(), answers()...) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			a := s.endpoint.Answer(200, s.kind, []byte(s.body))
			if a.Text != s.text {
				t.Errorf("text %q, want %q", a.Text, s.text)
			}
			if got := list(a.ToolUses); got != s.tools {
				t.Errorf("tool uses\n%s, want\n%s", got, s.tools)
			}
			if got := orNone(a.Usage); got != s.usage {
				t.Errorf("usage %s, want %s", got, s.usage)
			}
			if a.Stream != (s.end != "") {
				t.Errorf("stream: %v", a.Stream)
			}
			if !a.Complete {
				t.Error("a whole answer counts as cut")
			}
		})
	}
}

func list(tools []value.Value) string {
	if len(tools) == 0 {
		return ""
	}
	return value.List(tools...).String()
}

func orNone(v value.Value) string {
	if v.IsNull() {
		return ""
	}
	return v.String()
}

// A stream that was cut anywhere before its end mark is not complete, at any
// byte, in any dialect, whatever its content type says.
func TestCutStreamsAreIncomplete(t *testing.T) {
	t.Parallel()
	for _, s := range streams() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			end := strings.LastIndex(s.body, s.end) + len(s.end)
			for cut := range len(s.body) + 1 {
				a := s.endpoint.Answer(200, s.kind, []byte(s.body[:cut]))
				if a.Complete != (cut >= end) {
					t.Errorf("cut at %d of %d (the end mark ends at %d): complete is %v: …%q", cut, len(s.body), end, a.Complete, s.body[max(0, cut-30):cut])
				}
			}
		})
	}
}

// A plain answer that was cut anywhere is not JSON.
func TestCutAnswersAreIncomplete(t *testing.T) {
	t.Parallel()
	for _, s := range answers() {
		whole := strings.TrimSpace(s.body)
		for cut := range len(whole) {
			if a := s.endpoint.Answer(200, s.kind, []byte(whole[:cut])); a.Complete {
				t.Errorf("%s, cut at %d: complete", s.name, cut)
			}
		}
	}
}

func TestWhatIsComplete(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, path, kind, body string
		status                 int
		want                   bool
	}{
		{"an error, whatever it looks like", "/v1/chat/completions", "text/html", "<h1>502", 502, true},
		{"an error in a stream", "/v1/messages", stream, sse(`error {"type":"error","error":{"type":"overloaded_error"}}`), 200, false},
		{"an error instead of the end", "/v1/chat/completions", stream, sse(`{"error":{"message":"x"}}`), 200, false},
		{"more after the end", "/v1/chat/completions", stream, sse(`[DONE]`, `{"choices":[]}`), 200, false},
		{"a torn event before the end", "/v1/chat/completions", stream, sse(`{"choices`, `[DONE]`), 200, false},
		{"a comment after the end", "/v1/chat/completions", stream, sse(`[DONE]`) + ": bye\n", 200, true},
		{"an error line of Ollama", "/api/chat", ndjson, lines(`{"error":"out of memory"}`), 200, false},
		{"one line of Ollama's, not the last", "/api/chat", json, lines(`{"done":false}`), 200, false},
		{"a stream without a type", "/v1/chat/completions", "", sse(`{"choices":[]}`), 200, false},
		{"a response that failed to the end", "/v1/responses", stream, sse(`response.failed {"type":"response.failed","response":{}}`), 200, true},
		{"a list of parts without the last one", "/v1beta/models/g:streamGenerateContent", json, `[{"candidates":[{"finishReason":"STOP"}]},{"candidates":[{}]}]`, 200, false},
		{"no bytes", "/v1/chat/completions", json, "", 200, false},
		{"no provider's", "/upload", stream, "data: x", 200, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := at(tc.path).Answer(tc.status, tc.kind, []byte(tc.body)).Complete; got != tc.want {
				t.Errorf("complete is %v", got)
			}
		})
	}
}

// What came before the cut is still told.
func TestCutAnswerSaysWhatCame(t *testing.T) {
	t.Parallel()
	body := sse(`{"choices":[{"delta":{"content":"half"}}]}`) + `data: {"choi`
	a := at("/v1/chat/completions").Answer(200, stream, []byte(body))
	if a.Text != "half" || a.Complete || !a.Stream {
		t.Errorf("%+v", a)
	}
}

func FuzzAnswer(f *testing.F) {
	for i, s := range append(streams(), answers()...) {
		f.Add(byte(s.endpoint.Dialect), i%2 == 0, []byte(s.body))
	}
	f.Fuzz(func(t *testing.T, dialect byte, sse bool, body []byte) {
		kind := ndjson
		if sse {
			kind = stream
		}
		e := llmwire.Endpoint{Provider: "p", Dialect: llmwire.Dialect(dialect)}
		a := e.Answer(200, kind, body)
		for _, tool := range a.ToolUses {
			if tool.At("arguments").IsNull() {
				t.Errorf("a tool use without arguments: %v", tool)
			}
		}
	})
}
