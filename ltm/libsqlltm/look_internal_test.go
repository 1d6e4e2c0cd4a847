package libsqlltm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/internal/sqlitesql"
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

// The server of which a stream expires when it is used again, as often as it is to.
func TestALookBeginsAnewWhenItsStreamExpires(t *testing.T) {
	t.Parallel()
	for expires, works := range map[int]bool{1: true, streams - 1: true, streams: false} {
		begun := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var req request
			if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
				t.Error(err)
			}
			if req.Baton == nil {
				begun++
			} else if req.Requests[0].Type == "batch" && begun <= 1+expires { // the first one was no stream
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"message":"The stream has expired due to inactivity","code":"STREAM_EXPIRED"}`)
				return
			}
			fmt.Fprint(w, `{"baton":"b","results":[{"type":"ok","response":{"type":"batch","result":`+
				`{"step_results":[{"rows":[],"affected_row_count":0}],"step_errors":[null]}}}]}`)
		}))
		t.Cleanup(server.Close)
		c := newClient(t.Context(), config{base: server.URL})
		t.Cleanup(c.close)
		err := c.look(t.Context(), func(ask asker) error {
			for range 2 {
				if _, err := ask(t.Context(), sql("SELECT 1")); err != nil {
					return err
				}
			}
			return nil
		})
		if works && err != nil || !works && !forgotten(err) {
			t.Errorf("of a stream that expires %d times: %v", expires, err)
		}
	}
}

// Whoever reads a list too slowly asks for less the next time.
func TestAListThatExpiresAsksForLess(t *testing.T) {
	t.Parallel()
	sel := &selection{query: driver.Query{Limit: maxRows}, rows: maxRows, page: func(q *driver.Query) (string, *sqlitesql.Conditions) {
		return "SELECT", sqlitesql.Where(q)
	}}
	var asked []int
	for range 3 {
		_, err := sel.collect(t.Context(), func(context.Context, ...statement) ([]*result, error) {
			asked = append(asked, sel.rows)
			return nil, &serverError{Code: "STREAM_EXPIRED"}
		})
		if !forgotten(err) {
			t.Error(err)
		}
	}
	if !slices.Equal(asked, []int{1000, 500, 250}) {
		t.Errorf("it asks for %v", asked)
	}
}
