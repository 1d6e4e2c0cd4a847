package llm

import (
	"net"
	"net/url"
	"strings"
)

// The providers by the names that agents write.
const (
	OpenAI    = "openai" // and every server that speaks its protocol, by api_base
	Azure     = "azure"
	Anthropic = "anthropic"
	Gemini    = "gemini"
	Ollama    = "ollama"
	Shell     = "shell" // a program on this machine
)

// ProviderNames returns the names of the providers, sorted.
func ProviderNames() []string {
	return []string{Anthropic, Azure, Gemini, Ollama, OpenAI, Shell}
}

func isProvider(name string) bool {
	switch name {
	case OpenAI, Azure, Anthropic, Gemini, Ollama, Shell:
		return true
	}
	return false
}

// splitModel takes a provider's prefix off the name of a model.
func splitModel(model string) (provider, rest string) {
	prefix, rest, ok := strings.Cut(model, "/")
	if !ok || !isProvider(prefix) {
		return "", model
	}
	return prefix, rest
}

// infer returns the provider that a model's name belongs to, or "".
func infer(model string) string {
	families := []struct{ prefix, provider string }{
		{"gpt-", OpenAI}, {"chatgpt-", OpenAI}, {"text-embedding-", OpenAI},
		{"o1", OpenAI}, {"o3", OpenAI}, {"o4", OpenAI},
		{"claude-", Anthropic}, {"gemini-", Gemini},
	}
	for _, f := range families {
		rest, ok := strings.CutPrefix(model, f.prefix)
		if ok && (strings.HasSuffix(f.prefix, "-") || rest == "" || rest[0] == '-') {
			return f.provider
		}
	}
	return ""
}

// DefaultBase returns the address of a provider's own service, "" where there
// is none.
func DefaultBase(provider string) string {
	switch provider {
	case OpenAI:
		return "https://api.openai.com/v1"
	case Anthropic:
		return "https://api.anthropic.com"
	case Gemini:
		return "https://generativelanguage.googleapis.com"
	case Ollama:
		return "http://127.0.0.1:11434"
	}
	return ""
}

// isDefaultBase tells whether base is the provider's own address.
func isDefaultBase(provider, base string) bool {
	return base == DefaultBase(provider) || provider == Ollama && base == "http://localhost:11434"
}

// baseVariables are the environment variables that move a provider's address,
// the first one that is set counts.
func baseVariables(provider string) []string {
	switch provider {
	case OpenAI:
		return []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"}
	case Azure:
		return []string{"AZURE_OPENAI_ENDPOINT"}
	case Anthropic:
		return []string{"ANTHROPIC_BASE_URL"}
	case Gemini:
		return []string{"GOOGLE_GEMINI_BASE_URL"}
	case Ollama:
		return []string{"OLLAMA_HOST"}
	}
	return nil
}

// ollamaHost completes what OLLAMA_HOST holds, often only a host and a port,
// to an address.
func ollamaHost(text string) string {
	if strings.Contains(text, "://") {
		return text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]/"), "11434"
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1" // an address to listen on; this is where that answers
	}
	return "http://" + net.JoinHostPort(host, port)
}

// cleanBase returns an address without a slash at its end, and whether it is
// one that requests can be sent to.
func cleanBase(text string) (string, bool) {
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	u, err := url.Parse(text)
	return text, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
