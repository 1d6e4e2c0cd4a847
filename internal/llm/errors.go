package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/value"
)

// maxSaid bounds what is shown of a provider's own words, in bytes.
const maxSaid = 500

// StatusError returns the error for a response that is none of the good ones:
// its kind, the provider's own words, and how long it asks to wait.
func StatusError(provider string, status int, header http.Header, body []byte) *Error {
	said, code := readError(body)
	e := &Error{Kind: kindOf(status, code, said), Status: status, Raw: body, RetryAfter: retryAfter(header, body)}
	if said == "" {
		said = http.StatusText(status)
	}
	e.Message = fmt.Sprintf("%s: %s (HTTP %d)", provider, clip(said), status)
	return e
}

// BrokeOff returns the error for an answer that does not come to its end. raw
// is what came of it; err, which may be nil, is why.
func BrokeOff(provider string, raw []byte, err error) *Error {
	e := &Error{Kind: Unavailable, Message: provider + ": the answer broke off", Raw: raw, Err: err}
	if err != nil {
		e.Message += ": " + err.Error()
	}
	return e
}

// Failure returns the error for a call through t that did not come to a good
// end, whatever the SDK says of it: err tells no more than the reason. It is
// for calls without an answer only, so it never returns nil.
func (t *Tap) Failure(ctx context.Context, provider string, err error) *Error {
	return t.config.Masked(t.failure(ctx, provider, err))
}

func (t *Tap) failure(ctx context.Context, provider string, err error) *Error {
	t.mu.Lock()
	status, header := t.status, t.header
	t.mu.Unlock()
	ended, raw := t.Ended(), t.Raw()
	switch {
	case ctx.Err() != nil:
		return endOf(ctx, provider)
	case errors.Is(ended, errTooLarge):
		return &Error{Kind: TooLarge, Message: provider + ": " + errTooLarge.Error(), Status: status, Err: errTooLarge}
	case status == 0:
		return unreachable(provider, err)
	case status < 200 || status > 299:
		return StatusError(provider, status, header, raw)
	case ended != nil:
		return BrokeOff(provider, raw, ended)
	}
	return &Error{
		Kind: Failed, Message: fmt.Sprintf("%s: the answer cannot be read: %v", provider, err),
		Status: status, Raw: raw, Err: err,
	}
}

// endOf is the error for a context that has ended.
func endOf(ctx context.Context, provider string) *Error {
	e := &Error{Kind: Canceled, Message: provider + ": the call was cancelled", Err: context.Cause(ctx)}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Kind, e.Message = Timeout, provider+": no answer in time"
	}
	return e
}

// unreachable is the error for a request that got no response.
func unreachable(provider string, err error) *Error {
	e := &Error{Kind: Unavailable, Message: fmt.Sprintf("%s cannot be reached: %v", provider, err), Err: err}
	var n net.Error
	if errors.As(err, &n) && n.Timeout() {
		e.Kind, e.Message = Timeout, fmt.Sprintf("%s: no answer in time: %v", provider, err)
	}
	return e
}

// kindOf sorts a status, with the provider's code and words where they say
// more.
func kindOf(status int, code, said string) Kind {
	switch status {
	case http.StatusUnauthorized:
		return Unauthorized
	case http.StatusForbidden, http.StatusPaymentRequired:
		return Denied
	case http.StatusNotFound, http.StatusGone:
		return NotFound
	case http.StatusRequestTimeout:
		return Timeout
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return Unsupported
	case http.StatusConflict:
		return Unavailable
	case http.StatusTooManyRequests:
		if code == "insufficient_quota" {
			return Denied // waiting does not help
		}
		return Unavailable
	}
	switch {
	case status >= 500:
		return Unavailable
	case status < 400:
		return Failed
	case tooLong(code, said):
		return TooLarge
	case code == "invalid_api_key" || strings.Contains(said, "API key not valid"):
		return Unauthorized
	}
	return InvalidInput
}

// tooLong tells whether a refusal is about the length of the question.
func tooLong(code, said string) bool {
	if code == "context_length_exceeded" || code == "string_above_max_length" {
		return true
	}
	said = strings.ToLower(said)
	for _, words := range []string{
		"maximum context length", "prompt is too long", "context window",
		"exceeds the maximum number of tokens", "exceed context limit",
	} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// readError finds the provider's words and code in the body of an error, in
// any of the forms that servers use.
func readError(body []byte) (said, code string) {
	v, err := value.Parse(body)
	if err != nil {
		return strings.TrimSpace(string(body)), ""
	}
	if v.Kind() == value.KindList && v.Len() > 0 {
		v = v.Index(0) // Gemini's streams
	}
	e := v
	if inner, ok := v.Get("error"); ok {
		e = inner
	}
	if s, ok := e.AsString(); ok {
		return s, ""
	}
	for _, key := range []string{"message", "detail", "msg"} {
		if s := e.At(key).Text(); s != "" {
			said = s
			break
		}
	}
	if code = e.At("code").Text(); code == "" {
		code = e.At("type").Text()
	}
	if said == "" {
		said = strings.TrimSpace(string(body))
	}
	return said, code
}

// retryAfter returns how long a response asks to wait, 0 if it does not.
func retryAfter(header http.Header, body []byte) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(ms / 1000)
	}
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return bounded(seconds)
	}
	if at, err := http.ParseTime(text); err == nil {
		if now, err := http.ParseTime(header.Get("Date")); err == nil {
			return bounded(at.Sub(now).Seconds())
		}
	}
	return retryDelay(body)
}

// retryDelay reads google.rpc.RetryInfo, which Gemini says it with.
func retryDelay(body []byte) time.Duration {
	v, err := value.Parse(body)
	if err != nil {
		return 0
	}
	if v.Kind() == value.KindList && v.Len() > 0 {
		v = v.Index(0)
	}
	for _, d := range v.At("error", "details").Items() {
		if wait, err := time.ParseDuration(d.At("retryDelay").Text()); err == nil {
			return bounded(wait.Seconds())
		}
	}
	return 0
}

// bounded returns seconds as a duration between nothing and a day.
func bounded(seconds float64) time.Duration {
	const day = 24 * 60 * 60
	return time.Duration(min(max(seconds, 0), day) * float64(time.Second))
}

// clip shortens a provider's words.
func clip(s string) string {
	if len(s) <= maxSaid {
		return s
	}
	return strings.ToValidUTF8(s[:maxSaid], "") + " …"
}

// Masked returns e with the credentials of c taken out of its message.
func (c Config) Masked(e *Error) *Error {
	e.Message = c.mask(e.Message)
	return e
}

// mask takes the credentials out of a text.
func (c Config) mask(s string) string {
	secrets := []string{c.APIKey}
	for _, values := range c.Headers {
		secrets = append(secrets, values...)
	}
	for _, secret := range secrets {
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, value.Mask)
		}
	}
	return s
}
