package llmtest

import (
	"net/http"
	"strings"
	"time"
)

// Answer is what the server says to one call. The zero Answer is the text "ok".
type Answer struct {
	// Text is what the model says. Chunks are how a stream cuts it; without
	// them it is cut before every space.
	Text   string
	Chunks []string
	// Tools are what the model asks to be called.
	Tools []ToolCall
	// FinishReason is stop, length, tool_calls or content_filter; each provider
	// says it in its own words. "" is stop, or tool_calls if there are Tools.
	FinishReason string
	// Vectors answer a request for embeddings; without them each text gets a
	// vector of three numbers that depends on it alone.
	Vectors [][]float64
	// Usage are the tokens that are told; the zero Usage is 12 for the prompt
	// and one for each word.
	Usage Usage

	// Status, if it is not 0 or 200, makes the answer an error with the text
	// Error, in the provider's form. Code is the error's code with OpenAI, its
	// type with Anthropic and its status with Gemini.
	Status      int
	Error, Code string
	// RetryAfter is the header of that name.
	RetryAfter string
	// Header is added to the response.
	Header http.Header
	// Body, if not "", is sent as it is in the place of all the above.
	Body string
	// Gzip compresses the body, asked or not.
	Gzip bool

	// Delay comes before the answer, Pause between the pieces of a stream.
	// Hold keeps the answer back until it can be received from or is closed.
	Delay, Pause time.Duration
	Hold         <-chan struct{}

	cut   bool
	clean bool
	after int
}

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID, Name  string // ID "" is call_0, call_1, …
	Arguments string // JSON
}

// Usage counts tokens.
type Usage struct {
	Prompt, Completion, Cached int64
}

// CutAfter returns an answer whose body ends after n bytes. A clean end looks
// as if the body ended there: there is no length, and the connection closes in
// good order. Else the connection breaks.
func (a Answer) CutAfter(n int, clean bool) Answer {
	a.cut, a.clean, a.after = true, clean, n
	return a
}

// complete fills in what is left open.
func (a Answer) complete() Answer {
	if a.Text == "" {
		a.Text = strings.Join(a.Chunks, "")
	}
	if a.Text == "" && len(a.Tools) == 0 {
		a.Text = "ok"
	}
	if a.Chunks == nil {
		a.Chunks = cutWords(a.Text)
	}
	if a.FinishReason == "" {
		a.FinishReason = "stop"
		if len(a.Tools) > 0 {
			a.FinishReason = "tool_calls"
		}
	}
	if a.Usage == (Usage{}) {
		a.Usage = Usage{Prompt: 12, Completion: int64(len(strings.Fields(a.Text))) + int64(len(a.Tools))}
	}
	tools := make([]ToolCall, len(a.Tools))
	for i, t := range a.Tools {
		if t.ID == "" {
			t.ID = "call_" + string(rune('0'+i%10))
		}
		if t.Arguments == "" {
			t.Arguments = "{}"
		}
		tools[i] = t
	}
	a.Tools = tools
	return a
}

// cutWords cuts a text before its spaces.
func cutWords(text string) []string {
	var chunks []string
	start := 0
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && text[i-1] != ' ' {
			chunks = append(chunks, text[start:i])
			start = i
		}
	}
	if start < len(text) {
		chunks = append(chunks, text[start:])
	}
	return chunks
}
