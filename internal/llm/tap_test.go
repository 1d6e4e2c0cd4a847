package llm_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/llm"
)

// get makes a request through a new tap and reads n bytes of the body.
func get(t *testing.T, c llm.Config, url string, n int64) (*llm.Tap, error) {
	t.Helper()
	client, tap := c.Tap()
	resp, err := client.Get(url)
	if err != nil {
		return tap, err
	}
	_, err = io.CopyN(io.Discard, resp.Body, n)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return tap, errors.Join(err, resp.Body.Close())
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestATapKeepsWhatCame(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/packed" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			_, _ = z.Write([]byte("hello, world"))
			return
		}
		_, _ = w.Write([]byte("hello, world"))
		if r.URL.Path == "/broken" {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	plain := llm.Config{HTTP: &http.Client{}}
	unasked := llm.Config{HTTP: &http.Client{Transport: &http.Transport{DisableCompression: true}}}
	for name, test := range map[string]struct {
		config llm.Config
		path   string
		n      int64
		whole  bool
	}{
		"whole":              {plain, "/", 100, true},
		"the end unread":     {plain, "/", 5, true}, // an SDK that stops at its mark
		"compressed":         {plain, "/packed", 100, true},
		"compressed unasked": {unasked, "/packed", 100, true},
		"broken":             {plain, "/broken", 5, false},
	} {
		tap, err := get(t, test.config, url+test.path, test.n)
		if string(tap.Raw()) != "hello, world" || tap.Status() != 200 || (tap.Ended() == nil) != test.whole || err != nil {
			t.Errorf("%s: %q %d %v, %v", name, tap.Raw(), tap.Status(), tap.Ended(), err)
		}
	}
	if _, tap := plain.Tap(); tap.Ended() == nil || tap.Raw() != nil || tap.Status() != 0 {
		t.Error("a tap that saw nothing says otherwise")
	}
}

func TestHeadersGoToNobodyElse(t *testing.T) {
	t.Parallel()
	var seen [2]string
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen[1] = r.Header.Get("X-Key") })
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen[0] = r.Header.Get("X-Key")
		http.Redirect(w, r, strings.Replace(other, "127.0.0.1", "localhost", 1), http.StatusFound)
	})
	if _, err := get(t, llm.Config{HTTP: &http.Client{}, Headers: http.Header{"x-key": {"k"}}}, first, 10); err != nil {
		t.Fatal(err)
	}
	if seen != [2]string{"k", ""} {
		t.Errorf("seen: %q", seen)
	}
}

func TestTooLargeAnAnswer(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 1<<20)
		for range 65 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	tap, err := get(t, llm.Config{HTTP: &http.Client{}}, url, 1<<30)
	if failure := tap.Failure(t.Context(), "p", err); failure.Kind != llm.TooLarge {
		t.Errorf("got %v", failure)
	}
}

func TestStatusError(t *testing.T) {
	t.Parallel()
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	tests := []struct {
		status int
		header http.Header
		body   string
		kind   llm.Kind
		wait   time.Duration
		says   string
	}{
		{429, header("Retry-After", "3"), `{"error":{"message":"slow"}}`, llm.Unavailable, 3 * time.Second, "p: slow (HTTP 429)"},
		{429, header("Retry-After-Ms", "250", "Retry-After", "1"), ``, llm.Unavailable, 250 * time.Millisecond, "Too Many Requests"},
		{503, header("Retry-After", "Wed, 01 Jan 2025 00:01:00 GMT", "Date", "Wed, 01 Jan 2025 00:00:00 GMT"), ``, llm.Unavailable, time.Minute, "503"},
		{503, header("Retry-After", "-5"), ``, llm.Unavailable, 0, ""},
		{503, header("Retry-After", "1e300"), ``, llm.Unavailable, 24 * time.Hour, ""},
		{429, nil, `[{"error":{"message":"m","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}]`, llm.Unavailable, 34500 * time.Millisecond, "p: m"},
		{529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Unavailable, 0, "Overloaded"},
		{404, nil, `{"error":"model 'x' not found"}`, llm.NotFound, 0, "model 'x' not found"},
		{400, nil, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}`, llm.Unauthorized, 0, ""},
		{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 > 1"}}`, llm.TooLarge, 0, ""},
		{413, nil, ``, llm.TooLarge, 0, ""},
		{408, nil, ``, llm.Timeout, 0, ""},
		{501, nil, ``, llm.Unsupported, 0, ""},
		{422, nil, `{"detail":"no"}`, llm.InvalidInput, 0, "p: no"},
		{302, nil, ``, llm.Failed, 0, "Found"},
		{500, nil, strings.Repeat("é", 1000), llm.Unavailable, 0, "…"},
	}
	for _, test := range tests {
		e := llm.StatusError("p", test.status, test.header, []byte(test.body))
		if e.Kind != test.kind || e.RetryAfter != test.wait || !strings.Contains(e.Message, test.says) || e.Status != test.status || string(e.Raw) != test.body {
			t.Errorf("%d %s: %+v", test.status, test.body, e)
		}
	}
}
