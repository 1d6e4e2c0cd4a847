package llamaextractactions_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	llamaextractactions "github.com/tea-agents/tea/actions/llamaextract"
	"github.com/tea-agents/tea/actions/llamaextract/llamaextracttest"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/value"
)

const action = "llamaextract.extract"

// bench is an agent with a key, a server and a document.
type bench struct {
	*grouptest.Agent
	server *llamaextracttest.Server
	path   string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{server: llamaextracttest.New(t), path: filepath.Join(t.TempDir(), "Q1 report.pdf")}
	if err := os.WriteFile(b.path, []byte("total: 42\nvendor: Tea & co\nnoise\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Agent = grouptest.New(t, llamaextractactions.Actions(), func(e *actions.Env) {
		e.HTTP = b.server.Client()
		e.Credential = func(name string) (string, error) {
			if name == "LLAMA_CLOUD_API_KEY" {
				return "hush-hush", nil
			}
			return "", actions.Errorf(actions.CodeCredentialMissing, "the credential %s is not set", name)
		}
	})
	return b
}

// input returns an input for the document and more.
func (b *bench) input(more string) string {
	return b.with(fmt.Sprintf(`"file": %q`, b.path), more)
}

func (b *bench) with(document, more string) string {
	return fmt.Sprintf(`{%s, "base_url": %q%s}`, document, b.server.URL(), more)
}

func (b *bench) paths() string {
	var out []string
	for _, c := range b.server.Calls() {
		out = append(out, c.Method+" "+strings.TrimPrefix(c.Path, "/api/v1/"))
	}
	return strings.Join(out, "\n")
}

func TestContract(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(llamaextractactions.Actions()...)
	if err != nil {
		t.Fatal(err)
	}
	s := llamaextracttest.New(t)
	actiontest.Run(t, r, &actiontest.Harness{
		Env: func(tb testing.TB, r *actions.Registry) actions.Env {
			tb.Helper()
			env := actiontest.Env(tb, r)
			env.HTTP = &http.Client{Transport: only{strings.TrimPrefix(s.URL(), "http://"), s.Client()}}
			return env
		},
		Inputs: map[string]value.Value{action: value.Object(
			value.M("text", value.String("a: b")), value.M("agent_name", value.String("default")),
			value.M("base_url", value.String(s.URL())), value.M("api_key", value.String("k")),
		)},
	})
}

// only lets requests to one host through.
type only struct {
	host   string
	client *http.Client
}

func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != o.host {
		return nil, io.ErrClosedPipe
	}
	return o.client.Transport.RoundTrip(r)
}

func TestExtractByAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.Agents("resumes", "in/voices ü")
	b.Yields(action, b.input(`, "agent_name": "in/voices ü", "project_id": "p1"`),
		`{"agent_name":"in/voices ü","data":{"total":"42","vendor":"Tea & co"},"extraction_metadata":{"usage":{"num_pages_extracted":1}},`+
			`"job_id":"job-1","status":"SUCCESS","success":true}`)
	if want := `GET extraction/extraction-agents/by-name/in/voices ü
POST files
POST extraction/jobs
GET extraction/jobs/job-1
GET extraction/jobs/job-1/result`; b.paths() != want {
		t.Errorf("%s", b.paths())
	}
	for _, c := range b.server.Calls() {
		if c.Key != "hush-hush" || c.Project != "p1" {
			t.Errorf("%+v", c)
		}
	}
	job := b.server.Jobs()[0]
	if job.Agent != "in/voices ü" || job.FileName != "Q1 report.pdf" || job.MediaType != "application/pdf" || job.Schema != "" || job.Mode != "" {
		t.Errorf("%+v", job)
	}
}

// TestFileAlone holds that {file: …} is enough where there is one agent.
func TestFileAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if got := b.Must(action, b.input("")); got.At("agent_name").Text() != "default" || got.At("data", "total").Text() != "42" {
		t.Errorf("%s", got)
	}
	b.server.Agents("a", "b")
	b.Fails(action, b.input(""), actions.CodeInvalidInput, "give agent_name: the project has 2 extraction agents (a, b)")
	b.server.Agents()
	b.Fails(action, b.input(""), actions.CodeInvalidInput, "give a schema")
}

func TestWaysToExtract(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for more, want := range map[string]llamaextracttest.Job{
		`, "agent_id": "agent-1"`:                                    {Agent: "default"},
		`, "agent_name": "default", "schema": {"type": "object"}`:    {Agent: "default", Schema: `{"type":"object"}`},
		`, "agent_name": "default", "mode": "FAST"`:                  {Agent: "default", Mode: "FAST"},
		`, "schema": {"type": "object"}`:                             {Schema: `{"type":"object"}`},
		`, "schema": {"type": "object"}, "mode": "PREMIUM"`:          {Schema: `{"type":"object"}`, Mode: "PREMIUM"},
		`, "api_key": "given", "agent_id": "agent-1", "mode": null `: {Agent: "default"},
	} {
		got := b.Must(action, b.input(more))
		jobs := b.server.Jobs()
		job := jobs[len(jobs)-1]
		if job.Agent != want.Agent || job.Schema != want.Schema || job.Mode != want.Mode || got.At("agent_name").Text() != want.Agent ||
			got.At("data", "total").Text() != "42" {
			t.Errorf("%s: %+v %s", more, job, got)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.Env.Storage.Write(t.Context(), "mem://b/dir/scan.png", strings.NewReader("a: 1"), blobOptions("image/png")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Env.Storage.Write(t.Context(), "mem://b/unknown", strings.NewReader("a: 1"), blobOptions("")); err != nil {
		t.Fatal(err)
	}
	for document, want := range map[string]string{
		`"file": "mem://b/dir/scan.png"`: "scan.png image/png a: 1",
		`"file": "mem://b/unknown"`:      "unknown application/octet-stream a: 1",
		`"text": "a: 1"`:                 "document.txt text/plain; charset=utf-8 a: 1",
		`"text": ""`:                     "document.txt text/plain; charset=utf-8 ",
	} {
		b.Must(action, b.with(document, ""))
		jobs := b.server.Jobs()
		job := jobs[len(jobs)-1]
		if got := job.FileName + " " + job.MediaType + " " + job.Content; got != want {
			t.Errorf("%s: %q, want %q", document, got, want)
		}
	}
	before := len(b.server.Calls())
	b.Fails(action, b.with(`"file": "mem://b/none"`, ""), actions.CodeNotFound, "mem://b/none")
	b.Fails(action, b.with(`"text": "12345"`, `, "max_bytes": 4`), actions.CodeTooLarge, "max_bytes (4)")
	b.Fails(action, b.with(`"file": "mem://b/unknown"`, `, "max_bytes": 3`), actions.CodeTooLarge, "max_bytes (3)")
	b.Must(action, b.with(`"text": "1234"`, `, "max_bytes": 4, "agent_id": "agent-1"`))
	if calls := b.server.Calls()[before:]; len(calls) != 4 || calls[0].Path != "/api/v1/files" {
		t.Errorf("a document that cannot be had was asked about: %+v", calls)
	}
}

func blobOptions(mediaType string) blob.WriteOptions {
	return blob.WriteOptions{ContentType: mediaType}
}

func TestInput(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for input, want := range map[string]string{
		b.with(`"agent_id": "x"`, ""):                          "one of file and text",
		b.input(`, "text": "x"`):                               "one of file and text",
		b.input(`, "agent_id": "x", "agent_name": "y"`):        "only one of agent_name and agent_id",
		b.input(`, "schema": []`):                              "schema: a list",
		b.input(`, "mode": "FASTER"`):                          `"FAST"`,
		`{"file": "x", "api_key": "k", "base_url": "ftp://x"}`: "base_url",
	} {
		b.Fails(action, input, actions.CodeInvalidInput, want)
	}
	if calls := b.server.Calls(); len(calls) > 0 {
		t.Errorf("asked nevertheless: %+v", calls)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Fails(action, `{"text": "x", "base_url": "https://evil.example"}`, actions.CodeCredentialMissing,
		"LLAMAEXTRACT_API_KEY or LLAMA_CLOUD_API_KEY is not sent to evil.example")
	b.Must(action, b.with(`"text": "x"`, `, "api_key": "given"`))
	if key := b.server.Calls()[0].Key; key != "given" {
		t.Errorf("%s", key)
	}
	none := grouptest.New(t, llamaextractactions.Actions(), nil)
	none.Fails(action, `{"text": "x"}`, actions.CodeCredentialMissing, "set LLAMAEXTRACT_API_KEY or LLAMA_CLOUD_API_KEY")
}

func TestUnknownAgent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.Agents("invoices", "resumes")
	b.Fails(action, b.input(`, "agent_name": "invoice"`), actions.CodeNotFound, `no extraction agent "invoice" (did you mean "invoices"?)`)
	if len(b.server.Jobs()) > 0 || strings.Contains(b.paths(), "POST") {
		t.Errorf("uploaded nevertheless:\n%s", b.paths())
	}
}

// TestPolling holds that the job is asked after at the interval, by the
// injected clock.
func TestPolling(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.End(5, "PARTIAL_SUCCESS", "")
	start := b.Env.Clock.Now()
	got := b.Must(action, b.input(`, "poll_interval": "3s"`))
	if waited := b.Env.Clock.Now().Sub(start); waited != 15*time.Second || got.At("status").Text() != "PARTIAL_SUCCESS" {
		t.Errorf("%s after %s", got, waited)
	}
	b.server.End(5, "SUCCESS", "")
	b.Fails(action, b.input(`, "poll_interval": "3s", "timeout": "14s"`), actions.CodeTimeout, "job job-2 is still PENDING after 14s")
	b.Must(action, b.input(`, "poll_interval": "3s", "timeout": "15s"`))
}

func TestFailedJobs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.server.End(1, "ERROR", "page 3 is blank, key hush-hush")
	b.Fails(action, b.input(""), actions.CodeFailed, "job job-1 ended as ERROR: page 3 is blank, key ***")
	b.server.End(0, "CANCELLED", "")
	b.Fails(action, b.input(""), actions.CodeFailed, "job job-2 ended as CANCELLED: the service does not say why")
}

// TestSilenceWhilePolling holds that a service that is down for a while does
// not undo a job that runs.
func TestSilenceWhilePolling(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	left := 3
	b.server.Refuse(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/api/v1/extraction/jobs/") || left == 0 {
			return false
		}
		left--
		w.Header().Set("Retry-After", "10")
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return true
	})
	start := b.Env.Clock.Now()
	b.Must(action, b.input(`, "poll_interval": "1s"`))
	if waited := b.Env.Clock.Now().Sub(start); waited != 31*time.Second {
		t.Errorf("waited %s", waited)
	}
	left = -1 // for ever
	_, err := b.Call(action, b.input(`, "timeout": "1m"`))
	if actions.CodeOf(err) != actions.CodeUnavailable || actions.RetryAfter(err) != 10*time.Second || !strings.Contains(err.Error(), "(job job-2)") {
		t.Errorf("%v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for status, code := range map[int]actions.Code{
		401: actions.CodeCredentialMissing, 403: actions.CodeDenied, 413: actions.CodeTooLarge,
		422: actions.CodeInvalidInput, 429: actions.CodeUnavailable, 500: actions.CodeUnavailable,
	} {
		for _, path := range []string{"/by-name/", "/files", "/jobs"} {
			b.server.Refuse(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, path) {
					return false
				}
				http.Error(w, "not with "+r.Header.Get("Authorization"), status)
				return true
			})
			_, err := b.Call(action, b.input(`, "agent_name": "default"`))
			if actions.CodeOf(err) != code || !strings.Contains(err.Error(), "not with Bearer ***") {
				t.Errorf("%d %s: %v", status, path, err)
			}
		}
	}
	b.server.Refuse(nil)
	b.Fails(action, b.input(`, "agent_id": "nobody"`), actions.CodeNotFound, "No such file or extraction agent")
}

func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, tt := range []struct{ request, want string }{
		{"GET extraction/extraction-agents", "not an extraction agent: it has no id"},
		{"POST files", "not a file: it has no id"},
		{"POST extraction/jobs", "not an extraction job: it has no id"},
		{"GET extraction/jobs/job-1", "not an extraction job: it has no id (job job-1)"},
		{"GET extraction/jobs/job-2/result", "no result: it has no data (job job-2)"},
	} {
		b.server.Refuse(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1/") != tt.request {
				return false
			}
			_, _ = io.WriteString(w, `[{"name": "x"}]`)
			return true
		})
		b.Fails(action, b.input(""), actions.CodeFailed, tt.want)
	}
}
