package httpactions_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	httpactions "github.com/tea-agents/tea/actions/http"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/value"
)

// serve returns an agent and the address of a server.
func serve(t *testing.T, h http.HandlerFunc) (*grouptest.Agent, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newAgent(t, func(e *actions.Env) { e.HTTP = server.Client() }), server.URL
}

func TestGetJSON(t *testing.T) {
	t.Parallel()
	a, url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "application/vnd.x+json; charset=utf-8")
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		_, _ = io.WriteString(w, `{"id": 9007199254740993}`)
	})
	a.Yields("http.get", `{"url": "`+url+`/x?token=hush"}`, `{"body":"{\"id\": 9007199254740993}","encoding":"utf-8",`+
		`"headers":{"content-length":"24","content-type":"application/vnd.x+json; charset=utf-8","x-two":"1, 2"},`+
		`"json":{"id":9007199254740993},"status":200,"success":true,"url":"`+url+`/x?token=***"}`)
}

// echo answers with what it got.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = io.WriteString(w, strings.Join([]string{
		r.Method, r.URL.RequestURI(), r.Host, r.Header.Get("Content-Type"), r.Header.Get("X-A"), r.UserAgent(), string(body),
	}, "|"))
}

func TestRequests(t *testing.T) {
	t.Parallel()
	a, url := serve(t, echo)
	host := strings.TrimPrefix(url, "http://")
	for _, tt := range []struct{ action, input, want string }{
		{"http.get", `"params": {"q": ["a b", 2], "none": null, "t": true}`, "GET|/p?x=1&q=a+b&q=2&t=true|" + host + "|||tea|"},
		{"http.get", `"headers": {"x-a": "1", "User-Agent": "me", "host": "h.example"}`, "GET|/p?x=1|h.example||1|me|"},
		{"http.post", `"json": {"b": 1, "a": null}`, `POST|/p?x=1|` + host + `|application/json||tea|{"a":null,"b":1}`},
		{"http.post", `"form": {"a": "x y", "b": [1, 2]}`, "POST|/p?x=1|" + host + "|application/x-www-form-urlencoded||tea|a=x+y&b=1&b=2"},
		{"http.post", `"body": "raw", "headers": {"Content-Type": "text/x"}`, "POST|/p?x=1|" + host + "|text/x||tea|raw"},
		{"http.request", `"method": "DELETE"`, "DELETE|/p?x=1|" + host + "|||tea|"},
	} {
		got := a.Must(tt.action, `{"url": "`+url+`/p?x=1", `+tt.input+`}`)
		if got.At("body").Text() != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.action, tt.input, got.At("body").Text(), tt.want)
		}
	}
	for input, want := range map[string]string{
		`"json": 1, "body": "x"`:        "only one of json, body and form",
		`"form": {"a": {}}`:             "form.a: a object",
		`"headers": {"a b": "x"}`:       "not a header's name",
		`"headers": {"a": "x\r\nb: c"}`: "line end",
		`"params": {"a": [[1]]}`:        "params.a",
		`"method": "FETCH"`:             "method",
	} {
		a.Fails("http.request", `{"url": "`+url+`", `+input+`}`, actions.CodeInvalidInput, want)
	}
	for _, bad := range []string{"", "x", "ftp://h/x", "http://", "http://h:x/"} {
		a.Fails("http.get", `{"url": "`+bad+`"}`, actions.CodeInvalidInput, "url")
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	a, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status := 0
		for _, c := range r.URL.Path[1:] {
			status = status*10 + int(c-'0')
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "what\n  happened")
	})
	for status, code := range map[string]actions.Code{
		"404": actions.CodeNotFound, "410": actions.CodeNotFound, "401": actions.CodeDenied, "403": actions.CodeDenied,
		"408": actions.CodeTimeout, "504": actions.CodeTimeout, "409": actions.CodeConflict, "412": actions.CodeConflict,
		"429": actions.CodeUnavailable, "500": actions.CodeUnavailable, "503": actions.CodeUnavailable,
		"400": actions.CodeFailed, "418": actions.CodeFailed,
	} {
		a.Fails("http.get", `{"url": "`+url+`/`+status+`"}`, code, "status "+status)
		a.Fails("http.get", `{"url": "`+url+`/`+status+`"}`, code, "what happened")
		got := a.Must("http.get", `{"url": "`+url+`/`+status+`", "raise_for_status": false}`)
		if got.At("status").String() != status || got.At("success").String() != "true" {
			t.Errorf("%s: %s", status, got)
		}
		a.Must("http.get", `{"url": "`+url+`/`+status+`", "expect_status": [200, `+status+`]}`)
	}
	a.Fails("http.get", `{"url": "`+url+`/200", "expect_status": [204]}`, actions.CodeFailed, "status 200")
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "Tue, 01 Jan 2030 08:01:00 GMT": time.Minute, "Mon, 31 Dec 2029 08:00:00 GMT": 0, "soon": 0, "-1": 0,
	} {
		a, url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		_, err := a.Call("http.get", `{"url": "`+url+`"}`)
		if actions.CodeOf(err) != actions.CodeUnavailable || actions.RetryAfter(err) != want {
			t.Errorf("%s: %v, retry after %s, want %s", header, err, actions.RetryAfter(err), want)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	a, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/binary":
			_, _ = w.Write([]byte{0xff, 0})
		case "/broken":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"a": `)
		case "/torn":
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "abc")
		default:
			_, _ = io.WriteString(w, "12345")
		}
	})
	got := a.Must("http.get", `{"url": "`+url+`/binary"}`)
	if got.At("body").Text() != "/wA=" || got.At("encoding").Text() != "base64" {
		t.Errorf("binary: %s", got)
	}
	got = a.Must("http.get", `{"url": "`+url+`/broken"}`)
	if _, has := got.Get("json"); has || !strings.Contains(got.At("json_error").Text(), "not JSON") || got.At("body").Text() != `{"a": ` {
		t.Errorf("broken: %s", got)
	}
	a.Must("http.get", `{"url": "`+url+`", "max_bytes": 5}`)
	a.Fails("http.get", `{"url": "`+url+`", "max_bytes": 4}`, actions.CodeTooLarge, "larger than max_bytes (4)")
	a.Fails("http.get", `{"url": "`+url+`/torn"}`, actions.CodeUnavailable, "unexpected EOF")
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	a, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b?key=hush", http.StatusFound)
		}
	})
	if got := a.Must("http.get", `{"url": "`+url+`/a"}`); got.At("url").Text() != url+"/b?key=***" {
		t.Errorf("followed: %s", got)
	}
	got := a.Must("http.get", `{"url": "`+url+`/a", "follow_redirects": false, "expect_status": [302]}`)
	if got.At("headers", "location").Text() != "/b?key=hush" {
		t.Errorf("not followed: %s", got)
	}
}

func TestFailuresHideCredentials(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil) // has no network
	_, err := a.Call("http.get", `{"url": "http://user:hush@127.0.0.1:1/x?sig=hush"}`)
	if actions.CodeOf(err) != actions.CodeUnavailable || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "127.0.0.1:1/x") {
		t.Errorf("%v", err)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a, url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	a.Fails("http.get", `{"url": "`+url+`", "timeout": "20ms"}`, actions.CodeTimeout, "no answer within 20ms")
}

func TestSecretsInHeaders(t *testing.T) {
	t.Parallel()
	a, url := serve(t, echo)
	bearer, _ := value.Concat(value.String("Bearer "), value.Secret("KEY"))
	result, err := a.Run(t.Context(), &actions.Call{Action: "http.get", Input: value.Object(
		value.M("url", value.String(url)), value.M("headers", value.Object(value.M("X-A", bearer))),
	)})
	if err != nil || !strings.Contains(result.Output.At("body").Text(), "|Bearer secret-KEY|") {
		t.Errorf("%s %v", result.Output, err)
	}
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, httpactions.Actions(), change)
}
