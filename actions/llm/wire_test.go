package llmactions_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	llmactions "github.com/tea-agents/tea/actions/llm"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/value"
)

// wired returns an agent whose actions speak to a double of the services, and
// how a call begins.
func wired(t *testing.T, script ...llmtest.Answer) (a *grouptest.Agent, s *llmtest.Server, input string) {
	t.Helper()
	s = llmtest.New(t)
	s.Script(script...)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	group := slices.Concat(llmactions.Actions(), new(bench).others())
	a = grouptest.New(t, group, func(e *actions.Env) { e.HTTP = &http.Client{Transport: transport} })
	return a, s, `{"provider": "openai", "model": "gpt-4o", "api_key": "k-123", "api_base": "` + s.Base("openai") + `", `
}

func TestWireCall(t *testing.T) {
	t.Parallel()
	a, s, input := wired(t, llmtest.Answer{Text: "Tea."}, llmtest.Answer{Status: http.StatusUnauthorized, Error: "wrong key"})
	got := a.Must("llm.call", input+`"prompt": "What?", "user": "u1"}`)
	if got.At("content").Text() != "Tea." || got.At("usage", "prompt_tokens").String() != "12" || got.At("cost_usd").IsNull() {
		t.Errorf("%s", got)
	}
	if sent := s.Calls()[0]; sent.Header.Get("Authorization") != "Bearer k-123" || sent.Body.At("user").Text() != "u1" || sent.Stream {
		t.Errorf("sent %+v", sent)
	}
	a.Fails("llm.call", input+`"prompt": "What?"}`, actions.CodeCredentialMissing, "wrong key")
}

func TestWireStream(t *testing.T) {
	t.Parallel()
	whole := llmtest.Answer{Chunks: []string{"Te", "a."}}
	a, s, input := wired(t, whole, whole.CutAfter(200, true))
	in, err := value.Parse([]byte(input + `"prompt": "What?"}`))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	call := &actions.Call{Action: "llm.stream", Input: in, Sink: func(c actions.Chunk) { text.WriteString(c.Data.At("text").Text()) }}
	got, err := a.Run(t.Context(), call)
	if err != nil || text.String() != "Tea." || got.Output.At("content").Text() != "Tea." || !s.Calls()[0].Stream {
		t.Errorf("%q, %s, %v", text.String(), got.Output, err)
	}
	if _, err := a.Run(t.Context(), call); actions.CodeOf(err) != actions.CodeUnavailable {
		t.Errorf("a stream that breaks off: %v", err)
	}
}

func TestWireRetry(t *testing.T) {
	t.Parallel()
	a, s, input := wired(t, llmtest.Answer{Status: http.StatusTooManyRequests, RetryAfter: "20"}, llmtest.Answer{})
	start := a.Env.Clock.Now()
	got := a.Must("llm.retry", input+`"prompt": "What?"}`)
	if waited := a.Env.Clock.Now().Sub(start); waited != 20*time.Second || got.At("attempts").String() != "2" || len(s.Calls()) != 2 {
		t.Errorf("%s after %s and %d calls", got, waited, len(s.Calls()))
	}
}

func TestWireTools(t *testing.T) {
	t.Parallel()
	wish := llmtest.ToolCall{ID: "c1", Name: "geo_cities", Arguments: `{"country": "China"}`}
	a, s, input := wired(t, llmtest.Answer{Tools: []llmtest.ToolCall{wish}}, llmtest.Answer{Text: "Done."})
	got := a.Must("llm.tools", input+`"prompt": "What?", "tools": ["geo.*"], "stream": true}`)
	if got.At("content").Text() != "Done." || got.At("tool_calls").Index(0).At("result").Text() != "China " {
		t.Errorf("%s", got)
	}
	sent := s.Calls()[1].Body.At("messages")
	if sent.Len() != 3 || sent.Index(2).At("tool_call_id").Text() != "c1" || sent.Index(2).At("content").Text() != "China " {
		t.Errorf("sent %s", sent)
	}
}

func TestWireEmbed(t *testing.T) {
	t.Parallel()
	a, s, input := wired(t, llmtest.Answer{Vectors: [][]float64{{1, 0.5}, {0, 0.25}}})
	got := a.Must("llm.embed", strings.Replace(input, "gpt-4o", "text-embedding-3-small", 1)+`"input": ["a", "b"], "dimensions": 2}`)
	if got.At("embeddings").String() != "[[1.0,0.5],[0.0,0.25]]" || s.Calls()[0].Body.At("dimensions").String() != "2" {
		t.Errorf("%s for %s", got, s.Calls()[0].Body)
	}
}
