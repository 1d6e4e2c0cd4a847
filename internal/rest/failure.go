package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tea-agents/tea/actions"
)

// Failure is the error of an answer whose status is none of success: its code
// by [CodeOf], the beginning of body in its message, and how long the service
// asks to wait. Nothing of hidden is in the message.
func Failure(name string, resp *http.Response, body []byte, now time.Time, hidden []string) *actions.Error {
	message := fmt.Sprintf("%s: status %d", name, resp.StatusCode)
	if text := http.StatusText(resp.StatusCode); text != "" {
		message += " " + text
	}
	if start := beginning(body, hidden); start != "" {
		message += ": " + start
	}
	return &actions.Error{
		Code: CodeOf(resp.StatusCode), Message: message, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), now),
	}
}

// CodeOf returns the code of a status that is none of success.
func CodeOf(status int) actions.Code {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return actions.CodeInvalidInput
	case http.StatusUnauthorized:
		return actions.CodeCredentialMissing
	case http.StatusPaymentRequired, http.StatusForbidden:
		return actions.CodeDenied
	case http.StatusNotFound, http.StatusGone:
		return actions.CodeNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return actions.CodeTimeout
	case http.StatusConflict, http.StatusPreconditionFailed:
		return actions.CodeConflict
	case http.StatusRequestEntityTooLarge:
		return actions.CodeTooLarge
	case http.StatusNotImplemented:
		return actions.CodeUnsupported
	case http.StatusTooManyRequests:
		return actions.CodeUnavailable
	}
	if status >= 500 {
		return actions.CodeUnavailable
	}
	return actions.CodeFailed
}

// Hide returns text with *** for everything in hidden.
func Hide(text string, hidden []string) string {
	for _, h := range hidden {
		if h != "" {
			text = strings.ReplaceAll(text, h, "***")
		}
	}
	return text
}

// beginning returns the first words of a body, for a message. Keys are hidden
// before it is cut, so that no half of one is left.
func beginning(body []byte, hidden []string) string {
	const most = 200
	if !utf8.Valid(body) {
		return ""
	}
	text := []rune(strings.Join(strings.Fields(Hide(string(body), hidden)), " "))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// retryAfter reads the header Retry-After: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
