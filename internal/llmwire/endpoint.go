package llmwire

import (
	"net/http"
	"strings"
)

// The names of the providers.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
	Gemini    = "gemini"
	Ollama    = "ollama"
)

// Providers returns the names of all providers whose dialects are known.
func Providers() []string { return []string{OpenAI, Anthropic, Gemini, Ollama} }

// Dialect is one way of asking one kind of question.
type Dialect uint8

// The dialects. Plain is everything else: HTTP of which nothing is known, or a
// provider's endpoint that asks no model, such as the list of its models.
const (
	Plain Dialect = iota
	OpenAIChat
	OpenAIResponses
	OpenAICompletions
	OpenAIEmbeddings
	AnthropicMessages
	GeminiGenerate
	GeminiEmbed
	OllamaChat
	OllamaGenerate
	OllamaEmbed
)

// Endpoint is what a method and a path say about a call.
type Endpoint struct {
	Provider string // "" is a server that is no model provider
	Dialect  Dialect
	Model    string // when the path names it, as Gemini's do
}

// Recognize tells which endpoint a request is for. The path may have anything
// before the part that is the provider's own, as compatible servers and
// gateways do; it is unescaped and without the query. header may be nil.
func Recognize(method, path string, header http.Header) Endpoint {
	path = strings.TrimSuffix(path, "/")
	if method == http.MethodGet {
		return recognizeGet(path, header)
	}
	if method != http.MethodPost {
		return Endpoint{}
	}
	if e, ok := recognizeGemini(path); ok {
		return e
	}
	for _, known := range postPaths() {
		if path == known.suffix || strings.HasSuffix(path, known.suffix) {
			return known.Endpoint
		}
	}
	return Endpoint{}
}

type knownPath struct {
	suffix string
	Endpoint
}

// postPaths lists the paths that models are asked under; of two that fit the
// first one counts.
func postPaths() []knownPath {
	return []knownPath{
		{"/chat/completions", Endpoint{Provider: OpenAI, Dialect: OpenAIChat}},
		{"/completions", Endpoint{Provider: OpenAI, Dialect: OpenAICompletions}},
		{"/api/embeddings", Endpoint{Provider: Ollama, Dialect: OllamaEmbed}},
		{"/embeddings", Endpoint{Provider: OpenAI, Dialect: OpenAIEmbeddings}},
		{"/v1/responses", Endpoint{Provider: OpenAI, Dialect: OpenAIResponses}},
		{"/openai/responses", Endpoint{Provider: OpenAI, Dialect: OpenAIResponses}},
		{"/v1/messages", Endpoint{Provider: Anthropic, Dialect: AnthropicMessages}},
		{"/v1/messages/count_tokens", Endpoint{Provider: Anthropic}},
		{"/api/chat", Endpoint{Provider: Ollama, Dialect: OllamaChat}},
		{"/api/generate", Endpoint{Provider: Ollama, Dialect: OllamaGenerate}},
		{"/api/embed", Endpoint{Provider: Ollama, Dialect: OllamaEmbed}},
		{"/api/show", Endpoint{Provider: Ollama}},
	}
}

func recognizeGet(path string, header http.Header) Endpoint {
	models := endsWith(path, "/models")
	switch {
	case strings.HasSuffix(path, "/api/tags"), strings.HasSuffix(path, "/api/version"), strings.HasSuffix(path, "/api/ps"):
		return Endpoint{Provider: Ollama}
	case !models:
		return Endpoint{}
	case strings.Contains(path, "/v1beta/models"), header.Get("X-Goog-Api-Key") != "":
		return Endpoint{Provider: Gemini}
	case header.Get("Anthropic-Version") != "":
		return Endpoint{Provider: Anthropic}
	case strings.Contains(path, "/v1/models"):
		return Endpoint{Provider: OpenAI}
	}
	return Endpoint{}
}

// recognizeGemini reads …/models/MODEL:verb.
func recognizeGemini(path string) (Endpoint, bool) {
	dir, last := cutSegment(path)
	model, verb, found := strings.Cut(last, ":")
	if !found || !strings.HasSuffix(dir, "odels") { // models, tunedModels
		return Endpoint{}, false
	}
	e := Endpoint{Provider: Gemini, Model: model}
	switch verb {
	case "generateContent", "streamGenerateContent":
		e.Dialect = GeminiGenerate
	case "embedContent", "batchEmbedContents":
		e.Dialect = GeminiEmbed
	case "countTokens":
	default:
		return Endpoint{}, false
	}
	return e, true
}

func cutSegment(path string) (dir, last string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// endsWith tells whether path ends with name, or with name and one segment more.
func endsWith(path, name string) bool {
	dir, _ := cutSegment(path)
	return strings.HasSuffix(path, name) || strings.HasSuffix(dir, name)
}
