package exchangetest

import (
	"io"
	"net/http"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// Asked is a request that reached the server.
type Asked struct {
	Path   string
	Header http.Header
	Body   value.Value
}

// Ask sends requests with do to a server that answers each with answer, and
// returns what reached it last. c is completed with the address, to which path
// is added, and the HTTP client.
func (d Dialect) Ask(t *testing.T, c llm.Config, path, answer string, do func(llm.Client) error) Asked {
	t.Helper()
	var asked Asked
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked.Path, asked.Header = r.URL.RequestURI(), r.Header
		if asked.Body, err = value.Parse(data); err != nil {
			t.Error(err)
		}
		says("application/json", answer)(w, r)
	})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c.APIBase, c.HTTP = url+path, &http.Client{Transport: transport}
	client, err := d.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := do(client); err != nil {
		t.Fatal(err)
	}
	return asked
}

// Everything is a request that uses all that a request can hold.
func Everything(model string) llm.Request {
	temperature, topP, seed := 0.7, 0.9, int64(7)
	return llm.Request{
		Model: model,
		Messages: []llm.Message{
			{Role: llm.System, Parts: []llm.Part{{Text: "Be brief."}}},
			{Role: llm.User, Parts: []llm.Part{{Text: "What is this?"}, {Data: []byte("png"), MediaType: "image/png"}}},
			{Role: llm.Assistant, Parts: []llm.Part{{Text: "Let me see."}}, ToolCalls: []llm.ToolCall{
				{ID: "call_0", Name: "weather", Arguments: value.Must(map[string]any{"city": "Paris"})},
				{ID: "id_b", Name: "weather", Arguments: value.String("no object")},
			}},
			{Role: llm.FromTool, ToolCallID: "call_0", Parts: []llm.Part{{Text: `{"degrees": 24}`}}},
			{Role: llm.FromTool, ToolCallID: "id_b", Name: "weather", Parts: []llm.Part{{Text: "broken"}}},
			{Role: llm.User, Parts: []llm.Part{{Text: "And?"}}},
		},
		Tools: Tools(), ToolChoice: "auto",
		Temperature: &temperature, TopP: &topP, Seed: &seed, MaxTokens: 50, Stop: []string{"END"},
	}
}

// Call returns a call of Generate for [Dialect.Ask].
func Call(t *testing.T, r llm.Request) func(llm.Client) error {
	t.Helper()
	return func(c llm.Client) error {
		_, err := c.Generate(t.Context(), r, nil)
		return err
	}
}

// Same checks that a body is this JSON.
func Same(t *testing.T, got value.Value, want string) {
	t.Helper()
	w, err := value.Parse([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if !value.Equal(got, w) {
		t.Errorf("got\n%s\nwant\n%s", got.Indent(), w.Indent())
	}
}
