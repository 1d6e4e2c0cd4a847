package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/tea-agents/tea/internal/llm"
)

// azureVersion is the version of Azure's API where none is said.
const azureVersion = "2024-10-21"

// client implements llm.Client.
type client struct {
	name   string // for messages
	config llm.Config
	// endpoint returns the options that lead to a model.
	endpoint func(model string) []option.RequestOption
}

// New returns a client of OpenAI, or of the server at c.APIBase that speaks its
// protocol. OpenAI itself wants a key, such a server may do without: no
// Authorization is sent then. The error is an *llm.Error.
func New(c llm.Config) (llm.Client, error) {
	base := c.APIBase
	if base == "" {
		base = llm.DefaultBase(llm.OpenAI)
	}
	if c.APIBase == "" && c.APIKey == "" && c.Headers.Get("Authorization") == "" {
		return nil, missing("openai: the API key is missing: set OPENAI_API_KEY, or api_key")
	}
	options := []option.RequestOption{option.WithBaseURL(base)}
	if c.APIKey != "" {
		options = append(options, option.WithAPIKey(c.APIKey))
	}
	return &client{
		name: llm.OpenAI, config: c,
		endpoint: func(string) []option.RequestOption { return options },
	}, nil
}

// NewAzure returns a client of Azure OpenAI, where a model is the name of a
// deployment: c.APIBase is the resource's address, such as
// https://name.openai.azure.com, or ends with /openai/v1 for the API without
// versions. The error is an *llm.Error.
func NewAzure(c llm.Config) (llm.Client, error) {
	if c.APIBase == "" {
		return nil, &llm.Error{
			Kind:    llm.InvalidInput,
			Message: "azure: the address is missing: set AZURE_OPENAI_ENDPOINT, or api_base, such as https://name.openai.azure.com",
		}
	}
	if c.APIKey == "" && c.Headers.Get("Authorization") == "" {
		return nil, missing("azure: the API key is missing: set AZURE_OPENAI_API_KEY, or api_key")
	}
	return &client{
		name: llm.Azure, config: c,
		endpoint: func(model string) []option.RequestOption { return azure(c, model) },
	}, nil
}

func missing(message string) error { return &llm.Error{Kind: llm.Unauthorized, Message: message} }

// azure returns the options that lead to a deployment.
func azure(c llm.Config, model string) []option.RequestOption {
	base := strings.TrimRight(c.APIBase, "/")
	var options []option.RequestOption
	if c.APIKey != "" {
		options = append(options, option.WithHeader("api-key", c.APIKey))
	}
	if strings.HasSuffix(base, "/openai/v1") {
		if c.APIVersion != "" {
			options = append(options, option.WithQuery("api-version", c.APIVersion))
		}
		return append(options, option.WithBaseURL(base))
	}
	version := c.APIVersion
	if version == "" {
		version = azureVersion
	}
	base += "/openai/deployments/" + url.PathEscape(model)
	return append(options, option.WithBaseURL(base), option.WithQuery("api-version", version))
}

// options returns all options of a call of model through h.
func (c *client) options(model string, h *http.Client) []option.RequestOption {
	return append([]option.RequestOption{option.WithHTTPClient(h), option.WithMaxRetries(0)}, c.endpoint(model)...)
}

// Generate implements llm.Client.
func (c *client) Generate(ctx context.Context, r llm.Request, sink func(llm.Delta)) (llm.Response, error) {
	params, err := chat(r)
	if err != nil {
		return llm.Response{}, err
	}
	h, tap := c.config.Tap()
	service := openai.NewChatCompletionService(c.options(r.Model, h)...)
	if sink != nil {
		return c.stream(ctx, &service, params, tap, sink)
	}
	var raw []byte
	_, err = service.New(ctx, params, option.WithResponseBodyInto(&raw))
	if err != nil || tap.Ended() != nil {
		return llm.Response{}, tap.Failure(ctx, c.name, err)
	}
	return c.answer(ctx, raw, tap)
}

// Embed implements llm.Client.
func (c *client) Embed(ctx context.Context, r llm.EmbedRequest) (llm.EmbedResponse, error) {
	params, err := embedding(r)
	if err != nil {
		return llm.EmbedResponse{}, err
	}
	h, tap := c.config.Tap()
	service := openai.NewEmbeddingService(c.options(r.Model, h)...)
	var raw []byte
	_, err = service.New(ctx, params, option.WithResponseBodyInto(&raw))
	if err != nil || tap.Ended() != nil {
		return llm.EmbedResponse{}, tap.Failure(ctx, c.name, err)
	}
	return c.vectors(ctx, raw, len(r.Texts), tap)
}
