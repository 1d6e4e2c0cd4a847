package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
	"github.com/tea-agents/tea/value"
)

const key = "hush-hush"

func serve(t *testing.T, h http.HandlerFunc) *rest.Service {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &rest.Service{
		Name: "It", Base: server.URL + "/v1/", Header: http.Header{"X-Key": {key}}, Hidden: []string{key},
		HTTP: server.Client(), Clock: actions.SystemClock{},
	}
}

func fails(t *testing.T, err error, code actions.Code, want string) {
	t.Helper()
	if actions.CodeOf(err) != code || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v (%s), want a failure (%s) that says %q", err, actions.CodeOf(err), code, want)
	}
	if err != nil && strings.Contains(err.Error(), key) {
		t.Errorf("the message shows the key: %v", err)
	}
}

func TestRequestAndAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := strings.Join([]string{r.Method, r.RequestURI, r.Header.Get("X-Key"), r.Header.Get("Content-Type"), string(body)}, "|"); got !=
			`POST|/v1/a%20b|hush-hush|application/json|{"n":1}` {
			t.Error(got)
		}
		_, _ = io.WriteString(w, `{"id": 9007199254740993}`)
	})
	req, err := rest.JSON(http.MethodPost, "/a%20b", value.Object(value.M("n", value.Int(1))))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Do(t.Context(), req)
	if err != nil || got.JSON.String() != `{"id":9007199254740993}` || string(got.Raw) != `{"id": 9007199254740993}` {
		t.Errorf("%s %s %v", got.JSON, got.Raw, err)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]actions.Code{
		400: actions.CodeInvalidInput, 422: actions.CodeInvalidInput, 401: actions.CodeCredentialMissing,
		402: actions.CodeDenied, 403: actions.CodeDenied, 404: actions.CodeNotFound, 410: actions.CodeNotFound,
		408: actions.CodeTimeout, 504: actions.CodeTimeout, 409: actions.CodeConflict, 413: actions.CodeTooLarge,
		429: actions.CodeUnavailable, 500: actions.CodeUnavailable, 503: actions.CodeUnavailable, 529: actions.CodeUnavailable,
		501: actions.CodeUnsupported, 418: actions.CodeFailed, 304: actions.CodeFailed,
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "no, "+r.Header.Get("X-Key"))
		})
		_, err := s.Do(t.Context(), rest.Request{Method: http.MethodGet, Path: "/"})
		fails(t, err, code, "It: status ")
		if status != 304 { // has no body
			fails(t, err, code, "no, ***")
		}
		if actions.RetryAfter(err) != 7*time.Second {
			t.Errorf("%d: retry after %s", status, actions.RetryAfter(err))
		}
	}
}

func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 8, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"Tue, 01 Jan 2030 08:01:00 GMT": time.Minute, "Mon, 31 Dec 2029 08:00:00 GMT": 0, "soon": 0, "-1": 0, "": 0,
	} {
		resp := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {text}}}
		if got := rest.Failure("It", resp, nil, now, nil).RetryAfter; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestNoHalfOfAKey holds that where a body is cut in a message, no part of the
// key in it is left.
func TestNoHalfOfAKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "before")) + key + "tail"
		text := rest.Failure("It", &http.Response{StatusCode: 500}, []byte(body), time.Time{}, []string{key}).Message
		if strings.Contains(text, "hus") {
			t.Fatal(text)
		}
	})
}

func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/torn":
			w.Header().Set("Content-Length", "10")
		case "/v1/away":
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusFound)
		case "/v1/round":
			http.Redirect(w, r, "/v1/round", http.StatusFound)
		}
		_, _ = io.WriteString(w, "1234 5")
	})
	for path, want := range map[string]struct {
		code actions.Code
		text string
	}{
		"/torn":  {actions.CodeUnavailable, "unexpected EOF"},
		"/text":  {actions.CodeFailed, "the answer cannot be read"},
		"/away":  {actions.CodeFailed, "status 302"},
		"/round": {actions.CodeFailed, "status 302"},
	} {
		_, err := s.Do(t.Context(), rest.Request{Method: http.MethodGet, Path: path})
		fails(t, err, want.code, want.text)
	}
	s.MaxBytes = 5
	_, err := s.Do(t.Context(), rest.Request{Method: http.MethodGet, Path: "/text"})
	fails(t, err, actions.CodeTooLarge, "larger than 5 bytes")
	s.Base = "ftp://x"
	_, err = s.Do(t.Context(), rest.Request{Method: http.MethodGet, Path: "/"})
	fails(t, err, actions.CodeInvalidInput, "base_url")
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	ctx, cancel := rest.Within(t.Context(), 20*time.Millisecond, "It")
	defer cancel()
	_, err := s.Do(ctx, rest.Request{Method: http.MethodGet, Path: "/"})
	fails(t, err, actions.CodeTimeout, "It: no answer within 20ms")

	why := errors.New("enough")
	stopped, stop := context.WithCancelCause(t.Context())
	stop(why)
	if _, err = s.Do(stopped, rest.Request{Method: http.MethodGet, Path: "/"}); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	s.Base = "http://127.0.0.1:1/" + key
	_, err = s.Do(t.Context(), rest.Request{Method: http.MethodGet, Path: "/"})
	fails(t, err, actions.CodeUnavailable, "It: ")
	s.HTTP = &http.Client{Transport: missing{}}
	_, err = s.Do(t.Context(), rest.Request{Method: http.MethodGet, Path: "/"})
	fails(t, err, actions.CodeReplayMiss, "not recorded")
}

type missing struct{}

func (missing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, actions.Errorf(actions.CodeReplayMiss, "not recorded")
}

func TestLogin(t *testing.T) {
	t.Parallel()
	has := func(name string) (string, error) {
		switch name {
		case "SECOND":
			return "env", nil
		case "EMPTY":
			return "", nil
		case "LOCKED":
			return "", actions.Errorf(actions.CodeDenied, "the store is locked")
		}
		return "", actions.Errorf(actions.CodeCredentialMissing, "not set")
	}
	for _, tt := range []struct {
		given, base, variables, want string
		code                         actions.Code
	}{
		{"given", "https://evil.example", "FIRST", "given", ""},
		{"", "https://api.it.example/v1", "FIRST SECOND", "env", ""},
		{"", "https://IT.example", "EMPTY SECOND", "env", ""},
		{"", "http://127.0.0.1:80", "SECOND", "env", ""},
		{"", "http://[::1]:80", "SECOND", "env", ""},
		{"", "http://localhost:80", "SECOND", "env", ""},
		{"", "http://api.it.example", "SECOND", "not sent to api.it.example", actions.CodeCredentialMissing},
		{"", "https://notit.example", "SECOND", "SECOND is not sent to notit.example", actions.CodeCredentialMissing},
		{"", "https://it.example.evil.example", "SECOND", "give api_key", actions.CodeCredentialMissing},
		{"", "https://it.example", "FIRST EMPTY", "set FIRST or EMPTY", actions.CodeCredentialMissing},
		{"", "https://it.example", "LOCKED SECOND", "locked", actions.CodeDenied},
		{"", "https://u:p@it.example", "SECOND", "without user name", actions.CodeInvalidInput},
		{"", "it.example", "SECOND", "base_url", actions.CodeInvalidInput},
	} {
		l := rest.Login{Name: "It", Given: tt.given, Variables: strings.Fields(tt.variables), Base: tt.base, Host: "it.example"}
		got, err := l.Key(has)
		if tt.code != "" {
			fails(t, err, tt.code, tt.want)
		} else if err != nil || got != tt.want {
			t.Errorf("%s: %q %v", tt.base, got, err)
		}
	}
}
