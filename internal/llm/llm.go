package llm

import (
	"context"

	"github.com/tea-agents/tea/value"
)

// Client speaks to one provider. It is safe for concurrent use.
type Client interface {
	// Generate asks the model for one answer. With a nil sink the answer comes
	// in one piece; else the request is streamed, and the sink gets each piece
	// as it comes, one at a time, before Generate returns the whole.
	//
	// An answer that breaks off is an error, never a short answer: a stream
	// counts as whole only when the provider's own mark of its end was seen.
	// Errors are of type *Error.
	Generate(ctx context.Context, r Request, sink func(Delta)) (Response, error)
	// Embed turns texts into vectors, in the order of the texts. A provider
	// that has no embeddings returns an *Error of kind Unsupported.
	Embed(ctx context.Context, r EmbedRequest) (EmbedResponse, error)
}

// Role says who speaks.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	FromTool  Role = "tool" // the result of a tool call
)

// Request is a question to a model.
type Request struct {
	// Model is the provider's name of the model, without a provider's prefix.
	Model string
	// Messages are the conversation, the system's words first, if any.
	Messages []Message
	// Tools may be called by the model.
	Tools []Tool
	// ToolChoice is auto, none, required, or the name of a tool; "" is the
	// provider's default.
	ToolChoice string
	// Temperature, TopP and Seed are the provider's defaults when nil.
	Temperature, TopP *float64
	Seed              *int64
	// MaxTokens bounds the answer; 0 is the provider's default, and where the
	// provider wants a bound (Anthropic), 4096.
	MaxTokens int
	// Stop ends the answer where one of these texts would come.
	Stop []string
	// Format is the form of the answer; the zero Format is text.
	Format Format
	// Extra are further parameters by the provider's own names, put into the
	// request's body as they are: an object, or null.
	Extra value.Value
}

// Message is one turn of a conversation.
type Message struct {
	Role Role
	// Parts are the content in order.
	Parts []Part
	// ToolCalls are what an assistant's turn asks for.
	ToolCalls []ToolCall
	// ToolCallID says which call the turn of a tool answers.
	ToolCallID string
	// Name is the tool's name in the turn of a tool, else optional.
	Name string
}

// Part is a piece of content: a text, or an image by URL or by its bytes.
type Part struct {
	Text string
	// URL is an image's address; data: URLs are taken apart into Data.
	URL string
	// Data are an image's bytes, MediaType says which kind, such as image/png.
	Data      []byte
	MediaType string
	// Detail is how closely an image is to be looked at (low, high, auto), for
	// the providers that can choose; "" is the provider's default.
	Detail string
}

// Tool is something that the model may ask to be called.
type Tool struct {
	Name, Description string
	// Parameters is the JSON Schema of the arguments: an object's.
	Parameters value.Value
	// Strict asks for arguments that match the schema, of the providers that
	// can enforce it.
	Strict bool
}

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	// ID is unique within the answer; where a provider gives none (Gemini,
	// Ollama) it is "call_" and the ordinal from 0.
	ID   string
	Name string
	// Arguments is an object. Where the model wrote something that is none, it
	// is a string with that text, so that a caller can tell the model.
	Arguments value.Value
	// Signature is what the provider wants back with the call, unread (Gemini's
	// thought signature, in base64); "" for none.
	Signature string
}

// Format is the form of an answer.
type Format struct {
	// Type is "" or text, json_object, or json_schema.
	Type string
	// Name and Schema count with json_schema. A provider that cannot enforce a
	// schema is asked for JSON with the schema in the system's words.
	Name   string
	Schema value.Value
	Strict bool
}

// Response is a whole answer.
type Response struct {
	Content   string
	ToolCalls []ToolCall
	// FinishReason is stop, length, tool_calls, content_filter, or the
	// provider's own word for anything else.
	FinishReason string
	// Model is the model that answered, as the provider names it.
	Model string
	Usage Usage
	// Raw is what the provider sent, byte for byte: the body of the response,
	// after content decoding; of a stream, all of it. Nil where there is no
	// such thing.
	Raw []byte
}

// Usage counts tokens. What a provider does not tell is 0.
type Usage struct {
	PromptTokens     int64 // the request's, cached ones included
	CompletionTokens int64 // the answer's, those of reasoning included
	CachedTokens     int64 // of PromptTokens, those from the provider's cache
}

// Total returns the sum of prompt and completion.
func (u Usage) Total() int64 { return u.PromptTokens + u.CompletionTokens }

// Delta is a piece of an answer that streams: some text, or a piece of a tool
// call, as the provider cut it.
type Delta struct {
	Text string
	// ToolCall is nil where there is only text.
	ToolCall *ToolCallDelta
}

// ToolCallDelta is a piece of a tool call. The pieces of one call have its
// Index; ID and Name come with the first, Arguments is JSON text to be joined.
type ToolCallDelta struct {
	Index     int
	ID, Name  string
	Arguments string
}

// EmbedRequest asks for the vectors of texts.
type EmbedRequest struct {
	Model      string
	Texts      []string
	Dimensions int // 0: the model's own
	Extra      value.Value
}

// EmbedResponse holds one vector for each text.
type EmbedResponse struct {
	Vectors [][]float64
	Model   string
	Usage   Usage
	Raw     []byte
}
