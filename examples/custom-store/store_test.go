package customstore_test

import (
	"path/filepath"
	"testing"

	customstore "github.com/tea-agents/tea/examples/custom-store"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/drivertest"
	"github.com/tea-agents/tea/value"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(t *testing.T) driver.Store {
		t.Helper()
		s, err := customstore.Open(filepath.Join(t.TempDir(), "memory.gob"))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, drivertest.Options{})
}

func TestMemoryOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	var mux ltm.Mux
	customstore.Register(&mux)
	where := "gob:" + filepath.ToSlash(filepath.Join(t.TempDir(), "memory.gob"))
	for i := range 3 {
		m, err := mux.Open(t.Context(), where, nil)
		if err != nil {
			t.Fatal(err)
		}
		created, err := m.Put(t.Context(), "k", value.Int(int64(i)), nil)
		if err != nil || created != (i == 0) {
			t.Errorf("%d: created %v, %v", i, created, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
