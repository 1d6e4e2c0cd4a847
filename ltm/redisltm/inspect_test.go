package redisltm_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/redisltm"
)

func TestTheServerTellsItsVersionFormatAndTime(t *testing.T) {
	t.Parallel()
	addr := start(t)
	s := open(t, "redis://"+addr).(*redisltm.Store)
	for _, format := range []int{2, 7} { // the second is what a newer program made of it meanwhile
		before := time.Now().UnixMilli()
		f, err := s.Inspect(t.Context())
		if err != nil || f.Format != format || f.Newest != 2 || !strings.HasPrefix(f.Product, "Redis ") {
			t.Errorf("got %+v, %v", f, err)
		}
		if f.Time < before-100 || f.Time > time.Now().UnixMilli()+100 { // one clock, which processes read a little apart
			t.Errorf("the time is %d, after %d", f.Time, before)
		}
		if err := raw(t, addr).HSet(t.Context(), "{tea}:store", "format", 7).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Inspect(t.Context()); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("a closed store tells %+v, %v", f, err)
	}
}

func TestWhatAServerWillNotTellIsUnknown(t *testing.T) {
	t.Parallel()
	addr := start(t)
	open(t, "redis://"+addr) // makes the store, for which it asks the time
	err := raw(t, addr).Do(t.Context(), "ACL", "SETUSER", "shy", "on", ">pass", "~*", "+@all", "-info", "-time").Err()
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, "redis://shy:pass@"+addr+"/?readonly=true").(*redisltm.Store)
	if f, err := s.Inspect(t.Context()); err != nil || f != (driver.Facts{Format: 2, Newest: 2}) {
		t.Errorf("got %+v, %v", f, err)
	}
}
