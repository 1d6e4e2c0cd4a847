package webtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Result is one page that is found.
type Result struct {
	Title, URL, Snippet string
	Score               float64 // of Tavily, which alone tells
}

// Call is one request that was made with a key.
type Call struct {
	Provider, Query string
	Count           int
	Key             string
}

// Server answers searches. It is safe for concurrent use.
type Server struct {
	server *httptest.Server

	mu      sync.Mutex
	results []Result
	refuse  http.HandlerFunc
	calls   []Call
}

// New starts a server, which ends with the test. Until Find says otherwise it
// finds as many pages as it is asked for.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /brave/web/search", s.brave)
	mux.HandleFunc("GET /res/v1/web/search", s.brave) // where the host's name leads here
	mux.HandleFunc("POST /tavily/search", s.posted("tavily"))
	mux.HandleFunc("POST /serper/search", s.posted("serper"))
	mux.HandleFunc("POST /perplexity/search", s.posted("perplexity"))
	s.server = httptest.NewServer(mux)
	tb.Cleanup(s.server.Close)
	return s
}

// URL returns the base_url at which the API of a provider is spoken.
func (s *Server) URL(provider string) string { return s.server.URL + "/" + provider }

// Client returns a client for requests to the server.
func (s *Server) Client() *http.Client { return s.server.Client() }

// Find makes the server find these pages, whatever it is asked for.
func (s *Server) Find(results ...Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = slices.Clone(results)
	if s.results == nil {
		s.results = []Result{}
	}
}

// Refuse makes h answer every request from now on; nil answers as before.
func (s *Server) Refuse(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = h
}

// Calls returns the requests so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Server) brave(w http.ResponseWriter, r *http.Request) {
	count, err := strconv.Atoi(r.FormValue("count"))
	if err != nil {
		count = 20
	}
	s.answer(w, r, Call{Provider: "brave", Query: r.FormValue("q"), Count: count, Key: r.Header.Get("X-Subscription-Token")})
}

func (s *Server) posted(provider string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query      string `json:"query"`
			MaxResults int    `json:"max_results"`
			Q          string `json:"q"`
			Num        int    `json:"num"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c := Call{Provider: provider, Query: body.Query, Count: body.MaxResults}
		if provider == "serper" {
			c.Query, c.Count, c.Key = body.Q, body.Num, r.Header.Get("X-Api-Key")
		} else {
			c.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		}
		s.answer(w, r, c)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, c Call) {
	if c.Key == "" || c.Query == "" {
		status := http.StatusUnprocessableEntity
		if c.Key == "" {
			status = http.StatusUnauthorized
		}
		http.Error(w, `{"error": "a key and a query are wanted"}`, status)
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	refuse, results := s.refuse, s.results
	s.mu.Unlock()
	if refuse != nil {
		refuse(w, r)
		return
	}
	if results == nil {
		results = invented(c)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(dialect(c, results)) // nobody is there to be told
}

// invented makes up as many pages as are asked for.
func invented(c Call) []Result {
	out := make([]Result, c.Count)
	for i := range out {
		n := strconv.Itoa(i + 1)
		out[i] = Result{
			Title: c.Query + " " + n, URL: "https://example.org/" + n, Snippet: fmt.Sprintf("Page %d about %s.", i+1, c.Query),
			Score: 1 / float64(i+1),
		}
	}
	return out
}

// dialect says results in the words of a provider.
func dialect(c Call, results []Result) any {
	list := []map[string]any{}
	for i, r := range results {
		item := map[string]any{"title": r.Title, "url": r.URL}
		switch c.Provider {
		case "brave":
			item["description"] = r.Snippet
		case "tavily":
			item["content"], item["score"] = r.Snippet, r.Score
		case "serper":
			item = map[string]any{"title": r.Title, "link": r.URL, "snippet": r.Snippet, "position": i + 1}
		case "perplexity":
			item["snippet"] = r.Snippet
		}
		list = append(list, item)
	}
	switch c.Provider {
	case "brave":
		return map[string]any{"type": "search", "query": map[string]any{"original": c.Query}, "web": map[string]any{"type": "search", "results": list}}
	case "serper":
		return map[string]any{"searchParameters": map[string]any{"q": c.Query, "type": "search"}, "organic": list}
	}
	return map[string]any{"query": c.Query, "results": list}
}
