package providers

import (
	"fmt"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/openai"
)

// New returns a client of a provider. An unknown one is an *llm.Error of kind
// InvalidInput.
func New(provider string, c llm.Config) (llm.Client, error) {
	switch provider {
	case llm.OpenAI:
		return openai.New(c)
	case llm.Azure:
		return openai.NewAzure(c)
	}
	message := fmt.Sprintf("unknown provider %q", provider)
	if hint := diag.DidYouMean(provider, Names()); hint != "" {
		message += ": " + hint
	}
	return nil, &llm.Error{Kind: llm.InvalidInput, Message: message}
}

// Names returns the names of the providers, sorted.
func Names() []string { return []string{llm.Azure, llm.OpenAI} }
