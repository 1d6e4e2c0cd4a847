package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tea-agents/tea/value"
)

// Server is the double. It is safe for concurrent use.
type Server struct {
	// URL is its address, without a slash at the end.
	URL string

	mu     sync.Mutex
	script []Answer
	always *Answer
	calls  []Call
}

// Call is a request that came.
type Call struct {
	// Provider is openai, anthropic, gemini or ollama.
	Provider string
	// Method, Path (with the query), Header and Body are the request's.
	Method, Path string
	Header       http.Header
	Body         value.Value
	// Model is the model that is asked.
	Model string
	// Stream tells that a stream is asked for; Embed, vectors.
	Stream, Embed bool

	number int
}

// New starts a server that ends with the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{}
	srv := httptest.NewServer(s)
	tb.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// Base returns the api_base of a provider at this server.
func (s *Server) Base(provider string) string {
	if provider == "openai" {
		return s.URL + "/v1"
	}
	return s.URL
}

// Answer makes a the answer to every call, once the script is through. Without
// it they get the zero Answer.
func (s *Server) Answer(a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = &a
}

// Script adds answers, one for each call, in order. A call beyond the script
// gets HTTP 500, unless Answer says what it gets.
func (s *Server) Script(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, answers...)
	if s.always == nil {
		s.always = &Answer{Status: http.StatusInternalServerError, Error: "the script of this test is through"}
	}
}

// Calls returns the calls so far, in the order in which they came.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	call := Call{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	d, known := findDialect(r.URL.Path, &call)
	if !known || r.Method != http.MethodPost {
		http.Error(w, "llmtest: no such path: "+r.Method+" "+r.URL.Path, http.StatusNotFound)
		return
	}
	if call.Body, err = value.Parse(body); err != nil {
		http.Error(w, d.fail(Answer{Status: http.StatusBadRequest, Error: "not JSON: " + err.Error()}).String(), http.StatusBadRequest)
		return
	}
	d.read(r, &call)
	a := s.next(&call)
	write(w, r, call, a, d)
}

// next notes a call and takes its answer.
func (s *Server) next(call *Call) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	call.number = len(s.calls) + 1
	s.calls = append(s.calls, *call)
	if len(s.script) > 0 {
		a := s.script[0]
		s.script = s.script[1:]
		return a.complete()
	}
	if s.always != nil {
		return s.always.complete()
	}
	return Answer{}.complete()
}

// dialect is how a provider speaks.
type dialect struct {
	// read finds model and stream in a request.
	read func(r *http.Request, c *Call)
	// whole is an answer in one piece, stream the same in pieces, as they
	// stand on the wire; embed is the answer with vectors, fail an error.
	whole  func(c Call, a Answer) value.Value
	stream func(c Call, a Answer) []string
	embed  func(c Call, a Answer) value.Value
	fail   func(a Answer) value.Value
	// streamType is the media type of a stream.
	streamType string
}

// findDialect tells by a path which service is meant.
func findDialect(path string, c *Call) (dialect, bool) {
	verb := path[strings.LastIndexByte(path, '/')+1:]
	_, method, _ := strings.Cut(verb, ":")
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		c.Provider = "openai"
	case strings.HasSuffix(path, "/embeddings"):
		c.Provider, c.Embed = "openai", true
	case strings.HasSuffix(path, "/messages"):
		c.Provider = "anthropic"
		return anthropic(), true
	case method == "generateContent", method == "streamGenerateContent":
		c.Provider = "gemini"
		return gemini(), true
	case method == "embedContent", method == "batchEmbedContents":
		c.Provider, c.Embed = "gemini", true
		return gemini(), true
	case strings.HasSuffix(path, "/api/chat"):
		c.Provider = "ollama"
		return ollama(), true
	case strings.HasSuffix(path, "/api/embed"):
		c.Provider, c.Embed = "ollama", true
		return ollama(), true
	default:
		return dialect{}, false
	}
	return openAI(), true
}
