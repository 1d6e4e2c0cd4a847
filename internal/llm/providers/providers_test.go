package providers_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/providers"
)

func TestEveryNameHasAClient(t *testing.T) {
	t.Parallel()
	names := providers.Names()
	if !slices.IsSorted(names) || len(names) == 0 {
		t.Errorf("names: %q", names)
	}
	for _, name := range names {
		c, err := providers.New(name, llm.Config{
			APIBase: "http://127.0.0.1:1", APIKey: "k", HTTP: &http.Client{},
			Command: []string{"echo"}, Shell: func(context.Context, []string, []byte) ([]byte, error) { return nil, nil },
		})
		if err != nil || c == nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Contains(llm.ProviderNames(), name) {
			t.Errorf("package llm does not know %s", name)
		}
	}
}

func TestAnUnknownName(t *testing.T) {
	t.Parallel()
	_, err := providers.New("opnai", llm.Config{})
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.InvalidInput || !strings.Contains(e.Message, `did you mean "openai"`) {
		t.Errorf("got %v", err)
	}
}
