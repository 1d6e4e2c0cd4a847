package cassette

import (
	"net/http"
	"time"

	"github.com/tea-agents/tea/value"
)

// Request is a call that somebody wants to make.
type Request struct {
	// ID names the call within its run, alike in every run of equal course; ""
	// where there is no such thing, as for HTTP clients.
	ID string
	// Node is the name of the node that calls, or "".
	Node string
	// Provider is who answers, such as "openai"; "" where no model is asked.
	Provider string
	// Model is the model's name, or "".
	Model string
	// Endpoint is the name of the action or the path of the URL.
	Endpoint string
	// Prompt is what is asked, for a person to read; "" if there is no such
	// thing.
	Prompt string
	// Key is the canonical request: what is hashed, whole. Secrets in it take
	// part by name.
	Key value.Value
}

// Chunk is a part of a streamed answer.
type Chunk struct {
	// Data is the chunk of an action, Bytes that of an HTTP body: one of both.
	Data  value.Value
	Bytes []byte
	// After is how long after the call began the chunk came.
	After time.Duration
}

// Failure is how a call failed.
type Failure struct {
	Code, Message string
	RetryAfter    time.Duration
}

// Response is what came of a call.
type Response struct {
	// Output is the result of an action, Failure its failure: one of both. A
	// call over HTTP that got no answer has a Failure too.
	Output  value.Value
	Failure *Failure

	// Status, Header and Body are those of an HTTP response. Of the header, only
	// what a client may need is kept; see [Session.Add].
	Status int
	Header http.Header
	Body   []byte

	// Raw is what the other side sent, byte for byte, where that is more than
	// Output shows.
	Raw []byte
	// Chunks are the parts of a stream, in order. If the Bytes of all make up
	// Body, Body is not written a second time.
	Chunks []Chunk
	// Usage counts tokens, null if unknown.
	Usage value.Value
	// Complete tells that the answer was seen to its end. What is not is kept
	// for a person to look at, and never replayed unless asked for.
	Complete bool
	Duration time.Duration

	// Text is the answer for a person to read, ToolUses are the tools that the
	// model wants called.
	Text     string
	ToolUses []value.Value
}

// Call is a recorded call.
type Call struct {
	Request
	// Hash is the SHA-256 of the request, 64 hexadecimal digits.
	Hash string
	// Timestamp is when the call was recorded. Single files do not keep it.
	Timestamp time.Time
	Response
}

// ShortHash returns the part of a hash that is shown: its first 12 digits.
func ShortHash(hash string) string { return hash[:min(len(hash), shortHash)] }

const (
	shortHash = 12
	fullHash  = 64
)
