package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// Exchange is one call of a provider through its SDK.
type Exchange struct {
	provider string
	config   llm.Config
	tap      *llm.Tap
}

// New returns an exchange of a provider, and the client to make its only
// request with.
func New(provider string, c llm.Config) (*Exchange, *http.Client) {
	client, tap := c.Tap()
	return &Exchange{provider: provider, config: c, tap: tap}, client
}

// Raw returns what came of the answer so far.
func (x *Exchange) Raw() []byte { return x.tap.Raw() }

// Whole tells whether the body came to its end as HTTP says.
func (x *Exchange) Whole() bool { return x.tap.Status() != 0 && x.tap.Ended() == nil }

// Fail says why a call failed, given the SDK's error, which is nil where only
// the provider's mark of the end is missing.
func (x *Exchange) Fail(ctx context.Context, err error) *llm.Error {
	var known *llm.Error
	if errors.As(err, &known) && ctx.Err() == nil {
		return known
	}
	if ctx.Err() == nil && x.good() && x.Whole() && cut(x.Raw(), err) {
		return llm.BrokeOff(x.provider, x.Raw(), nil)
	}
	return x.tap.Failure(ctx, x.provider, err)
}

// Told is Fail for an answer that began well, and may hold the error that it
// ends with: the body of a refusal with this status.
func (x *Exchange) Told(ctx context.Context, status int, body []byte, err error) *llm.Error {
	if ctx.Err() != nil || !x.good() || !json.Valid(body) {
		return x.Fail(ctx, err)
	}
	e := llm.StatusError(x.provider, status, http.Header{}, body)
	if key := x.config.APIKey; key != "" {
		e.Message = strings.ReplaceAll(e.Message, key, value.Mask)
	}
	e.Raw, e.Err = x.Raw(), err
	return e
}

// Unequal is the error of an answer that has not one vector for each text.
func (x *Exchange) Unequal(vectors, texts int) *llm.Error {
	return &llm.Error{
		Kind: llm.Failed, Status: x.tap.Status(), Raw: x.Raw(),
		Message: fmt.Sprintf("%s: %d vectors for %d texts", x.provider, vectors, texts),
	}
}

func (x *Exchange) good() bool {
	status := x.tap.Status()
	return status >= 200 && status <= 299
}

// cut tells whether an answer without its end began as one of the dialects,
// JSON, its lines, or server-sent events, and is not one whole JSON text that
// the SDK cannot make sense of.
func cut(raw []byte, err error) bool {
	if err != nil && json.Valid(raw) {
		return false
	}
	began := string(bytes.TrimSpace(raw))
	if began == "" || strings.ContainsRune("{[:", rune(began[0])) {
		return true
	}
	for _, field := range []string{"data:", "event:", "id:", "retry:"} {
		if strings.HasPrefix(began, field) || strings.HasPrefix(field, began) {
			return true
		}
	}
	return false
}
