package postgresltm_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/testserver/pgserver"
	"github.com/tea-agents/tea/ltm/driver"
)

func TestTheServerTellsItsVersionFormatAndTime(t *testing.T) {
	t.Parallel()
	server := pgserver.Start(t)
	s := openURL(t, server.URL(server.Addr(), "schema=told"))
	for _, format := range []int{1, 7} { // the second is what a newer program made of it meanwhile
		before := time.Now().UnixMilli()
		f, err := s.Inspect(t.Context())
		if err != nil || f.Format != format || f.Newest != 1 {
			t.Errorf("got %+v, %v", f, err)
		}
		if name, version, _ := strings.Cut(f.Product, " "); name != "PostgreSQL" || version == "" || strings.Contains(version, " ") {
			t.Errorf("the product is %q", f.Product)
		}
		if f.Time < before-100 || f.Time > time.Now().UnixMilli()+100 { // one clock, which processes read a little apart
			t.Errorf("the time is %d, after %d", f.Time, before)
		}
		server.Exec(t, "UPDATE told.tea_store SET format = 7")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Inspect(t.Context()); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("a closed store tells %+v, %v", f, err)
	}
}
