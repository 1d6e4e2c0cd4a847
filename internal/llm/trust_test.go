package llm_test

import (
	"testing"

	"github.com/tea-agents/tea/internal/llm"
)

func TestTrusted(t *testing.T) {
	t.Parallel()
	getenv := func(name string) (string, bool) {
		text, ok := map[string]string{"OPENAI_BASE_URL": "http://gateway.corp:8080/openai/v1"}[name]
		return text, ok
	}
	for _, c := range []struct {
		provider, base string
		want           bool
	}{
		{llm.OpenAI, "", true},
		{llm.OpenAI, "https://api.openai.com/v1", true},
		{llm.OpenAI, "https://api.openai.com/v1/other", true},
		{llm.OpenAI, "http://api.openai.com/v1", false},
		{llm.OpenAI, "https://api.openai.com.evil.example/v1", false},
		{llm.OpenAI, "https://evil.example/v1", false},
		{llm.OpenAI, "https://openai.example@evil.example/v1", false},
		{llm.OpenAI, "http://127.0.0.1:8000/v1", true},
		{llm.OpenAI, "http://[::1]:8000/v1", true},
		{llm.OpenAI, "http://localhost:8000", true},
		{llm.OpenAI, "http://localhost.evil.example", false},
		{llm.OpenAI, "http://gateway.corp:8080/v1", true},
		{llm.OpenAI, "http://gateway.corp/v1", false},
		{llm.Anthropic, "http://gateway.corp:8080", false},
		{llm.Anthropic, "https://api.anthropic.com", true},
		{llm.Azure, "https://mine.openai.azure.com", true},
		{llm.Azure, "https://mine.openai.azure.com.evil.example", false},
		{llm.Azure, "https://openai.azure.com", false},
		{llm.OpenAI, "::", false},
	} {
		if got := llm.Trusted(c.provider, c.base, getenv); got != c.want {
			t.Errorf("%s %q: %v", c.provider, c.base, got)
		}
	}
}
