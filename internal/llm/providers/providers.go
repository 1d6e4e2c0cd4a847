package providers

import (
	"fmt"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/anthropic"
	"github.com/tea-agents/tea/internal/llm/gemini"
	"github.com/tea-agents/tea/internal/llm/ollama"
	"github.com/tea-agents/tea/internal/llm/openai"
	"github.com/tea-agents/tea/internal/llm/shell"
)

// New returns a client of a provider. An unknown one is an *llm.Error of kind
// InvalidInput.
func New(provider string, c llm.Config) (llm.Client, error) {
	switch provider {
	case llm.OpenAI:
		return openai.New(c)
	case llm.Azure:
		return openai.NewAzure(c)
	case llm.Anthropic:
		return anthropic.New(c)
	case llm.Gemini:
		return gemini.New(c)
	case llm.Ollama:
		return ollama.New(c)
	case llm.Shell:
		return shell.New(c)
	}
	message := fmt.Sprintf("unknown provider %q", provider)
	if hint := diag.DidYouMean(provider, Names()); hint != "" {
		message += ": " + hint
	}
	return nil, &llm.Error{Kind: llm.InvalidInput, Message: message}
}

// Names returns the names of the providers, sorted.
func Names() []string { return llm.ProviderNames() }
