package llmwire

import (
	"bytes"
	"mime"
	"net/http"

	"github.com/tea-agents/tea/value"
)

// Answer is what a response says.
type Answer struct {
	Text string
	// ToolUses are the tools that the model wants called, each an object of id
	// ("" is left out), name and arguments.
	ToolUses []value.Value
	// Usage is an object of prompt_tokens, completion_tokens, total_tokens and
	// cached_tokens, as far as they were told; null when none was.
	Usage value.Value
	// Stream tells that the answer came in parts.
	Stream bool
	// Complete tells that nothing is missing, as far as the bytes can tell: JSON
	// that ends, a stream with its end mark in the last event.
	Complete bool
}

// Answer reads the whole body of a response, decoded, from e. An error's body
// is complete as it is, unless it is a stream.
func (e Endpoint) Answer(status int, contentType string, body []byte) Answer {
	if e.Dialect == Plain {
		return Answer{Complete: true}
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	g := gather{dialect: e.Dialect}
	events, framed := frame(e.Dialect, kind, body)
	switch {
	case framed:
		g.stream(events)
	default:
		g.whole(body)
	}
	a := g.answer()
	a.Stream = a.Stream || framed
	if status >= http.StatusBadRequest && !framed {
		a.Complete = true
	}
	return a
}

// frame splits a body into events when it is a stream: by what its type says,
// else by how it looks.
func frame(d Dialect, kind string, body []byte) ([]Event, bool) {
	switch {
	case kind == "text/event-stream":
		return SSE(body), true
	case kind == "application/x-ndjson":
		return NDJSON(body), true
	case d == OllamaChat, d == OllamaGenerate:
		_, err := value.Parse(body)
		return NDJSON(body), err != nil
	case bytes.HasPrefix(body, []byte("data:")), bytes.HasPrefix(body, []byte("event:")):
		return SSE(body), true
	}
	return nil, false
}

// gather puts an answer together from its parts.
type gather struct {
	dialect Dialect
	text    bytes.Buffer
	tools   []*tool
	usage   usage
	parts   bool // it came as a list of parts
	ended   bool // the last part says that it is the last
	torn    bool // a part cannot be read
}

// stream reads the events of a stream.
func (g *gather) stream(events []Event) {
	for _, e := range events {
		if len(e.Data) == 0 {
			continue
		}
		if g.ended = string(e.Data) == "[DONE]"; g.ended {
			continue
		}
		v, err := value.Parse(e.Data)
		if err != nil {
			g.torn = true
			continue
		}
		g.part(v)
	}
}

// whole reads a body that is one JSON text: an answer, or the list of its parts.
func (g *gather) whole(body []byte) {
	v, err := value.Parse(body)
	if err != nil {
		g.torn = true
		return
	}
	if v.Kind() != value.KindList {
		g.part(v)
		g.ended = g.ended || !g.marksEnd()
		return
	}
	g.parts = true
	for _, part := range v.Items() {
		g.part(part)
	}
}

// marksEnd tells that even an answer that is not a stream says that it is done.
// Ollama's do: its streams and its plain answers look alike.
func (g *gather) marksEnd() bool { return g.dialect == OllamaChat || g.dialect == OllamaGenerate }

func (g *gather) part(v value.Value) {
	g.ended = false
	switch g.dialect {
	case OpenAIChat, OpenAICompletions, OpenAIEmbeddings:
		g.openai(v)
	case OpenAIResponses:
		g.responses(v)
	case AnthropicMessages:
		g.anthropic(v)
	case GeminiGenerate, GeminiEmbed:
		g.gemini(v)
	case OllamaChat, OllamaGenerate, OllamaEmbed:
		g.ollama(v)
	}
}

func (g *gather) answer() Answer {
	a := Answer{Text: g.text.String(), Usage: g.usage.value(), Stream: g.parts, Complete: g.ended && !g.torn}
	for _, t := range g.tools {
		a.ToolUses = append(a.ToolUses, t.value())
	}
	return a
}
