package cassette_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/cassette"
)

const chatPath = "/v1/chat/completions"

// sse is a streamed answer in three chunks.
func sseChunks() []string {
	return []string{
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}}]}\n\ndata: {\"cho",
		"ices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
	}
}

// roundTrip is a server that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// nobody is a server that nobody may ask.
func nobody(t *testing.T) http.RoundTripper {
	t.Helper()
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		t.Errorf("a call was made: %s %s", r.Method, r.URL)
		return nil, errors.New("no network")
	})
}

// chunked is a body that comes in given chunks and ends with an error.
type chunked struct {
	chunks []string
	end    error
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.chunks) == 0 {
		return 0, c.end
	}
	n := copy(p, c.chunks[0])
	if c.chunks[0] = c.chunks[0][n:]; c.chunks[0] == "" {
		c.chunks = c.chunks[1:]
	}
	return n, nil
}

func (*chunked) Close() error { return nil }

func reply(status int, kind string, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {kind}}, Body: body, ContentLength: -1,
	}
}

// streaming answers every request with chunks.
func streaming(chunks ...string) http.RoundTripper {
	return roundTrip(func(*http.Request) (*http.Response, error) {
		return reply(200, "text/event-stream", &chunked{slices.Clone(chunks), io.EOF}), nil
	})
}

func open(t *testing.T, path string, o cassette.Options) *cassette.Session {
	t.Helper()
	s, err := cassette.New(path, &o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func finish(t *testing.T, s *cassette.Session) {
	t.Helper()
	if err := s.Finish(true); err != nil {
		t.Fatal(err)
	}
}

func post(t *testing.T, rt http.RoundTripper, url, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer canary-of-the-header")
	return rt.RoundTrip(req)
}

func mustPost(t *testing.T, rt http.RoundTripper, url, body string) *http.Response {
	t.Helper()
	res, err := post(t, rt, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func readAll(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// chunksOf reads a body as a client sees it come.
func chunksOf(t *testing.T, res *http.Response) []string {
	t.Helper()
	var all []string
	buffer := make([]byte, 1<<15)
	for {
		n, err := res.Body.Read(buffer)
		if n > 0 {
			all = append(all, string(buffer[:n]))
		}
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func file(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "c.yaml") }

func isMiss(err error) bool {
	var miss *cassette.ReplayMissError
	return errors.As(err, &miss)
}

func TestTransportRecordsAndReplays(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "req_7")
		w.Header().Set("Set-Cookie", "session=canary-of-the-cookie")
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`)
	}))
	defer server.Close()
	path, body := file(t), `{"model":"gpt-4o","messages":[{"role":"user","content":"Hello"}]}`

	s := open(t, path, cassette.Options{Mode: cassette.Record})
	rt := s.Transport(nil)
	live := readAll(t, mustPost(t, rt, server.URL+chatPath+"?key=canary-of-the-query&v=1", body))
	finish(t, s)

	s = open(t, path, cassette.Options{Mode: cassette.Replay})
	res := mustPost(t, s.Transport(nobody(t)), "http://elsewhere.invalid"+chatPath+"?v=1&key=other", "  "+body)
	if got := readAll(t, res); got != live {
		t.Errorf("replayed %q, want %q", got, live)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" || res.Header.Get("X-Request-Id") != "req_7" {
		t.Errorf("status %d, header %v", res.StatusCode, res.Header)
	}
	if res.ContentLength != int64(len(live)) {
		t.Errorf("length %d", res.ContentLength)
	}
	if asked.Load() != 1 {
		t.Errorf("the server was asked %d times", asked.Load())
	}
	c := s.Calls()[0]
	if c.Provider != "openai" || c.Model != "gpt-4o" || c.Prompt != "user: Hello" || c.Text != "Hi" || c.Endpoint != chatPath {
		t.Errorf("the call is not readable: %+v", c.Request)
	}
	if got := c.Usage.At("total_tokens").String(); got != "3" {
		t.Errorf("usage %v", c.Usage)
	}
	written, err := os.ReadFile(path)
	if err != nil || bytes.Contains(written, []byte("canary")) {
		t.Errorf("a credential is in the cassette (%v):\n%s", err, written)
	}
}

func TestTransportReplaysChunks(t *testing.T) {
	t.Parallel()
	path := file(t)
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := func() time.Time { clock = clock.Add(10 * time.Millisecond); return clock }
	s := open(t, path, cassette.Options{Mode: cassette.Record, Now: now})
	live := chunksOf(t, mustPost(t, s.Transport(streaming(sseChunks()...)), "http://a"+chatPath, `{}`))
	finish(t, s)
	if want := fmt.Sprintf("%q", sseChunks()); fmt.Sprintf("%q", live) != want {
		t.Errorf("chunks were not passed on as they came: %q", live)
	}

	var waited []time.Duration
	sleep := func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
	s = open(t, path, cassette.Options{Mode: cassette.Replay, ReplaySpeed: 2, Sleep: sleep})
	again := chunksOf(t, mustPost(t, s.Transport(nobody(t)), "http://b"+chatPath, `{}`))
	if fmt.Sprintf("%q", again) != fmt.Sprintf("%q", live) {
		t.Errorf("chunks %q, want %q", again, live)
	}
	if want := "[5ms 5ms 5ms]"; fmt.Sprint(waited) != want {
		t.Errorf("waited %v, want %s", waited, want)
	}
	if c := s.Calls()[0]; c.Text != "Hello" || !c.Complete {
		t.Errorf("%q, complete: %v", c.Text, c.Complete)
	}
}

// A stream that was cut at any byte, cleanly or not, is never replayed.
func TestTransportNeverReplaysACutStream(t *testing.T) {
	t.Parallel()
	whole := strings.Join(sseChunks(), "")
	end := strings.Index(whole, "[DONE]") + len("[DONE]")
	for _, clean := range []bool{true, false} {
		how := io.ErrUnexpectedEOF
		if clean {
			how = io.EOF
		}
		path := file(t)
		s := open(t, path, cassette.Options{Mode: cassette.Record})
		for cut := range len(whole) {
			base := roundTrip(func(*http.Request) (*http.Response, error) {
				return reply(200, "text/event-stream", &chunked{[]string{whole[:cut]}, how}), nil
			})
			res := mustPost(t, s.Transport(base), "http://a"+chatPath, fmt.Sprintf(`{"cut":%d}`, cut))
			if _, err := io.ReadAll(res.Body); (err == nil) != clean {
				t.Errorf("cut at %d: the client saw %v", cut, err)
			}
			res.Body.Close()
		}
		finish(t, s)
		s = open(t, path, cassette.Options{Mode: cassette.Replay})
		for cut := range len(whole) {
			_, err := post(t, s.Transport(nobody(t)), "http://a"+chatPath, fmt.Sprintf(`{"cut":%d}`, cut))
			if want := !clean || cut < end; isMiss(err) != want {
				t.Errorf("cut at %d of %d with %v: %v", cut, end, how, err)
			}
		}
	}
}

func TestTransportAndItsConsumers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		consume func(t *testing.T, res *http.Response)
		kept    bool
	}{
		{"reads to the end", func(t *testing.T, res *http.Response) { t.Helper(); readAll(t, res) }, true},
		{"closes at once", func(*testing.T, *http.Response) {}, false},
		{"closes early", func(_ *testing.T, res *http.Response) { res.Body.Read(make([]byte, 10)) }, false},
		{"stops at the end mark", func(t *testing.T, res *http.Response) {
			t.Helper()
			if _, err := io.ReadFull(res.Body, make([]byte, len(strings.Join(sseChunks(), "")))); err != nil {
				t.Error(err)
			}
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := file(t)
			s := open(t, path, cassette.Options{Mode: cassette.Record})
			res := mustPost(t, s.Transport(streaming(sseChunks()...)), "http://a"+chatPath, `{}`)
			tc.consume(t, res)
			res.Body.Close()
			finish(t, s)
			s = open(t, path, cassette.Options{Mode: cassette.Replay})
			if _, err := post(t, s.Transport(nobody(t)), "http://a"+chatPath, `{}`); isMiss(err) == tc.kept {
				t.Errorf("kept should be %v: %v", tc.kept, err)
			}
		})
	}
}

// A decoder of JSON stops where the value ends, before the end of the body.
func TestTransportKeepsWhatADecoderRead(t *testing.T) {
	t.Parallel()
	path := file(t)
	base := roundTrip(func(*http.Request) (*http.Response, error) {
		return reply(200, "application/json", &chunked{[]string{`{"a":1}`}, io.EOF}), nil
	})
	s := open(t, path, cassette.Options{Mode: cassette.Record})
	res := mustPost(t, s.Transport(base), "http://api.invalid/thing", `{}`)
	var v any
	if err := json.NewDecoder(res.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	finish(t, s)
	s = open(t, path, cassette.Options{Mode: cassette.Replay})
	if got := readAll(t, mustPost(t, s.Transport(nobody(t)), "http://api.invalid/thing", `{}`)); got != `{"a":1}` {
		t.Errorf("got %q", got)
	}
}

// A consumer that was cancelled saw no end, however much the server sent.
func TestTransportCancelled(t *testing.T) {
	t.Parallel()
	path := file(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, sseChunks()[0])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	s := open(t, path, cassette.Options{Mode: cassette.Record})
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+chatPath, strings.NewReader(`{}`))
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(res.Body, make([]byte, len(sseChunks()[0]))); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("after the cancel: %v", err)
	}
	res.Body.Close()
	if c := s.Calls(); len(c) != 1 || c[0].Complete {
		t.Errorf("recorded %+v", c)
	}
}

func TestTransportRecordsErrorsOfServersOnly(t *testing.T) {
	t.Parallel()
	path := file(t)
	base := roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "down" {
			return nil, errors.New("connection refused")
		}
		res := reply(429, "application/json", io.NopCloser(strings.NewReader(`{"error":{"message":"slow down"}}`)))
		res.Header.Set("Retry-After", "7")
		return res, nil
	})
	s := open(t, path, cassette.Options{Mode: cassette.Record})
	if _, err := post(t, s.Transport(base), "http://down"+chatPath, `{"a":1}`); err == nil {
		t.Error("a refused connection is no error")
	}
	readAll(t, mustPost(t, s.Transport(base), "http://up"+chatPath, `{"a":2}`))
	finish(t, s)
	s = open(t, path, cassette.Options{Mode: cassette.Replay})
	if _, err := post(t, s.Transport(nobody(t)), "http://up"+chatPath, `{"a":1}`); !isMiss(err) {
		t.Errorf("a call that got no answer was recorded: %v", err)
	}
	res := mustPost(t, s.Transport(nobody(t)), "http://up"+chatPath, `{"a":2}`)
	if res.StatusCode != 429 || res.Header.Get("Retry-After") != "7" || readAll(t, res) != `{"error":{"message":"slow down"}}` {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

// What takes part in the hash, and what does not.
func TestTransportIdentity(t *testing.T) {
	t.Parallel()
	type ask struct{ method, url, kind, body string }
	const gemini, j = "/v1beta/models/g:generateContent", "application/json"
	chat := ask{"POST", "http://a" + chatPath, j, `{"a":1,"b":2}`}
	form := func(boundary string) ask {
		return ask{"POST", "http://a/up", "multipart/form-data; boundary=" + boundary, "--" + boundary + "\r\n\r\n\xff\r\n--" + boundary + "--\r\n"}
	}
	for _, tc := range []struct {
		name string
		a, b ask
		same bool
	}{
		{"the host of a provider", chat, ask{"POST", "https://b:99" + chatPath, j, `{"a":1,"b":2}`}, true},
		{"the order of keys", chat, ask{"POST", "http://a" + chatPath, j, `{"b": 2, "a": 1}`}, true},
		{"a digit of a number", chat, ask{"POST", "http://a" + chatPath, j, `{"a":1.0,"b":2}`}, false},
		{"the path", chat, ask{"POST", "http://a/v2/chat/completions", j, `{"a":1,"b":2}`}, false},
		{"the query", chat, ask{"POST", "http://a" + chatPath + "?api-version=1", j, `{"a":1,"b":2}`}, false},
		{"a key in the query", ask{"POST", "http://a" + gemini + "?key=x&alt=sse", j, `{}`}, ask{"POST", "http://a" + gemini + "?alt=sse&key=y", j, `{}`}, true},
		{"the host of others", ask{"GET", "http://a/x", "", ""}, ask{"GET", "http://b/x", "", ""}, false},
		{"the query of others", ask{"GET", "http://a/x?a=1", "", ""}, ask{"GET", "http://a/x?a=2", "", ""}, false},
		{"the method", ask{"GET", "http://a/x", "", ""}, ask{"DELETE", "http://a/x", "", ""}, false},
		{"the boundary of a form", form("one"), form("two"), true},
		{"a byte", ask{"POST", "http://a/up", "image/png", "\xff\x00"}, ask{"POST", "http://a/up", "image/png", "\xff\x01"}, false},
		{"JSON and its text", ask{"POST", "http://a/up", "text/plain", `"x"`}, ask{"POST", "http://a/up", j, `"x"`}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ok := roundTrip(func(*http.Request) (*http.Response, error) {
				return reply(200, j, io.NopCloser(strings.NewReader(`{}`))), nil
			})
			path := file(t)
			do := func(rt http.RoundTripper, a ask) error {
				req, _ := http.NewRequestWithContext(t.Context(), a.method, a.url, strings.NewReader(a.body))
				req.Header.Set("Content-Type", a.kind)
				res, err := rt.RoundTrip(req)
				if err != nil {
					return err
				}
				readAll(t, res)
				return nil
			}
			s := open(t, path, cassette.Options{Mode: cassette.Record})
			if err := do(s.Transport(ok), tc.a); err != nil {
				t.Fatal(err)
			}
			finish(t, s)
			s = open(t, path, cassette.Options{Mode: cassette.Replay})
			if err := do(s.Transport(nobody(t)), tc.b); isMiss(err) == tc.same {
				t.Errorf("the same should be %v: %v", tc.same, err)
			}
		})
	}
}

func TestTransportDecodes(t *testing.T) {
	t.Parallel()
	const text = `{"choices":[{"index":0,"message":{"content":"Grüß Gott"}}]}`
	for _, tc := range []struct {
		encoding string
		pack     func(io.Writer) io.WriteCloser
	}{
		{"gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }},
		{"deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }},
		{"Deflate", func(w io.Writer) io.WriteCloser { d, _ := flate.NewWriter(w, 9); return d }},
		{"identity", func(w io.Writer) io.WriteCloser { return nopCloser{w} }},
	} {
		t.Run(tc.encoding, func(t *testing.T) {
			t.Parallel()
			var packed bytes.Buffer
			p := tc.pack(&packed)
			io.WriteString(p, text)
			p.Close()
			base := roundTrip(func(r *http.Request) (*http.Response, error) {
				if got := r.Header.Get("Accept-Encoding"); got != "gzip" {
					t.Errorf("upstream is asked for %q", got)
				}
				res := reply(200, "application/json", io.NopCloser(bytes.NewReader(packed.Bytes())))
				res.Header.Set("Content-Encoding", tc.encoding)
				res.ContentLength = int64(packed.Len())
				return res, nil
			})
			path := file(t)
			for _, mode := range []cassette.Mode{cassette.Record, cassette.Replay} {
				s := open(t, path, cassette.Options{Mode: mode})
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://a"+chatPath, strings.NewReader(`{}`))
				req.Header.Set("Accept-Encoding", "br, gzip, deflate")
				res, err := s.Transport(base).RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				if got := readAll(t, res); got != text || res.Header.Get("Content-Encoding") != "" {
					t.Errorf("%v: %q, encoded as %q", mode, got, res.Header.Get("Content-Encoding"))
				}
				finish(t, s)
			}
		})
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// A compressed body that was cut is an error for the client, and not kept.
func TestTransportCutCompressed(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, `{"choices":[]}`)
	z.Close()
	for cut := range packed.Len() {
		s := open(t, file(t), cassette.Options{Mode: cassette.Record})
		base := roundTrip(func(*http.Request) (*http.Response, error) {
			res := reply(200, "application/json", io.NopCloser(bytes.NewReader(packed.Bytes()[:cut])))
			res.Header.Set("Content-Encoding", "gzip")
			return res, nil
		})
		res := mustPost(t, s.Transport(base), "http://a"+chatPath, `{}`)
		if _, err := io.ReadAll(res.Body); err == nil {
			t.Errorf("cut at %d: no error", cut)
		}
		if s.Calls()[0].Complete {
			t.Errorf("cut at %d: complete", cut)
		}
	}
}

// A compressed stream comes event by event.
func TestTransportDecodesStreamsAsTheyCome(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for _, c := range sseChunks() {
			io.WriteString(z, c)
			z.Flush()
			w.(http.Flusher).Flush()
			<-next
		}
		z.Close()
	}))
	defer server.Close()
	s := open(t, file(t), cassette.Options{Mode: cassette.Record})
	res := mustPost(t, s.Transport(nil), server.URL+chatPath, `{}`)
	for _, c := range sseChunks() {
		got := make([]byte, len(c))
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != c {
			t.Fatalf("%q, %v", got, err)
		}
		next <- struct{}{}
	}
	readAll(t, res)
	if !s.Calls()[0].Complete {
		t.Error("incomplete")
	}
}

func TestTransportWithoutBodies(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+r.Method+`"`)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	path := file(t)
	for _, mode := range []cassette.Mode{cassette.Record, cassette.Replay} {
		s := open(t, path, cassette.Options{Mode: mode})
		for _, method := range []string{"HEAD", "GET", "DELETE"} {
			req, _ := http.NewRequestWithContext(t.Context(), method, server.URL+"/x", nil)
			res, err := s.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close() // without reading: there is nothing to read
			if res.StatusCode != 204 || res.Header.Get("ETag") != `"`+method+`"` {
				t.Errorf("%v %s: %d %v", mode, method, res.StatusCode, res.Header)
			}
		}
		if mode == cassette.Replay && s.Made() != 0 {
			t.Error("calls were made")
		}
		finish(t, s)
	}
}

func TestTransportConcurrently(t *testing.T) {
	t.Parallel()
	const n = 50
	path := file(t)
	base := roundTrip(func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		return reply(200, "application/json", io.NopCloser(bytes.NewReader(body))), nil
	})
	for _, mode := range []cassette.Mode{cassette.Record, cassette.Replay} {
		s := open(t, path, cassette.Options{Mode: mode})
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				want := fmt.Sprintf(`{"i":%d}`, i)
				if got := readAll(t, mustPost(t, s.Transport(base), "http://a"+chatPath, want)); got != want {
					t.Errorf("%v: got the answer %q to %q", mode, got, want)
				}
			})
		}
		wg.Wait()
		if got := len(s.Calls()); got != n {
			t.Errorf("%v: %d calls", mode, got)
		}
		finish(t, s)
	}
}

// A replay stops waiting for the next chunk when its request is cancelled.
func TestTransportReplayIsCancelled(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := open(t, path, cassette.Options{Mode: cassette.Record})
	readAll(t, mustPost(t, s.Transport(streaming(sseChunks()...)), "http://a"+chatPath, `{}`))
	finish(t, s)
	s = open(t, path, cassette.Options{Mode: cassette.Replay})
	ctx, cancel := context.WithCancelCause(t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://a"+chatPath, strings.NewReader(`{}`))
	res, err := s.Transport(nobody(t)).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("no longer wanted")
	cancel(why)
	if _, err := io.ReadAll(res.Body); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

// What was cut off is replayed cut off, if that is asked for.
func TestTransportReplaysTheCut(t *testing.T) {
	t.Parallel()
	path := file(t)
	s := open(t, path, cassette.Options{Mode: cassette.Record})
	readAll(t, mustPost(t, s.Transport(streaming(sseChunks()[:1]...)), "http://a"+chatPath, `{}`))
	finish(t, s)
	s = open(t, path, cassette.Options{Mode: cassette.Replay, AllowIncomplete: true})
	got, err := io.ReadAll(mustPost(t, s.Transport(nobody(t)), "http://a"+chatPath, `{}`).Body)
	if string(got) != sseChunks()[0] || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}

// What a server says of the credentials that it was given, or a model spells
// letter by letter, does not get into the cassette; the client sees it all.
func TestTransportHidesSecrets(t *testing.T) {
	t.Parallel()
	const own, known = "plainwords-of-the-caller", "hunter2-hunter2"
	event := func(text string) string {
		return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
	}
	for name, chunks := range map[string][]string{
		"whole":             {event("it is " + own + " and " + known), "data: [DONE]\n\n"},
		"across chunks":     {event("it is " + own)[:60], event("it is " + own)[60:], "data: [DONE]\n\n"},
		"spelt by events":   {event("it is plainwo"), event("rds-of-th"), event("e-caller, hunter2"), event("-hunter2!"), "data: [DONE]\n\n"},
		"half looks whole":  {event("Bearer plainwords-of"), event("-the-caller hunter2-hunter2"), "data: [DONE]\n\n"},
		"events in a chunk": {event("plainwords-") + event("of-the-caller"), event("hunter2-h") + event("unter2") + "data: [DONE]\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := file(t)
			redact := func(s string) string { return strings.ReplaceAll(s, known, "***") }
			s := open(t, path, cassette.Options{Mode: cassette.Record, Redact: redact})
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://a"+chatPath, strings.NewReader(`{}`))
			req.Header.Set("X-Api-Key", own)
			res, err := s.Transport(streaming(chunks...)).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, res); got != strings.Join(chunks, "") {
				t.Errorf("the client sees %q", got)
			}
			finish(t, s)
			c := s.Calls()[0]
			if all := c.Text + string(c.Body); strings.Contains(all, "caller") || strings.Contains(all, "unter2") || !strings.Contains(c.Text, "***") || !c.Complete {
				t.Errorf("recorded %q:\n%s", c.Text, c.Body)
			}
			s = open(t, path, cassette.Options{Mode: cassette.Replay})
			if got := readAll(t, mustPost(t, s.Transport(nobody(t)), "http://a"+chatPath, `{}`)); got != string(c.Body) {
				t.Errorf("replayed %q, recorded %q", got, c.Body)
			}
		})
	}
}
