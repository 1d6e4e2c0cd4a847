package libsqlltm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A server keeps a stream of which it hears no end for ten seconds, and with it
// the state of the database: so a call that is over in the middle of one ends it.
func TestStreamEndsWhenItsCallIsOver(t *testing.T) {
	t.Parallel()
	ended := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		if req.Requests[0].Type == "close" {
			ended <- *req.Baton
		}
		fmt.Fprint(w, `{"baton":"b","results":[{"type":"ok","response":{"type":"batch","result":`+
			`{"step_results":[{"rows":[],"affected_row_count":0}],"step_errors":[null]}}}]}`)
	}))
	t.Cleanup(server.Close)
	life, end := context.WithCancel(t.Context())
	c := newClient(life, config{base: server.URL})
	t.Cleanup(func() {
		end()
		c.close()
	})
	ctx, cancel := context.WithCancel(t.Context())
	err := c.look(ctx, func(ask asker) error {
		for range 2 {
			if _, err := ask(ctx, sql("SELECT 1")); err != nil {
				return err
			}
		}
		cancel()
		_, err := ask(ctx, sql("SELECT 1"))
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the call returns %v", err)
	}
	select {
	case baton := <-ended:
		if baton != "b" {
			t.Errorf("it ends stream %q", baton)
		}
	case <-time.After(10 * time.Second):
		t.Error("the stream is open")
	}
}
