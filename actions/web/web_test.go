package webactions_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	webactions "github.com/tea-agents/tea/actions/web"
	"github.com/tea-agents/tea/actions/web/webtest"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/value"
)

// searcher returns an agent whose environment has the given keys, and a server
// of all providers.
func searcher(t *testing.T, keys map[string]string) (*grouptest.Agent, *webtest.Server) {
	t.Helper()
	s := webtest.New(t)
	return grouptest.New(t, webactions.Actions(), func(e *actions.Env) {
		e.HTTP = s.Client()
		e.Credential = func(name string) (string, error) {
			if key, ok := keys[name]; ok {
				return key, nil
			}
			return "", actions.Errorf(actions.CodeCredentialMissing, "the credential %s is not set", name)
		}
	}), s
}

func TestContract(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(webactions.Actions()...)
	if err != nil {
		t.Fatal(err)
	}
	s := webtest.New(t)
	actiontest.Run(t, r, &actiontest.Harness{
		Env: func(tb testing.TB, r *actions.Registry) actions.Env {
			tb.Helper()
			env := actiontest.Env(tb, r)
			env.HTTP = &http.Client{Transport: only{strings.TrimPrefix(s.URL(""), "http://"), s.Client()}}
			return env
		},
		Inputs: map[string]value.Value{"web.search": value.Object(
			value.M("query", value.String("tea")), value.M("provider", value.String("tavily")),
			value.M("base_url", value.String(s.URL("tavily"))), value.M("api_key", value.String("k")),
		)},
	})
}

// only lets requests to one host through.
type only struct {
	host   string
	client *http.Client
}

func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host+"/" != o.host {
		return nil, io.ErrClosedPipe
	}
	return o.client.Transport.RoundTrip(r)
}

func TestEveryProvider(t *testing.T) {
	t.Parallel()
	for provider, variable := range map[string]string{
		"brave": "BRAVE_API_KEY", "tavily": "TAVILY_API_KEY", "serper": "SERPER_API_KEY", "perplexity": "PERPLEXITY_API_KEY",
	} {
		a, s := searcher(t, map[string]string{variable: "env-key"})
		s.Find(
			webtest.Result{Title: "Tea", URL: "https://example.org/tea", Snippet: "A drink.", Score: 0.5},
			webtest.Result{Title: "More", URL: "https://example.org/more", Snippet: "Leaves."},
			webtest.Result{Title: "Too many"},
		)
		score, none := "", ""
		if provider == "tavily" {
			score, none = `"score":0.5,`, `"score":0.0,`
		}
		input := `{"query": "tea?", "num_results": 2, "provider": "` + provider + `", "base_url": "` + s.URL(provider) + `"`
		a.Yields("web.search", input+`}`, `{"count":2,"provider":"`+provider+`","query":"tea?","results":[{`+score+
			`"snippet":"A drink.","title":"Tea","url":"https://example.org/tea"},{`+none+
			`"snippet":"Leaves.","title":"More","url":"https://example.org/more"}],"success":true}`)
		a.Must("web.search", input+`, "api_key": "given"}`)
		want := webtest.Call{Provider: provider, Query: "tea?", Count: 2, Key: "env-key"}
		given := want
		given.Key = "given"
		if calls := s.Calls(); len(calls) != 2 || calls[0] != want || calls[1] != given {
			t.Errorf("%+v", calls)
		}
		s.Find()
		a.Yields("web.search", input+`}`, `{"count":0,"provider":"`+provider+`","query":"tea?","results":[],"success":true}`)
	}
}

// TestQueryAlone holds that {query: …} is enough where there is a key.
func TestQueryAlone(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for _, tt := range []struct {
		keys map[string]string
		want string
	}{
		{map[string]string{"TAVILY_API_KEY": "k", "SERPER_API_KEY": "k"}, "tavily"},
		{map[string]string{"BRAVE_SEARCH_API_KEY": "k", "TAVILY_API_KEY": "k"}, "brave"},
		{map[string]string{"PERPLEXITY_API_KEY": "k"}, "perplexity"},
	} {
		a, _ := searcher(t, tt.keys)
		a.Env.HTTP.Transport = redirected{s}
		got := a.Must("web.search", `{"query": "tea"}`)
		if got.At("provider").Text() != tt.want || got.At("count").String() != "10" {
			t.Errorf("%v: %s", tt.keys, got)
		}
	}
	a, _ := searcher(t, nil)
	a.Fails("web.search", `{"query": "tea"}`, actions.CodeCredentialMissing,
		"set one of BRAVE_API_KEY, TAVILY_API_KEY, SERPER_API_KEY, PERPLEXITY_API_KEY")
}

// redirected takes requests to the providers' own addresses to a server of ours.
type redirected struct{ s *webtest.Server }

func (d redirected) RoundTrip(r *http.Request) (*http.Response, error) {
	for host, provider := range map[string]string{
		"api.search.brave.com": "brave", "api.tavily.com": "tavily", "google.serper.dev": "serper", "api.perplexity.ai": "perplexity",
	} {
		if r.URL.Host == host {
			r = r.Clone(r.Context())
			r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(strings.TrimSuffix(d.s.URL(""), "/"), "http://")
			r.URL.Path = "/" + provider + strings.TrimPrefix(r.URL.Path, "/res/v1")
			return http.DefaultTransport.RoundTrip(r)
		}
	}
	return nil, io.ErrUnexpectedEOF
}

func TestBraveTextIsPlain(t *testing.T) {
	t.Parallel()
	a, s := searcher(t, nil)
	s.Find(webtest.Result{Title: "Tom&#x27;s &amp; co", Snippet: "a &lt; b "})
	got := a.Must("web.search", `{"query": "q", "provider": "brave", "api_key": "k", "base_url": "`+s.URL("brave")+`"}`)
	if r := got.At("results").Index(0); r.At("title").Text() != "Tom's & co" || r.At("snippet").Text() != "a < b" {
		t.Errorf("%s", r)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	a, s := searcher(t, map[string]string{"TAVILY_API_KEY": "k"})
	for input, want := range map[string]string{
		`{"query": " "}`:                                        "nothing to look for",
		`{"query": ""}`:                                         "query",
		`{"query": "q", "num_results": 21}`:                     "num_results",
		`{"query": "q", "num_results": 0}`:                      "num_results",
		`{"query": "q", "provider": "tavilly"}`:                 `"tavily"`,
		`{"query": "q", "api_key": "k"}`:                        "say whose",
		`{"query": "q", "base_url": "` + s.URL("tavily") + `"}`: "say whose",
		`{"query": "q", "provider": "tavily", "api_key": "k", "base_url": "file:///etc/passwd"}`: "base_url",
	} {
		a.Fails("web.search", input, actions.CodeInvalidInput, want)
	}
	if calls := s.Calls(); len(calls) > 0 {
		t.Errorf("asked nevertheless: %+v", calls)
	}
}

// TestKeyStaysAtHome holds that an agent cannot have the program's key sent to
// a server of its choice.
func TestKeyStaysAtHome(t *testing.T) {
	t.Parallel()
	a, _ := searcher(t, map[string]string{"TAVILY_API_KEY": "hush"})
	a.Fails("web.search", `{"query": "q", "provider": "tavily", "base_url": "https://evil.example"}`,
		actions.CodeCredentialMissing, "TAVILY_API_KEY is not sent to evil.example")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	a, s := searcher(t, map[string]string{"SERPER_API_KEY": "hush-hush"})
	input := `{"query": "q", "provider": "serper", "base_url": "` + s.URL("serper") + `"}`
	for status, code := range map[int]actions.Code{
		401: actions.CodeCredentialMissing, 403: actions.CodeDenied, 404: actions.CodeNotFound, 413: actions.CodeTooLarge,
		422: actions.CodeInvalidInput, 429: actions.CodeUnavailable, 500: actions.CodeUnavailable,
	} {
		s.Refuse(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "3")
			http.Error(w, "not with "+r.Header.Get("X-Api-Key"), status)
		})
		_, err := a.Call("web.search", input)
		if actions.CodeOf(err) != code || actions.RetryAfter(err) != 3*time.Second ||
			!strings.Contains(err.Error(), "not with ***") || strings.Contains(err.Error(), "hush") {
			t.Errorf("%d: %v (%s)", status, err, actions.CodeOf(err))
		}
	}
	for body, want := range map[string]string{`[]`: "organic", `{"organic": 1}`: "organic", `<html>`: "cannot be read"} {
		s.Refuse(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		a.Fails("web.search", input, actions.CodeFailed, want)
	}
	s.Refuse(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) })
	if got := a.Must("web.search", input); got.At("count").String() != "0" {
		t.Errorf("%s", got)
	}
	s.Refuse(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	a.Fails("web.search", strings.Replace(input, "{", `{"timeout": "20ms", `, 1), actions.CodeTimeout, "Serper: no answer within 20ms")
}
