//go:build unix

package bucketltm

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/tea-agents/tea/ltm/driver"
)

// TestFullFolderIsFull: a bucket may be a folder, and its disk full.
func TestFullFolderIsFull(t *testing.T) {
	t.Parallel()
	s := openOn(t, &proxy{Object: newMemory(t), before: func(_ context.Context, op string) error {
		if op == "put" {
			return &os.PathError{Op: "write", Path: "memory.db", Err: syscall.ENOSPC}
		}
		return nil
	}}, "")
	if _, err := s.Put(t.Context(), rec("k", "w"), driver.Condition{}); !errors.Is(err, driver.ErrFull) {
		t.Errorf("%v", err)
	}
}

func TestACacheInAFullFolderStaysDamaged(t *testing.T) {
	t.Parallel()
	staysDamaged(t, &os.PathError{Op: "write", Path: "cache.db", Err: syscall.ENOSPC})
}
