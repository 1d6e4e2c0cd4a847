package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/exchange"
	"github.com/tea-agents/tea/value"
)

const port = "11434"

type client struct {
	config llm.Config
	base   *url.URL
}

// New returns a client of the Ollama server at c.APIBase, which may lack the
// scheme, as OLLAMA_HOST may; without an address it is this machine's.
func New(c llm.Config) (llm.Client, error) {
	if c.HTTP == nil {
		return nil, &llm.Error{Kind: llm.Failed, Message: "ollama: no HTTP client given"}
	}
	base, err := address(c.APIBase)
	if err != nil {
		return nil, err
	}
	return client{config: c, base: base}, nil
}

func address(text string) (*url.URL, error) {
	bare := !strings.Contains(text, "://")
	if bare {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, &llm.Error{Kind: llm.InvalidInput, Message: "ollama: api_base is no address; expected one like http://127.0.0.1:" + port}
	}
	host, own := u.Hostname(), u.Port()
	if host == "" || host == "0.0.0.0" { // what a server listens on
		host = "127.0.0.1"
	}
	if own == "" && bare {
		own = port
	}
	if u.Host = host; own != "" {
		u.Host = joined(host, own)
	}
	return u, nil
}

func joined(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// sdk returns the SDK's client for one call, whose body holds more too, and the
// exchange below it.
func (c client) sdk(more value.Value) (*api.Client, *exchange.Exchange) {
	x, watched := exchange.New("ollama", c.config)
	watched.Transport = &transport{next: watched.Transport, base: c.base, key: c.config.APIKey, more: more}
	return api.NewClient(&url.URL{Scheme: "http", Host: standIn}, watched), x
}

// Generate implements [llm.Client].
func (c client) Generate(ctx context.Context, r llm.Request, sink func(llm.Delta)) (llm.Response, error) {
	req, err := chatRequest(r, sink != nil)
	if err != nil {
		return llm.Response{}, err
	}
	further, err := more(r)
	if err != nil {
		return llm.Response{}, err
	}
	chat, x := c.sdk(further)
	a := &answer{sink: sink}
	if err := chat.Chat(ctx, req, a.add); err != nil && !a.last.Done {
		return llm.Response{}, failure(ctx, x, err)
	}
	if !a.last.Done {
		return llm.Response{}, x.Fail(ctx, nil)
	}
	out := a.response()
	out.Raw = x.Raw()
	return out, nil
}

// failure finds the server's words where a stream may tell of an error after it
// began well: {"error": "…"}.
func failure(ctx context.Context, x *exchange.Exchange, err error) error {
	raw := bytes.TrimSpace(x.Raw())
	line := raw[bytes.LastIndexByte(raw, '\n')+1:]
	if v, parseErr := value.Parse(line); parseErr != nil || v.At("error").IsNull() {
		return x.Fail(ctx, err)
	}
	return x.Told(ctx, http.StatusInternalServerError, line, err)
}

// Embed implements [llm.Client].
func (c client) Embed(ctx context.Context, r llm.EmbedRequest) (llm.EmbedResponse, error) {
	embed, x := c.sdk(r.Extra)
	req := &api.EmbedRequest{Model: r.Model, Input: r.Texts, Dimensions: r.Dimensions}
	if _, err := embed.Embed(ctx, req); err != nil || !x.Whole() {
		return llm.EmbedResponse{}, x.Fail(ctx, err)
	}
	// From the body: the SDK halves the digits of the vectors.
	var body struct {
		Model      string
		Embeddings [][]float64
		Tokens     int64 `json:"prompt_eval_count"`
	}
	raw := x.Raw()
	if err := json.Unmarshal(raw, &body); err != nil {
		return llm.EmbedResponse{}, x.Fail(ctx, err)
	}
	if len(body.Embeddings) != len(r.Texts) {
		return llm.EmbedResponse{}, x.Unequal(len(body.Embeddings), len(r.Texts))
	}
	return llm.EmbedResponse{
		Vectors: body.Embeddings, Model: body.Model, Usage: llm.Usage{PromptTokens: body.Tokens}, Raw: raw,
	}, nil
}
