package libsqlltm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

func TestInspectTellsProductFormatAndTime(t *testing.T) {
	t.Parallel()
	s := open(t, one(t))
	begin := time.Now().UnixMilli()
	f, err := driver.Inspect(t.Context(), s)
	if err != nil || !strings.HasPrefix(f.Product, "libSQL, SQLite 3.") || f.Format == 0 || f.Format != f.Newest {
		t.Errorf("%+v, %v", f, err)
	}
	if end := time.Now().UnixMilli(); f.Time < begin-100 || f.Time > end+100 {
		t.Errorf("the server's clock is at %d, the test ran from %d to %d", f.Time, begin, end)
	}
}
