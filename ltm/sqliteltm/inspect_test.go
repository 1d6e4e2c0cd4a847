package sqliteltm_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/builtin"
)

// TestInspect holds that a file tells its format, through layers too, and where it
// may be replaced.
func TestInspect(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"sqlite::memory:", "sqlite:" + filepath.Join(t.TempDir(), "a.db"), "sqlite::memory:?memory=1MiB&namespace=n&near=mem:",
	} {
		m, err := builtin.Mux().Open(t.Context(), url, &ltm.Options{Disposable: true})
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Inspect(t.Context())
		if err != nil || f.Format < 1 || f.Format != f.Newest || !strings.HasPrefix(f.Product, "SQLite 3") || f.Time != 0 {
			t.Errorf("%s: %+v, %v", url, f, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, err := m.Inspect(t.Context()); err == nil {
			t.Error("a closed store tells something")
		}
	}
}
