package exchangetest

import (
	"net/http"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// Key is the credential of each client under test; no error may tell it.
const Key = "sk-canary-0123456789"

// Dialect is how a provider answers.
type Dialect struct {
	New func(llm.Config) (llm.Client, error)
	// Model is the model that is asked for.
	Model string
	// Text and Tool are whole answers: to [Question], and to it with [Tools].
	Text, Tool Sample
	// StreamType is the content type of streams.
	StreamType string
	// Refusal is the body of an error with these words.
	Refusal func(status int, words string) string
	// StreamFailure is a stream that tells of an error after it began well, and
	// the kind of that error.
	StreamFailure     string
	StreamFailureKind llm.Kind
}

// Sample is one answer, in one piece and as a stream.
type Sample struct {
	JSON, Stream string
	// Marked tells whether the first n bytes of Stream hold the provider's mark
	// of the end; clean: the body ended there in good order.
	Marked func(n int, clean bool) bool
	// Want is what both are, but for Raw; Deltas are the texts and the pieces of
	// arguments of the stream.
	Want   llm.Response
	Deltas []string
}

// Question is what is asked.
func Question(model string) llm.Request {
	return llm.Request{Model: model, Messages: []llm.Message{
		{Role: llm.System, Parts: []llm.Part{{Text: "Be brief."}}},
		{Role: llm.User, Parts: []llm.Part{{Text: "Weather?"}}},
	}}
}

// Tools is what may be called.
func Tools() []llm.Tool {
	return []llm.Tool{{
		Name: "weather", Description: "Tells the weather.",
		Parameters: value.Must(map[string]any{
			"type":       "object",
			"properties": map[string]any{"city": map[string]any{"type": "string", "minLength": 1}, "days": map[string]any{"type": "integer"}},
			"required":   []any{"city"},
		}),
	}}
}

func (d Dialect) client(t *testing.T, base string) llm.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := d.New(llm.Config{
		APIBase: base, APIKey: Key, HTTP: &http.Client{Transport: transport},
		Headers: http.Header{"X-Team": {"tea"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
