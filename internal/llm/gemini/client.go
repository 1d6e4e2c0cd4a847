package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"path"
	"regexp"
	"strings"

	"google.golang.org/genai"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/exchange"
	"github.com/tea-agents/tea/value"
)

const (
	home    = "https://generativelanguage.googleapis.com"
	version = "v1beta"
	// noKey stands where there is no key: without one the SDK would take the
	// environment's. It is never sent.
	noKey     = "none"
	keyHeader = "X-Goog-Api-Key"
)

type client struct {
	config        llm.Config
	base, version string
}

// New returns a client of the Gemini API, or of a server that speaks it at
// c.APIBase, which may end in the version of the API, such as /v1beta.
func New(c llm.Config) (llm.Client, error) {
	if c.HTTP == nil {
		return nil, &llm.Error{Kind: llm.Failed, Message: "gemini: no HTTP client given"}
	}
	out := client{config: c, base: home, version: version}
	if c.APIBase != "" {
		out.base = strings.TrimRight(c.APIBase, "/")
	}
	if last := path.Base(out.base); isVersion(last) {
		out.base, out.version = strings.TrimSuffix(out.base, "/"+last), last
	}
	return out, nil
}

func isVersion(name string) bool {
	return regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]*)?$`).MatchString(name)
}

// models returns the SDK's client for one call, and the exchange below it.
func (c client) models(ctx context.Context) (*genai.Models, *exchange.Exchange, error) {
	x, watched := exchange.New("gemini", c.config)
	key := c.config.APIKey
	watched.Transport = &transport{next: watched.Transport, keyless: key == ""}
	if key == "" {
		key = noKey
	}
	g, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      key,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  watched,
		HTTPOptions: genai.HTTPOptions{BaseURL: c.base, APIVersion: c.version},
	})
	if err != nil {
		// The SDK's words print the key.
		return nil, nil, &llm.Error{Kind: llm.InvalidInput, Message: fmt.Sprintf("gemini: no client can be made for %s", c.base)}
	}
	return g.Models, x, nil
}

// Generate implements [llm.Client].
func (c client) Generate(ctx context.Context, r llm.Request, sink func(llm.Delta)) (llm.Response, error) {
	call, err := newCall(r)
	if err != nil {
		return llm.Response{}, err
	}
	models, x, err := c.models(ctx)
	if err != nil {
		return llm.Response{}, err
	}
	call.config.HTTPOptions = extras(r.Extra)
	a := &answer{sink: sink}
	for one, err := range responses(ctx, models, r.Model, call, sink != nil) {
		if err == nil {
			err = a.add(one)
		}
		if err != nil {
			return llm.Response{}, failure(ctx, x, err)
		}
	}
	// A reason to finish may come with every event: the end of the body is
	// part of the mark.
	if a.reason == "" || !x.Whole() {
		return llm.Response{}, x.Fail(ctx, nil)
	}
	out := a.response()
	out.Raw = x.Raw()
	if out.Model == "" {
		out.Model = r.Model
	}
	return out, nil
}

func responses(ctx context.Context, m *genai.Models, model string, c call, stream bool) iter.Seq2[*genai.GenerateContentResponse, error] {
	if stream {
		return m.GenerateContentStream(ctx, model, c.contents, c.config)
	}
	return func(yield func(*genai.GenerateContentResponse, error) bool) {
		yield(m.GenerateContent(ctx, model, c.contents, c.config))
	}
}

// extras puts further parameters into the body, objects within objects too.
func extras(extra value.Value) *genai.HTTPOptions {
	return &genai.HTTPOptions{ExtrasRequestProvider: func(body map[string]any) map[string]any {
		merge(body, extra)
		return body
	}}
}

func merge(into map[string]any, over value.Value) {
	for key, member := range over.Members() {
		if old, ok := into[key].(map[string]any); ok && member.Kind() == value.KindObject {
			merge(old, member)
			continue
		}
		into[key] = member
	}
}

// failure sorts an error that a stream may tell of after it began well.
func failure(ctx context.Context, x *exchange.Exchange, err error) error {
	var told genai.APIError
	if !errors.As(err, &told) || told.Code < http.StatusBadRequest {
		return x.Fail(ctx, err)
	}
	body := value.Object(value.M("error", value.Object(value.M("message", value.String(told.Message)))))
	return x.Told(ctx, told.Code, body.AppendJSON(nil), err)
}

// Embed implements [llm.Client]. The API tells no usage.
func (c client) Embed(ctx context.Context, r llm.EmbedRequest) (llm.EmbedResponse, error) {
	models, x, err := c.models(ctx)
	if err != nil {
		return llm.EmbedResponse{}, err
	}
	contents := make([]*genai.Content, 0, len(r.Texts))
	for _, text := range r.Texts {
		contents = append(contents, genai.NewContentFromText(text, genai.RoleUser))
	}
	config := &genai.EmbedContentConfig{HTTPOptions: extras(r.Extra)}
	if r.Dimensions > 0 {
		config.OutputDimensionality = genai.Ptr(int32(r.Dimensions))
	}
	if _, err := models.EmbedContent(ctx, r.Model, contents, config); err != nil || !x.Whole() {
		return llm.EmbedResponse{}, x.Fail(ctx, err)
	}
	return embedded(ctx, x, r)
}

// embedded reads the vectors from the body: the SDK halves their digits.
func embedded(ctx context.Context, x *exchange.Exchange, r llm.EmbedRequest) (llm.EmbedResponse, error) {
	var body struct {
		Embeddings []struct{ Values []float64 }
	}
	out := llm.EmbedResponse{Model: r.Model, Raw: x.Raw()}
	if err := json.Unmarshal(out.Raw, &body); err != nil {
		return llm.EmbedResponse{}, x.Fail(ctx, err)
	}
	for _, e := range body.Embeddings {
		out.Vectors = append(out.Vectors, e.Values)
	}
	if len(out.Vectors) != len(r.Texts) {
		return llm.EmbedResponse{}, x.Unequal(len(out.Vectors), len(r.Texts))
	}
	return out, nil
}
