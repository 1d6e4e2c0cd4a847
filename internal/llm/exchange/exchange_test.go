package exchange

import (
	"errors"
	"testing"
)

func TestCut(t *testing.T) {
	t.Parallel()
	unread := errors.New("unread")
	for raw, want := range map[string]bool{
		"": true, "e": true, "data": true, "data: {": true, "event: x\n": true, ": ping\n": true, "{\"a\":": true, "[{": true,
		"<html>": false, "Bad gateway": false, "e-mail": false,
	} {
		if got := cut([]byte(raw), unread); got != want {
			t.Errorf("%q: %v", raw, got)
		}
	}
	if cut([]byte(`{"a":1}`), unread) {
		t.Error("a whole text that is not understood is not cut")
	}
	if !cut([]byte(`{"a":1}`), nil) {
		t.Error("a whole text without the mark of the end is cut")
	}
}
