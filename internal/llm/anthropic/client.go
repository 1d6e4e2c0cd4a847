package anthropic

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/exchange"
)

const (
	home = "https://api.anthropic.com"
	// forever is the SDK's own limit of time, which it wants; the caller's
	// context is what counts.
	forever = 365 * 24 * time.Hour
)

type client struct {
	config  llm.Config
	options []option.RequestOption
}

// New returns a client of Anthropic's Messages API, or of a server that speaks
// it at c.APIBase, with or without the path /v1.
func New(c llm.Config) (llm.Client, error) {
	if c.HTTP == nil {
		return nil, &llm.Error{Kind: llm.Failed, Message: "anthropic: no HTTP client given"}
	}
	base := home
	if c.APIBase != "" {
		base = strings.TrimSuffix(strings.TrimRight(c.APIBase, "/"), "/v1")
	}
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithBaseURL(base + "/"),
		option.WithMaxRetries(0),
		option.WithRequestTimeout(forever),
		option.WithHeaderDel("X-Stainless-Timeout"),
	}
	if c.APIKey != "" {
		options = append(options, option.WithAPIKey(c.APIKey))
	}
	return client{config: c, options: options}, nil
}

// Generate implements [llm.Client].
func (c client) Generate(ctx context.Context, r llm.Request, sink func(llm.Delta)) (llm.Response, error) {
	x, watched := exchange.New("anthropic", c.config)
	options := append([]option.RequestOption{option.WithHTTPClient(watched)}, c.options...)
	for key, v := range r.Extra.Members() {
		options = append(options, option.WithJSONSet(param.EscapeSJSONKey(key), v))
	}
	messages := sdk.NewClient(options...).Messages
	generate := c.whole
	if sink != nil {
		generate = c.streamed(sink)
	}
	a, err := generate(ctx, messages, params(r), x)
	if err != nil {
		return llm.Response{}, err
	}
	out := a.response()
	out.Raw = x.Raw()
	return out, nil
}

// generator asks for an answer, in one piece or streamed.
type generator func(context.Context, sdk.MessageService, sdk.MessageNewParams, *exchange.Exchange) (*answer, error)

func (client) whole(ctx context.Context, s sdk.MessageService, p sdk.MessageNewParams, x *exchange.Exchange) (*answer, error) {
	m, err := s.New(ctx, p)
	if err == nil && m.Type != "message" {
		err = errors.New("no message")
	}
	if err != nil || !x.Whole() {
		return nil, x.Fail(ctx, err)
	}
	a := &answer{}
	a.message(m)
	return a, nil
}

func (client) streamed(sink func(llm.Delta)) generator {
	return func(ctx context.Context, s sdk.MessageService, p sdk.MessageNewParams, x *exchange.Exchange) (*answer, error) {
		r := &reader{sink: sink}
		events := s.NewStreaming(ctx, p)
		for events.Next() {
			e := events.Current()
			r.event(&e)
		}
		err := errors.Join(events.Err(), events.Close())
		if !r.whole {
			return nil, failure(ctx, x, err)
		}
		return &r.answer, nil
	}
}

// failure sorts an error that a stream may tell of after it began well.
func failure(ctx context.Context, x *exchange.Exchange, err error) error {
	var told *sdk.Error
	if !errors.As(err, &told) {
		return x.Fail(ctx, err)
	}
	return x.Told(ctx, status(told.Type()), []byte(told.RawJSON()), err)
}

// status is the HTTP status of a type of error.
func status(t sdk.ErrorType) int {
	switch t {
	case sdk.ErrorTypeInvalidRequestError:
		return http.StatusBadRequest
	case sdk.ErrorTypeAuthenticationError:
		return http.StatusUnauthorized
	case sdk.ErrorTypeBillingError, sdk.ErrorTypePermissionError:
		return http.StatusForbidden
	case sdk.ErrorTypeNotFoundError:
		return http.StatusNotFound
	case sdk.ErrorTypeRateLimitError:
		return http.StatusTooManyRequests
	case sdk.ErrorTypeOverloadedError:
		return 529
	default:
		return http.StatusInternalServerError
	}
}

// Embed implements [llm.Client].
func (client) Embed(context.Context, llm.EmbedRequest) (llm.EmbedResponse, error) {
	return llm.EmbedResponse{}, &llm.Error{Kind: llm.Unsupported, Message: "anthropic: Anthropic has no embeddings"}
}
