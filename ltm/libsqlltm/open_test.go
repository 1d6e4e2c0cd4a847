package libsqlltm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/ltm/builtin"
	"github.com/tea-agents/tea/ltm/driver"
)

// standin answers every request with the same status and text, and notes the
// tokens that it was shown.
func standin(t *testing.T, status int, text string) (addr string, tokens func() string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all = append(all, r.Header.Get("Authorization"))
		mu.Unlock()
		w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(all, ", ")
	}
}

// What a server says instead of an answer has a kind, and the token that it was
// shown is not repeated.
func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		text   string
		kind   error
		says   string
	}{
		{401, `{"error":"bad token s3cret"}`, driver.ErrConfig, "does not take the token"},
		{403, `{"message":"expired","code":"AUTH_JWT_EXPIRED"}`, driver.ErrConfig, "AUTH_JWT_EXPIRED"},
		{404, `{"error":"Namespace doesn't exist"}`, driver.ErrConfig, "no such database"},
		{429, `slow down, s3cret`, driver.ErrUnavailable, "slow down"},
		{500, strings.Repeat("x", 5000), driver.ErrUnavailable, "500"},
		{503, ``, driver.ErrUnavailable, "Service Unavailable"},
		{307, ``, driver.ErrUnavailable, "307"},
		{200, `<html>`, driver.ErrCorrupt, "makes no sense"},
		{200, `{}`, driver.ErrCorrupt, "it is empty"},
		{200, `{"results":[{}]}`, driver.ErrCorrupt, "0 results"},
		{200, `{"results":[{"response":{"result":{"step_results":[null]}}}]}`, driver.ErrCorrupt, "was not run"},
		{200, `{"results":[{"response":{"result":{"step_results":[{"rows":[]}]}}}]}`, driver.ErrCorrupt, "0 rows"},
		{200, `{"results":[{"response":{"result":{"step_results":[{"rows":[[{"type":"integer","value":1}]]}]}}}]}`,
			driver.ErrCorrupt, "column 1"},
		{200, `{"results":[{"error":{"message":"no","code":"SQLITE_BUSY"}}]}`, driver.ErrUnavailable, "SQLITE_BUSY"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, " ", test.says), func(t *testing.T) {
			t.Parallel()
			addr, tokens := standin(t, test.status, test.text)
			_, err := tryOpen(t.Context(), "http+libsql://"+addr+"?authToken=s3cret")
			if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v with %q", err, test.kind, test.says)
			}
			if strings.Contains(err.Error(), "s3cret") || len(err.Error()) > 1000 {
				t.Errorf("the error is %s", err)
			}
			if seen := tokens(); strings.ReplaceAll(seen, ", Bearer s3cret", "") != "Bearer s3cret" {
				t.Errorf("the server saw %q", seen)
			}
		})
	}
}

// Through the list of stores, too, no error tells the token.
func TestErrorsHideTheToken(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http+libsql", "https+libsql", "libsql", "turso"} {
		_, err := builtin.Mux().Open(t.Context(), scheme+"://127.0.0.1:1?authToken=s3cret", nil)
		if !errors.Is(err, driver.ErrUnavailable) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", scheme, err)
		}
	}
	_, err := builtin.Mux().Open(t.Context(), "http+libsql://h?tls=1&auth=x", nil)
	if !errors.Is(err, driver.ErrConfig) || !strings.Contains(err.Error(), "authToken") {
		t.Errorf("an unknown parameter: %v", err)
	}
}

// Any number of processes may open a fresh database at once.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	raw := one(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			s, err := tryOpen(t.Context(), raw)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(put(t.Context(), s, fmt.Sprint(i), "v"), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	found, err := open(t, raw).List(t.Context(), driver.Query{Limit: 100})
	if err != nil || len(found) != 12 {
		t.Errorf("%d of 12 records are there: %v", len(found), err)
	}
}

// run runs SQL on a server, past the store.
func run(t *testing.T, raw string, statements ...string) {
	t.Helper()
	type request struct {
		Type string `json:"type"`
		Stmt any    `json:"stmt,omitempty"`
	}
	requests := []request{}
	for _, text := range statements {
		requests = append(requests, request{"execute", map[string]string{"sql": text}})
	}
	body, err := json.Marshal(map[string]any{"requests": append(requests, request{Type: "close"})})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"http://"+strings.TrimPrefix(raw, "http+libsql://")+"/v2/pipeline", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(res.Body); err != nil || strings.Contains(answer.String(), `"error"`) {
		t.Fatal(err, answer.String())
	}
}

// A database of a newer version, or with another's table under our name, is left
// alone; tables of other names are not looked at.
func TestForeignDatabases(t *testing.T) {
	t.Parallel()
	server := startMany(t)
	tests := map[string]struct {
		sql  []string
		kind error
	}{
		"newer":          {[]string{"CREATE TABLE tea_store (id, format, revision)", "INSERT INTO tea_store VALUES (1, 99, 0)"}, driver.ErrNewer},
		"another's":      {[]string{"CREATE TABLE tea_store (leaves)"}, driver.ErrCorrupt},
		"damaged":        {[]string{"CREATE TABLE tea_store (id, format, revision)", "INSERT INTO tea_store VALUES (1, 'x', 0)"}, driver.ErrCorrupt},
		"empty":          {[]string{"CREATE TABLE tea_store (id, format, revision)"}, driver.ErrCorrupt},
		"another's part": {[]string{"CREATE TABLE tea_parts (leaves)"}, driver.ErrCorrupt},
		"neighbours":     {[]string{"CREATE TABLE store (leaves)", "CREATE TABLE entries (leaves)"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := server.database(t)
			run(t, raw, test.sql...)
			s, err := tryOpen(t.Context(), raw)
			if !errors.Is(err, test.kind) {
				t.Errorf("got %v, want %v", err, test.kind)
			}
			if err == nil {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A database whose writes are blocked can be read.
func TestBlockedWrites(t *testing.T) {
	t.Parallel()
	server := startMany(t)
	raw := server.database(t)
	s := open(t, raw)
	if err := put(t.Context(), s, "k", "v"); err != nil {
		t.Fatal(err)
	}
	name := raw[strings.LastIndex(raw, "/")+1:]
	server.ask(t, http.MethodPost, "http://"+server.admin+"/v1/namespaces/"+name+"/config",
		`{"block_reads":false,"block_writes":true,"block_reason":"no money"}`)
	again := open(t, raw)
	if _, err := again.Get(t.Context(), key("k")); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"put":    put(t.Context(), again, "k", "v"),
		"delete": errorOf(again.Delete(t.Context(), key("k"), 0)),
		"batch":  batchOf(t.Context(), again, "k"),
	} {
		if !errors.Is(err, driver.ErrReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

func batchOf(ctx context.Context, s driver.Store, names ...string) error {
	var records []driver.Record
	for _, name := range names {
		records = append(records, driver.Record{Key: key(name), Metadata: []byte("{}"), UpdatedAt: 1})
	}
	_, err := s.(driver.BatchPutter).PutBatch(ctx, records)
	return err
}
