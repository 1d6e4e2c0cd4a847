package ltm_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/memltm"
)

func TestAStoreThatIsElsewhere(t *testing.T) {
	t.Parallel()
	var m ltm.Mux
	m.Elsewhere("far", "it is over there")
	_, err := m.Lazy("far://x?what=ever", nil)
	if !errors.Is(err, ltm.ErrConfig) || !errors.Is(err, ltm.ErrElsewhere) || !strings.Contains(err.Error(), "it is over there") {
		t.Errorf("got %v", err)
	}
	m.Handle("far", nil, func(*url.URL, *ltm.Options) (func(context.Context) (driver.Store, error), error) {
		return func(context.Context) (driver.Store, error) { return memltm.New(), nil }, nil
	})
	m.Elsewhere("far", "it is over there")
	there, err := m.Open(t.Context(), "far://x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := there.Close(); err != nil {
		t.Error(err)
	}
}
