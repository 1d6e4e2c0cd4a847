package proxy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/proxy"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a proxy that serves.
type running struct {
	*proxy.Proxy
	session *cassette.Session
	address string
	stop    func() // and wait; does nothing the second time
}

func (r *running) url(path string) string { return "http://" + r.address + path }

// finish stops the proxy and writes the cassette.
func (r *running) finish(tb testing.TB) {
	tb.Helper()
	r.stop()
	if err := r.session.Finish(true); err != nil {
		tb.Fatal(err)
	}
}

// start serves a proxy until the test ends or it is stopped.
func start(tb testing.TB, file string, o cassette.Options, p proxy.Options, upstreams ...string) *running {
	tb.Helper()
	s, err := cassette.New(file, &o)
	if err != nil {
		tb.Fatal(err)
	}
	p.Session = s
	if p.Upstreams, err = proxy.ParseUpstreams(upstreams); err != nil {
		tb.Fatal(err)
	}
	made, err := proxy.New(p)
	if err != nil {
		tb.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- made.Serve(ctx, l) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			tb.Errorf("the proxy ended with %v", err)
		}
	})
	tb.Cleanup(stop)
	return &running{made, s, l.Addr().String(), stop}
}

// noNetwork fails the test when somebody dials.
func noNetwork(tb testing.TB) proxy.Dial {
	tb.Helper()
	return func(_ context.Context, network, addr string) (net.Conn, error) {
		tb.Errorf("dialled %s %s", network, addr)
		return nil, errors.New("no network")
	}
}

func record(tb testing.TB, file string, upstreams ...string) *running {
	tb.Helper()
	return start(tb, file, cassette.Options{Mode: cassette.Record}, proxy.Options{}, upstreams...)
}

func replay(tb testing.TB, file string, upstreams ...string) *running {
	tb.Helper()
	return start(tb, file, cassette.Options{Mode: cassette.Replay}, proxy.Options{Dial: noNetwork(tb)}, upstreams...)
}

func file(tb testing.TB) string { tb.Helper(); return filepath.Join(tb.TempDir(), "c.yaml") }

// upstream is a provider, whichever: it says what it was asked.
func upstream(tb testing.TB) *httptest.Server {
	tb.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"asked":%q,"with":%q,"for":%q,"done":true}`, r.URL.RequestURI(), body, r.Header.Get("Proxy-Connection"))
	}))
	tb.Cleanup(s.Close)
	return s
}

// client is an HTTP client that leaves nothing behind.
func client(tb testing.TB, proxied *url.URL) *http.Client {
	tb.Helper()
	t := &http.Transport{Proxy: http.ProxyURL(proxied)}
	tb.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t}
}

func ask(tb testing.TB, c *http.Client, method, address, body string) (int, string) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), method, address, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	up := upstream(t)
	for _, tc := range []struct {
		name, upstream, method, path string
		status                       int
		asked                        string // at the upstream
	}{
		{"OpenAI's prefix", up.URL, "POST", "/openai/v1/chat/completions", 200, "/v1/chat/completions"},
		{"Anthropic's prefix", up.URL, "POST", "/anthropic/v1/messages?beta=true", 200, "/v1/messages?beta=true"},
		{"Gemini's prefix", up.URL, "POST", "/gemini/v1beta/models/g:generateContent", 200, "/v1beta/models/g:generateContent"},
		{"Ollama's prefix", up.URL, "POST", "/ollama/api/chat", 200, "/api/chat"},
		{"an escaped path", up.URL, "POST", "/gemini/v1beta/models/a%2Fb:generateContent", 200, "/v1beta/models/a%2Fb:generateContent"},
		{"an endpoint nobody knows", up.URL, "GET", "/openai/v1/files", 200, "/v1/files"},
		{"no prefix", up.URL, "POST", "/v1/messages", 200, "/v1/messages"},
		{"no prefix, no model", up.URL, "GET", "/api/tags", 200, "/api/tags"},
		{"an upstream with a path", "openai=" + up.URL + "/gateway", "POST", "/openai/v1/chat/completions", 200, "/gateway/v1/chat/completions"},
		{"an upstream with a version", "openai=" + up.URL + "/api/v1/", "POST", "/openai/v1/chat/completions", 200, "/api/v1/chat/completions"},
		{"a name of one's own", "mine=" + up.URL, "GET", "/mine/x/y", 200, "/x/y"},
		{"nowhere", up.URL, "GET", "/opnai/v1/files", 404, ""},
		{"health", up.URL, "GET", "/_tea/health", 200, ""},
		{"nothing of ours", up.URL, "GET", "/_tea/healht", 404, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := record(t, file(t), tc.upstream)
			status, body := ask(t, client(t, nil), tc.method, p.url(tc.path), `{}`)
			if status != tc.status {
				t.Fatalf("status %d: %s", status, body)
			}
			if v, _ := value.Parse([]byte(body)); v.At("asked").Text() != tc.asked {
				t.Errorf("the upstream was asked for %q: %s", v.At("asked").Text(), body)
			}
		})
	}
}

func TestUnknownRouteHelps(t *testing.T) {
	t.Parallel()
	p := record(t, file(t))
	_, body := ask(t, client(t, nil), "GET", p.url("/opnai/v1/files"), "")
	if !strings.Contains(body, `did you mean \"openai\"?`) {
		t.Errorf("got %s", body)
	}
}

func TestParseUpstreams(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		"openai":                   `did you mean openai=URL?`,
		"openai=":                  "want an address such as https://",
		"openai=ftp://x":           "want an address",
		"_tea=http://x":            "cannot be the name",
		"=http://x":                "cannot be the name",
		"http://%zz":               "invalid URL escape",
		"http://x/?a=b":            "",
		"my-own=https://x/v1":      "",
		"https://everything.local": "",
	} {
		_, err := proxy.ParseUpstreams([]string{declared})
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", declared, err, want)
		}
	}
}

// A program that takes us for its HTTP proxy is recorded too; what it encrypts
// cannot be, and it is told what to do.
func TestAsHTTPProxy(t *testing.T) {
	t.Parallel()
	up, path := upstream(t), file(t)
	p := record(t, path)
	self, _ := url.Parse(p.url(""))
	c := client(t, self)
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s/x?a=1 HTTP/1.1\r\nHost: ignored\r\nProxy-Connection: keep-alive\r\n\r\n", up.URL)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if want := `{"asked":"/x?a=1","with":"","for":"","done":true}`; string(body) != want {
		t.Errorf("got %s, want %s", body, want)
	}
	if _, err := c.Get("https://secret.invalid/"); err == nil || !strings.Contains(err.Error(), "Not Implemented") {
		t.Errorf("CONNECT: %v", err)
	}
	p.finish(t)
}

// Recorded answers do not depend on where the upstream was.
func TestReplayNeedsNoUpstream(t *testing.T) {
	t.Parallel()
	up, path := upstream(t), file(t)
	p := record(t, path, "openai="+up.URL+"/gateway")
	var answers []string
	for _, ask1 := range []string{"/openai/v1/chat/completions", "/openai/v1/assistants?after=x"} {
		_, body := ask(t, client(t, nil), "POST", p.url(ask1), `{"model":"m"}`)
		answers = append(answers, body)
	}
	p.finish(t)

	p = replay(t, path)
	for i, ask1 := range []string{"/openai/v1/chat/completions", "/openai/v1/assistants?after=x"} {
		if status, body := ask(t, client(t, nil), "POST", p.url(ask1), `{ "model": "m" }`); status != 200 || body != answers[i] {
			t.Errorf("%s: %d %s, want %s", ask1, status, body, answers[i])
		}
	}
}

// A miss is said in the shape in which each provider's clients expect errors,
// with the reason for people and the detail for tools.
func TestMissSpeaksTheProvidersWords(t *testing.T) {
	t.Parallel()
	up, path := upstream(t), file(t)
	p := record(t, path, up.URL)
	for _, asked := range []string{"/openai/v1/chat/completions", "/anthropic/v1/messages", "/gemini/v1beta/models/g:generateContent", "/ollama/api/chat"} {
		ask(t, client(t, nil), "POST", p.url(asked), `{"model":"m","messages":[{"role":"user","content":"recorded"}]}`)
	}
	p.finish(t)

	p = replay(t, path)
	for _, tc := range []struct{ path, message, kind, kindAt string }{
		{"/openai/v1/chat/completions", "error.message", "replay_miss", "error.code"},
		{"/anthropic/v1/messages", "error.message", "tea_replay_miss", "error.type"},
		{"/gemini/v1beta/models/g:generateContent", "error.message", "424", "error.code"},
		{"/ollama/api/chat", "error", "", "nothing"},
		{"/mine", "error.message", "not_routed", "error.code"},
	} {
		status, body := ask(t, client(t, nil), "POST", p.url(tc.path), `{"model":"m","messages":[{"role":"user","content":"changed"}]}`)
		v, err := value.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if tc.path == "/mine" {
			if status != 404 {
				t.Errorf("%s: status %d", tc.path, status)
			}
			continue
		}
		message := v.At(strings.Split(tc.message, ".")...).Text()
		if status != 424 || !strings.Contains(message, "no recorded call with hash") {
			t.Errorf("%s: %d %q", tc.path, status, message)
		}
		if got := strings.Trim(v.At(strings.Split(tc.kindAt, ".")...).String(), `"`); tc.kind != "" && got != tc.kind {
			t.Errorf("%s: kind %s in %s", tc.path, got, body)
		}
		if key := v.At("tea", "key").Text(); len(key) != 64 || v.At("tea", "file").Text() != path {
			t.Errorf("%s: detail %v", tc.path, v.At("tea"))
		}
	}
	if p.Misses() != 4 {
		t.Errorf("%d misses", p.Misses())
	}
	_, stats := ask(t, client(t, nil), "GET", p.url("/_tea/stats"), "")
	v, _ := value.Parse([]byte(stats))
	if got := v.Without("cassette").String(); got != `{"failures":1,"made":0,"misses":4,"mode":"replay","requests":5}` {
		t.Errorf("stats %s", got)
	}
}

func TestUpstreamIsDown(t *testing.T) {
	t.Parallel()
	var heard atomic.Value
	o := proxy.Options{Failed: func(_, _ string, err error) { heard.Store(err.Error()) }}
	p := start(t, file(t), cassette.Options{Mode: cassette.Record}, o, "http://127.0.0.1:1")
	status, body := ask(t, client(t, nil), "POST", p.url("/v1/messages"), `{}`)
	v, _ := value.Parse([]byte(body))
	if status != 502 || v.At("type").Text() != "error" || !strings.Contains(v.At("error", "message").Text(), "refused") {
		t.Errorf("%d %s", status, body)
	}
	if text, _ := heard.Load().(string); !strings.Contains(text, "refused") {
		t.Errorf("heard %q", text)
	}
	if n := len(p.session.Calls()); n != 0 {
		t.Errorf("%d calls recorded", n)
	}
}

// Every chunk is sent on at once, while recording and while replaying.
func TestChunksAreSentAtOnce(t *testing.T) {
	t.Parallel()
	chunks := []string{"data: {\"choices\":[]}\n\n", "data: {\"choi", "ces\":[]}\n\n", "data: [DONE]\n\n"}
	next := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, c := range chunks {
			io.WriteString(w, c)
			w.(http.Flusher).Flush()
			<-next
		}
	}))
	defer up.Close()
	path := file(t)
	read := func(p *running, after func()) {
		res, err := client(t, nil).Post(p.url("/openai/v1/chat/completions"), "application/json", strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		for _, c := range chunks {
			got := make([]byte, len(c))
			if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != c {
				t.Fatalf("%q, %v", got, err)
			}
			after()
		}
		if rest, err := io.ReadAll(res.Body); err != nil || len(rest) > 0 {
			t.Errorf("%q, %v", rest, err)
		}
	}
	p := record(t, path, up.URL)
	read(p, func() { next <- struct{}{} }) // the upstream waits until the client has the chunk
	p.finish(t)
	p = replay(t, path)
	read(p, func() {})
	c := p.session.Calls()[0]
	if len(c.Chunks) != len(chunks) {
		t.Errorf("%d chunks, want %d", len(c.Chunks), len(chunks))
	}
}

// When an upstream breaks off, so does the proxy: a client never takes half an
// answer for a whole one.
func TestUpstreamBreaksOff(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer up.Close()
	p := record(t, file(t), up.URL)
	res, err := client(t, nil).Post(p.url("/v1/chat/completions"), "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the client sees %v", err)
	}
	p.finish(t)
	if c := p.session.Calls(); len(c) != 1 || c[0].Complete {
		t.Errorf("recorded: %+v", c)
	}
}

// A client that goes away leaves an incomplete call, and the upstream is told.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer up.Close()
	p := record(t, file(t), up.URL)
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", p.url("/v1/chat/completions"), strings.NewReader(`{}`))
	res, err := client(t, nil).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	io.ReadFull(res.Body, make([]byte, 5))
	cancel()
	<-gone
	p.finish(t)
	if c := p.session.Calls(); len(c) != 1 || c[0].Complete {
		t.Errorf("recorded: %+v", c)
	}
}

// Stopping lets what is under way come to its end; what takes too long is cut.
func TestStops(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		grace    time.Duration
		complete bool
	}{{"in peace", time.Minute, true}, {"by force", time.Millisecond, false}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			begun, end := make(chan struct{}), make(chan struct{})
			up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.ReadAll(r.Body) // a server notices that a client has gone only after that
				close(begun)
				select {
				case <-end:
				case <-r.Context().Done():
				}
				io.WriteString(w, `{"choices":[]}`)
			}))
			defer up.Close()
			p := start(t, file(t), cassette.Options{Mode: cassette.Record}, proxy.Options{Grace: tc.grace}, up.URL)
			var wg sync.WaitGroup
			wg.Go(func() {
				if res, err := client(t, nil).Post(p.url("/v1/chat/completions"), "application/json", strings.NewReader(`{}`)); err == nil {
					io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			})
			<-begun
			if tc.complete {
				time.AfterFunc(20*time.Millisecond, func() { close(end) })
			}
			p.finish(t)
			wg.Wait()
			if c := p.session.Calls(); (len(c) == 1 && c[0].Complete) != tc.complete {
				t.Errorf("recorded: %+v", c)
			}
		})
	}
}
