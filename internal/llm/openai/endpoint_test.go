package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/internal/llm/openai"
)

func TestNoKeyNoAuthorization(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	if _, err := connect(t, s, func(c *llm.Config) { c.APIKey = "" }).Generate(t.Context(), ask("x"), nil); err != nil {
		t.Fatal(err)
	}
	if values, ok := s.Calls()[0].Header["Authorization"]; ok {
		t.Errorf("Authorization: %q", values)
	}
	for name, build := range map[string]func(llm.Config) (llm.Client, error){"openai": openai.New, "azure": openai.NewAzure} {
		base := ""
		if name == "azure" {
			base = s.URL
		}
		if _, err := build(llm.Config{APIBase: base}); kindOf(t, err) != llm.Unauthorized {
			t.Errorf("%s without a key: %v", name, err)
		}
	}
}

func TestHeadersAreAdded(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	client := connect(t, s, func(c *llm.Config) {
		c.APIKey, c.Headers = "", http.Header{"x-team": {"a"}, "Authorization": {"Basic abc"}}
	})
	if _, err := client.Generate(t.Context(), ask("x"), nil); err != nil {
		t.Fatal(err)
	}
	if h := s.Calls()[0].Header; h.Get("X-Team") != "a" || h.Get("Authorization") != "Basic abc" {
		t.Errorf("headers: %v", h)
	}
}

func TestAzure(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	tests := map[string]struct {
		change func(*llm.Config)
		path   string
	}{
		"usual":            {func(*llm.Config) {}, "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"},
		"another version":  {func(c *llm.Config) { c.APIVersion = "2025-01-01" }, "/openai/deployments/my%20gpt/chat/completions?api-version=2025-01-01"},
		"without versions": {func(c *llm.Config) { c.APIBase += "/openai/v1" }, "/openai/v1/chat/completions"},
	}
	for name, test := range tests {
		c := llm.Config{APIBase: s.URL, APIKey: "azure-key", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
		test.change(&c)
		client, err := openai.NewAzure(c)
		if err != nil {
			t.Fatal(err)
		}
		r := ask("x")
		r.Model = "my gpt"
		for _, sink := range []func(llm.Delta){nil, func(llm.Delta) {}} {
			if _, err := client.Generate(t.Context(), r, sink); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			calls := s.Calls()
			last := calls[len(calls)-1]
			if last.Path != test.path || last.Header.Get("Api-Key") != "azure-key" || last.Header.Get("Authorization") != "" {
				t.Errorf("%s: %s %v", name, last.Path, last.Header)
			}
		}
	}
	if _, err := openai.NewAzure(llm.Config{APIKey: "k"}); kindOf(t, err) != llm.InvalidInput {
		t.Errorf("no address: %v", err)
	}
}

// The SDK reads these by itself; we have our own way.
func TestTheEnvironmentIsNotRead(t *testing.T) { //nolint:paralleltest // it changes the environment
	for name, v := range map[string]string{
		"OPENAI_API_KEY": "sk-env", "OPENAI_ORG_ID": "org-env", "OPENAI_PROJECT_ID": "p-env", "OPENAI_ADMIN_KEY": "a-env",
		"OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_CUSTOM_HEADERS": "X-Env: env", "AZURE_OPENAI_API_KEY": "az-env",
	} {
		t.Setenv(name, v)
	}
	s := llmtest.New(t)
	client := connect(t, s, func(c *llm.Config) { c.APIKey = "" })
	if _, err := client.Generate(t.Context(), ask("x"), nil); err != nil {
		t.Fatal(err)
	}
	for name, values := range s.Calls()[0].Header {
		if strings.Contains(strings.Join(values, " "), "env") {
			t.Errorf("%s: %q", name, values)
		}
	}
	if _, err := openai.New(llm.Config{}); kindOf(t, err) != llm.Unauthorized {
		t.Errorf("a client of OpenAI itself without a key: %v", err)
	}
}
