package llm

import (
	"context"
	"net/http"
	"time"
)

// Config says how to reach a provider.
type Config struct {
	// APIBase is the address that paths are joined to, such as
	// https://api.openai.com/v1 or http://127.0.0.1:8080/v1; "" is the
	// provider's own.
	APIBase string
	// APIKey is the credential; "" where none is needed.
	APIKey string
	// APIVersion counts for Azure OpenAI.
	APIVersion string
	// Headers are added to every request.
	Headers http.Header
	// HTTP carries the requests. Required, but for the shell provider. SDKs
	// must not retry on their own: retries are the caller's.
	HTTP *http.Client
	// Shell runs a local command, for the shell provider only: argv and stdin,
	// stdout back. Nil: the provider is not available.
	Shell func(ctx context.Context, argv []string, stdin []byte) (stdout []byte, err error)
	// Command is the argv of the shell provider.
	Command []string
}

// Kind is the sort of an error.
type Kind string

// The kinds. They are the codes of package actions by the same names.
const (
	InvalidInput Kind = "invalid_input"      // the provider refuses the request
	Unauthorized Kind = "credential_missing" // the key is missing or wrong (401)
	Denied       Kind = "denied"             // the key may not do this (403)
	NotFound     Kind = "not_found"          // no such model or path
	TooLarge     Kind = "too_large"          // over the context length, or the body's bound
	Unsupported  Kind = "unsupported"        // the provider cannot do it
	Unavailable  Kind = "unavailable"        // 429, 5xx, no connection, an answer that breaks off
	Timeout      Kind = "timeout"
	Canceled     Kind = "canceled"
	Failed       Kind = "failed" // anything else, such as an answer that cannot be read
)

// Error is how a provider fails.
type Error struct {
	Kind    Kind
	Message string // with the provider's own words, without credentials
	// Status is the HTTP status, 0 where there was no response.
	Status int
	// RetryAfter is how long the provider asks to wait, 0 if it does not.
	RetryAfter time.Duration
	// Raw is the body of the response, or nil.
	Raw []byte
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
