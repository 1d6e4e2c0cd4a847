package llamaextracttest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Call is one request that was made with a key.
type Call struct {
	Method, Path string
	Project, Key string
}

// Job is one extraction that was asked for.
type Job struct {
	ID, Agent string // Agent is a name, "" where there is a schema only
	FileName  string
	MediaType string
	Content   string
	Schema    string // as JSON, "" for the agent's own
	Mode      string

	asked int // how often its status was asked for
}

// Server is a LlamaCloud in which everything is quick. It is safe for
// concurrent use.
type Server struct {
	server *httptest.Server

	mu      sync.Mutex
	agents  []string
	files   map[string]file
	jobs    map[string]*Job
	order   []string // of jobs
	pending int
	status  string
	problem string
	refuse  func(w http.ResponseWriter, r *http.Request) bool
	calls   []Call
}

type file struct{ name, mediaType, content string }

// New starts a server, which ends with the test. It has one extraction agent,
// called "default"; its jobs are PENDING once and then a SUCCESS. What it
// extracts are the document's lines of the form "key: value".
func New(tb testing.TB) *Server {
	tb.Helper()
	s := &Server{
		agents: []string{"default"}, files: map[string]file{}, jobs: map[string]*Job{}, pending: 1, status: "SUCCESS",
	}
	mux := http.NewServeMux()
	for pattern, h := range map[string]http.HandlerFunc{
		"POST /api/v1/files":                                      s.upload,
		"GET /api/v1/extraction/extraction-agents":                s.list,
		"GET /api/v1/extraction/extraction-agents/by-name/{name}": s.byName,
		"POST /api/v1/extraction/jobs":                            s.create,
		"POST /api/v1/extraction/run":                             s.create,
		"GET /api/v1/extraction/jobs/{id}":                        s.show,
		"GET /api/v1/extraction/jobs/{id}/result":                 s.result,
	} {
		mux.HandleFunc(pattern, h)
	}
	s.server = httptest.NewServer(s.guard(mux))
	tb.Cleanup(s.server.Close)
	return s
}

// URL returns the base_url of the server.
func (s *Server) URL() string { return s.server.URL }

// Client returns a client for requests to the server.
func (s *Server) Client() *http.Client { return s.server.Client() }

// Agents makes these the extraction agents.
func (s *Server) Agents(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agents = slices.Clone(names)
}

// End makes jobs PENDING so many times and then end with a status, and with a
// problem unless that is "".
func (s *Server) End(pending int, status, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending, s.status, s.problem = pending, status, problem
}

// Refuse lets h see every request from now on: where it returns true it has
// answered. Nil refuses none.
func (s *Server) Refuse(h func(w http.ResponseWriter, r *http.Request) bool) {
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

// Jobs returns the extractions so far.
func (s *Server) Jobs() []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Job, len(s.order))
	for i, id := range s.order {
		out[i] = *s.jobs[id]
	}
	return out
}

// guard notes who asks, and lets only those with a key in.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || key == "" {
			fail(w, http.StatusUnauthorized, "Invalid authentication token")
			return
		}
		s.mu.Lock()
		s.calls = append(s.calls, Call{Method: r.Method, Path: r.URL.Path, Project: r.URL.Query().Get("project_id"), Key: key})
		refuse := s.refuse
		s.mu.Unlock()
		if refuse == nil || !refuse(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// id makes the ID of the n-th thing of a kind.
func id(kind string, n int) string { return kind + "-" + strconv.Itoa(n) }
