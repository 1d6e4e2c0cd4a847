package llmtest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/value"
)

// dialects are a request to each service, plain and streamed, and what a
// stream ends with.
var dialects = []struct {
	provider, path, body, streamPath, streamBody, end string
}{
	{"openai", "/v1/chat/completions", `{"model":"m"}`, "/v1/chat/completions",
		`{"model":"m","stream":true,"stream_options":{"include_usage":true}}`, "data: [DONE]\n\n"},
	{"openai", "/openai/deployments/m/chat/completions?api-version=1", `{}`,
		"/openai/deployments/m/chat/completions?api-version=1", `{"stream":true}`, "data: [DONE]\n\n"},
	{"anthropic", "/v1/messages", `{"model":"m"}`, "/v1/messages", `{"model":"m","stream":true}`,
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
	{"gemini", "/v1beta/models/m:generateContent", `{}`, "/v1beta/models/m:streamGenerateContent?alt=sse", `{}`, "\r\n\r\n"},
	{"gemini", "/v1beta/models/m:generateContent", `{}`, "/v1beta/models/m:streamGenerateContent", `{}`, "]"},
	{"ollama", "/api/chat", `{"model":"m","stream":false}`, "/api/chat", `{"model":"m"}`, "}\n"},
}

func post(t *testing.T, url, body string) (*http.Response, string, error) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp, string(data), err
}

func TestEveryServiceAnswers(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.provider+d.streamPath, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.Answer(llmtest.Answer{Text: "Hello there", Tools: []llmtest.ToolCall{{Name: "look", Arguments: `{"q":"é"}`}}})
			resp, body, err := post(t, s.URL+d.path, d.body)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("%v %v %s", err, resp, body)
			}
			if _, err := value.Parse([]byte(body)); err != nil || !strings.Contains(body, "Hello there") || !strings.Contains(body, "look") {
				t.Errorf("plain: %v: %s", err, body)
			}
			_, body, err = post(t, s.URL+d.streamPath, d.streamBody)
			if err != nil || !strings.HasSuffix(body, d.end) || strings.Contains(body, "Hello there") || !strings.Contains(body, " there") {
				t.Errorf("stream: %v: %s", err, body)
			}
			calls := s.Calls()
			if len(calls) != 2 || calls[0].Stream || !calls[1].Stream || calls[0].Provider != d.provider || calls[1].Model != "m" {
				t.Errorf("calls: %+v", calls)
			}
		})
	}
}

func TestAScriptIsPlayedInOrderAndThenThrough(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Script(llmtest.Answer{Status: 429, RetryAfter: "2", Error: "slow down"}, llmtest.Answer{Text: "two"})
	want := []struct {
		status int
		part   string
	}{{429, "slow down"}, {200, "two"}, {500, "script"}}
	for _, w := range want {
		resp, body, err := post(t, s.Base("openai")+"/chat/completions", `{}`)
		if err != nil || resp.StatusCode != w.status || !strings.Contains(body, w.part) {
			t.Errorf("got %v %v %s, want %v", err, resp.StatusCode, body, w)
		}
		if w.status == 429 && resp.Header.Get("Retry-After") != "2" {
			t.Error("no Retry-After")
		}
	}
}

func TestCutBodies(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		s := llmtest.New(t)
		_, whole, err := post(t, s.URL+d.streamPath, d.streamBody)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, len(whole) / 2, len(whole)} {
			s.Script(llmtest.Answer{}.CutAfter(n, true), llmtest.Answer{}.CutAfter(n, false))
			_, clean, err := post(t, s.URL+d.streamPath, d.streamBody)
			if err != nil || len(clean) != n {
				t.Errorf("%s: clean cut after %d: %d bytes, %v", d.provider, n, len(clean), err)
			}
			_, broken, err := post(t, s.URL+d.streamPath, d.streamBody)
			if !errors.Is(err, io.ErrUnexpectedEOF) || len(broken) != n {
				t.Errorf("%s: broken after %d: %d bytes, %v", d.provider, n, len(broken), err)
			}
		}
	}
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	for path, body := range map[string]string{
		"/v1/embeddings": `{"model":"m","input":["a","b"]}`,
		"/api/embed":     `{"model":"m","input":["a","b"]}`,
		"/v1beta/models/m:batchEmbedContents": `{"requests":[{"content":{"parts":[{"text":"a"}]}},
			{"content":{"parts":[{"text":"b"}]}}]}`,
	} {
		_, got, err := post(t, s.URL+path, body)
		// The first numbers of SHA-256 of "a" and "b", by 256.
		if err != nil || !strings.Contains(got, "[0.7890625,0.58984375,0.50390625]") || !strings.Contains(got, "[0.2421875,0.13671875,0.90625]") {
			t.Errorf("%s: %v %s", path, err, got)
		}
	}
}

func TestUnknownPathsAndBodiesAreRefused(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	if resp, _, _ := post(t, s.URL+"/v1/nothing", "{}"); resp.StatusCode != 404 {
		t.Errorf("unknown path: %d", resp.StatusCode)
	}
	if resp, _, _ := post(t, s.URL+"/v1/messages", "{"); resp.StatusCode != 400 {
		t.Errorf("no JSON: %d", resp.StatusCode)
	}
	if n := len(s.Calls()); n != 0 {
		t.Errorf("%d calls counted", n)
	}
}
