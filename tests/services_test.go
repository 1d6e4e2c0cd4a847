package tests

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tea-agents/tea/actions/llamaextract/llamaextracttest"
	"github.com/tea-agents/tea/actions/web/webtest"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/value"
)

// services are what the agents of a story reach over the network.
type services struct {
	model       *model
	extractions *llamaextracttest.Server
}

// servicesKey is where a story keeps its services.
type servicesKey struct{}

// serve starts the services of a story, and tells the story where they are.
// They end with the story, or when it says `down`.
func serve(tb testing.TB, e *testscript.Env) {
	tb.Helper()
	s := &services{model: newModel(), extractions: llamaextracttest.New(tb)}
	s.extractions.Agents("invoices")
	s.extractions.End(0, "SUCCESS", "")
	e.Defer(s.model.server.Close)
	e.Values[servicesKey{}] = s
	e.Setenv("OPENAI_BASE_URL", s.model.server.URL+"/v1")
	e.Setenv("OPENAI_API_KEY", "sk-of-the-stories-1234")
	e.Setenv("LLAMA_CLOUD_API_KEY", "llx-of-the-stories-1234")
	e.Setenv("BRAVE_API_KEY", "brave-of-the-stories-1234")
	pages, err := url.Parse(webtest.New(tb).URL("brave"))
	if err != nil {
		tb.Fatal(err)
	}
	e.Setenv("STANDIN_ROUTES", "api.cloud.llamaindex.ai="+s.extractions.URL()+",api.search.brave.com="+pages.Host)
}

func servicesOf(ts *testscript.TestScript) *services {
	s, _ := ts.Value(servicesKey{}).(*services)
	return s
}

// calls returns how often a service was asked for what an action does.
func (s *services) calls(action string) int {
	switch action {
	case "llamaextract.extract":
		return len(s.extractions.Jobs())
	case "llm.call", "llm.stream", "llm.embed":
		return len(slices.DeleteFunc(s.model.Calls(), func(c llmtest.Call) bool {
			return c.Embed != (action == "llm.embed") || c.Stream != (action == "llm.stream")
		}))
	case "":
		return len(s.extractions.Jobs()) + len(s.model.Calls())
	default:
		return 0
	}
}

// down stops the model's server: whoever calls it from then on fails.
func down(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: down")
	}
	servicesOf(ts).model.server.Close()
}

// model answers by what it is asked last:
//
//	say TEXT          with that text
//	fail STATUS TEXT  with that error
//	tool NAME JSON    with the wish to call a tool
//	anything else     with the text turned around
//
// A request for JSON gets the smallest object that fits.
type model struct {
	llmtest.Server
	server *httptest.Server
	turn   sync.Mutex
}

func newModel() *model {
	m := &model{}
	m.server = httptest.NewServer(m)
	return m
}

// ServeHTTP implements http.Handler.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	question, err := value.Parse(body)
	if err != nil {
		question = value.Null()
	}
	m.turn.Lock()
	defer m.turn.Unlock()
	if format := question.At("response_format"); format.At("type").Text() == "json_schema" {
		m.Script(llmtest.Answer{Text: instance(format.At("json_schema", "schema")).String()})
	} else if !format.IsNull() {
		m.Script(llmtest.Answer{Text: "{}"})
	} else {
		m.Script(answerTo(lastText(question)))
	}
	m.Server.ServeHTTP(w, r)
}

// lastText is what was said last.
func lastText(question value.Value) string {
	messages := question.At("messages")
	if messages.Len() == 0 {
		return "" // texts to embed
	}
	content := messages.Index(messages.Len() - 1).At("content")
	if content.Kind() == value.KindList {
		content = content.Index(0).At("text")
	}
	return content.Text()
}

func answerTo(text string) llmtest.Answer {
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "say":
		return llmtest.Answer{Text: rest}
	case "fail":
		status, message, _ := strings.Cut(rest, " ")
		code, _ := strconv.Atoi(status)
		return llmtest.Answer{Status: code, Error: message}
	case "tool":
		name, arguments, _ := strings.Cut(rest, " ")
		return llmtest.Answer{Tools: []llmtest.ToolCall{{Name: name, Arguments: arguments}}}
	}
	turned := []rune(text)
	slices.Reverse(turned)
	return llmtest.Answer{Text: string(turned)}
}

// instance returns the smallest value that fits a schema.
func instance(schema value.Value) value.Value {
	switch schema.At("type").Text() {
	case "object":
		object := value.Object()
		for key, member := range schema.At("properties").Members() {
			object = object.With(key, instance(member))
		}
		return object
	case "array":
		return value.List()
	case "boolean":
		return value.Bool(true)
	case "integer", "number":
		return value.Int(1)
	default:
		return value.String("")
	}
}
