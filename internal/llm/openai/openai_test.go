package openai_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/llmtest"
	"github.com/tea-agents/tea/internal/llm/openai"
	"github.com/tea-agents/tea/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ptr[T any](v T) *T { return &v }

// connect returns a client of s. Its connections end with the test.
func connect(t *testing.T, s *llmtest.Server, change ...func(*llm.Config)) llm.Client {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	c := llm.Config{APIBase: s.Base("openai"), APIKey: "sk-secret", HTTP: &http.Client{Transport: transport}}
	for _, f := range change {
		f(&c)
	}
	client, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// ask is a request with one text.
func ask(text string) llm.Request {
	return llm.Request{Model: "gpt-4o", Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{{Text: text}}}}}
}

func kindOf(t *testing.T, err error) llm.Kind {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *llm.Error: %v", err, err)
	}
	return e.Kind
}

func TestAPlainAnswer(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Answer(llmtest.Answer{Text: "Hello, world", Usage: llmtest.Usage{Prompt: 20, Completion: 3, Cached: 5}})
	got, err := connect(t, s).Generate(t.Context(), ask("Hi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Content != "Hello, world" || got.FinishReason != "stop" || got.Model != "gpt-4o" ||
		got.Usage != (llm.Usage{PromptTokens: 20, CompletionTokens: 3, CachedTokens: 5}) {
		t.Errorf("got %+v", got)
	}
	raw, err := value.Parse(got.Raw)
	if err != nil || raw.At("object").Text() != "chat.completion" {
		t.Errorf("raw is not what was sent: %s", got.Raw)
	}
	call := s.Calls()[0]
	if call.Header.Get("Authorization") != "Bearer sk-secret" {
		t.Errorf("authorization: %q", call.Header.Get("Authorization"))
	}
}

func TestTheRequestOnTheWire(t *testing.T) {
	t.Parallel()
	schema := value.Must(map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "maximum": value.Must(12345678901234567)}}})
	user := func(parts ...llm.Part) []llm.Message { return []llm.Message{{Role: llm.User, Parts: parts}} }
	tests := map[string]struct {
		r    llm.Request
		want string
	}{
		"parameters": {
			llm.Request{
				Model: "gpt-4o", Messages: user(llm.Part{Text: "x"}), Temperature: ptr(0.0), TopP: ptr(0.5), Seed: ptr(int64(7)),
				MaxTokens: 10, Stop: []string{"a", "b"}, Extra: value.Must(map[string]any{"logit_bias": map[string]any{"1": 2}, "reasoning_effort": "low"}),
			},
			`{"logit_bias":{"1":2},"max_tokens":10,"messages":[{"content":"x","role":"user"}],"model":"gpt-4o",
			  "reasoning_effort":"low","seed":7,"stop":["a","b"],"temperature":0,"top_p":0.5}`,
		},
		"a model that thinks": {
			llm.Request{Model: "o3-mini", Messages: user(llm.Part{Text: "x"}), MaxTokens: 10},
			`{"max_completion_tokens":10,"messages":[{"content":"x","role":"user"}],"model":"o3-mini"}`,
		},
		"tools": {
			llm.Request{
				Model: "m", Messages: user(llm.Part{Text: "x"}), ToolChoice: "look",
				Tools: []llm.Tool{{Name: "look", Description: "Looks.", Parameters: schema, Strict: true}},
			},
			`{"messages":[{"content":"x","role":"user"}],"model":"m","tool_choice":{"function":{"name":"look"},"type":"function"},
			  "tools":[{"type":"function","function":{"name":"look","description":"Looks.","strict":true,
			  "parameters":{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567}}}}}]}`,
		},
		"any tool": {
			llm.Request{Model: "m", Messages: user(llm.Part{Text: "x"}), ToolChoice: "required"},
			`{"messages":[{"content":"x","role":"user"}],"model":"m","tool_choice":"required"}`,
		},
		"a schema": {
			llm.Request{Model: "m", Messages: user(llm.Part{Text: "x"}), Format: llm.Format{Type: "json_schema", Name: "n", Schema: schema, Strict: true}},
			`{"messages":[{"content":"x","role":"user"}],"model":"m","response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,
			  "schema":{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567}}}}}}`,
		},
		"JSON": {
			llm.Request{Model: "m", Messages: user(llm.Part{Text: "x"}), Format: llm.Format{Type: "json_object"}},
			`{"messages":[{"content":"x","role":"user"}],"model":"m","response_format":{"type":"json_object"}}`,
		},
		"images": {
			llm.Request{Model: "m", Messages: user(llm.Part{Text: "x"}, llm.Part{URL: "https://a/b.png", Detail: "low"}, llm.Part{Data: []byte("abc"), MediaType: "image/png"})},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"https://a/b.png","detail":"low"}},
			  {"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj"}}]}],"model":"m"}`,
		},
		"a conversation with tools": {
			llm.Request{Model: "m", Messages: []llm.Message{
				{Role: llm.System, Parts: []llm.Part{{Text: "s"}}},
				{Role: llm.User, Parts: []llm.Part{{Text: "u"}}, Name: "ann"},
				{Role: llm.Assistant, ToolCalls: []llm.ToolCall{
					{ID: "1", Name: "look", Arguments: value.Must(map[string]any{"q": 1})},
					{ID: "2", Name: "look", Arguments: value.String("{oops")},
				}},
				{Role: llm.FromTool, ToolCallID: "1", Name: "look", Parts: []llm.Part{{Text: "seen"}}},
				{Role: llm.Assistant, Parts: []llm.Part{{Text: "a"}, {Text: "b"}}},
			}},
			`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u","name":"ann"},
			  {"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":"{\"q\":1}"}},
			  {"id":"2","type":"function","function":{"name":"look","arguments":"{oops"}}]},
			  {"role":"tool","tool_call_id":"1","content":"seen"},
			  {"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			if _, err := connect(t, s).Generate(t.Context(), test.r, nil); err != nil {
				t.Fatal(err)
			}
			want, err := value.Parse([]byte(test.want))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Calls()[0].Body; !value.Equal(got, want) {
				t.Errorf("sent\n%s\nwant\n%s", got.Indent(), want.Indent())
			}
		})
	}
}

func TestWhichModelsThink(t *testing.T) {
	t.Parallel()
	for model, thinks := range map[string]bool{
		"o1": true, "o3-mini": true, "o4-mini-2025-04-16": true, "gpt-5": true, "gpt-5.1-mini": true, "openai/gpt-6-sol": true,
		"gpt-4o": false, "gpt-4.1": false, "gpt-3.5-turbo": false, "llama3": false, "o": false, "olmo-2": false, "o1x": false,
	} {
		s := llmtest.New(t)
		r := ask("x")
		r.Model, r.MaxTokens = model, 5
		if _, err := connect(t, s).Generate(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		body := s.Calls()[0].Body
		_, long := body.Get("max_completion_tokens")
		_, short := body.Get("max_tokens")
		if long != thinks || short == thinks {
			t.Errorf("%s: %s", model, body)
		}
	}
}

func TestAStreamComesInPiecesAndAsAWhole(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Answer(llmtest.Answer{
		Text: "Hi é there", Chunks: []string{"Hi", " é", " there"},
		Tools: []llmtest.ToolCall{{ID: "a", Name: "look", Arguments: `{"q":"é"}`}, {ID: "b", Name: "go", Arguments: `{oops`}},
	})
	var texts []string
	calls := map[int]string{}
	got, err := connect(t, s).Generate(t.Context(), ask("Hi"), func(d llm.Delta) {
		if d.ToolCall == nil {
			texts = append(texts, d.Text)
			return
		}
		calls[d.ToolCall.Index] += d.ToolCall.ID + d.ToolCall.Name + d.ToolCall.Arguments
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(texts, "|") != "Hi| é| there" || calls[0] != `alook{"q":"é"}` || calls[1] != "bgo{oops" {
		t.Errorf("pieces: %q %v", texts, calls)
	}
	want := []llm.ToolCall{{ID: "a", Name: "look", Arguments: value.Must(map[string]any{"q": "é"})}, {ID: "b", Name: "go", Arguments: value.String("{oops")}}
	if got.Content != "Hi é there" || got.FinishReason != "tool_calls" || len(got.ToolCalls) != 2 || got.Usage.PromptTokens != 12 {
		t.Errorf("got %+v", got)
	}
	for i, c := range got.ToolCalls {
		if c.ID != want[i].ID || c.Name != want[i].Name || !value.Equal(c.Arguments, want[i].Arguments) {
			t.Errorf("call %d: %+v", i, c)
		}
	}
	if !strings.HasSuffix(string(got.Raw), "data: [DONE]\n\n") {
		t.Errorf("raw ends with %q", got.Raw[max(0, len(got.Raw)-30):])
	}
	if usage, _ := s.Calls()[0].Body.At("stream_options", "include_usage").AsBool(); !usage {
		t.Error("usage was not asked for")
	}
}

// An answer that is cut anywhere is never taken for a whole one, however the
// cut looks to HTTP.
func TestACutAnswerIsAnError(t *testing.T) {
	t.Parallel()
	for _, streamed := range []bool{false, true} {
		s := llmtest.New(t)
		var sink func(llm.Delta)
		if streamed {
			sink = func(llm.Delta) {}
		}
		sample := llmtest.Answer{Text: "Hi é", Tools: []llmtest.ToolCall{{Name: "look", Arguments: `{"q":1}`}}}
		s.Answer(sample)
		client := connect(t, s)
		whole, err := client.Generate(t.Context(), ask("Hi"), sink)
		if err != nil {
			t.Fatal(err)
		}
		for _, clean := range []bool{false, true} {
			last := len(whole.Raw)
			if !clean {
				last++ // all of it came, but not the end of the body
			}
			for n := range last {
				s.Answer(sample.CutAfter(n, clean))
				got, err := client.Generate(t.Context(), ask("Hi"), sink)
				if err == nil {
					t.Fatalf("streamed %v, clean %v, cut after %d of %d: got %+v", streamed, clean, n, len(whole.Raw), got)
				}
				if k := kindOf(t, err); k != llm.Unavailable {
					t.Fatalf("streamed %v, clean %v, cut after %d: %s: %v", streamed, clean, n, k, err)
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	const plain = `{"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"I will not."}}]}`
	const streamed = `data: {"model":"m","choices":[{"index":0,"delta":{"refusal":"I will "}}]}` + "\n\n" +
		`data: {"model":"m","choices":[{"index":0,"delta":{"refusal":"not."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	s := llmtest.New(t)
	s.Script(llmtest.Answer{Body: plain}, llmtest.Answer{Body: streamed}, llmtest.Answer{FinishReason: "content_filter", Text: "I"})
	client := connect(t, s)
	for i, sink := range []func(llm.Delta){nil, func(llm.Delta) {}, nil} {
		got, err := client.Generate(t.Context(), ask("x"), sink)
		if err != nil || got.FinishReason != "content_filter" || !strings.HasPrefix(got.Content, "I") {
			t.Errorf("%d: %+v, %v", i, got, err)
		}
	}
}

func TestServersThatDifferALittle(t *testing.T) {
	t.Parallel()
	sink := func(llm.Delta) {}
	tests := map[string]struct {
		body string
		sink func(llm.Delta)
		want string // content and calls
		kind llm.Kind
	}{
		"no IDs, stop": {
			body: `{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":""}}]}}]}`,
			want: "tool_calls: f/call_0/{}",
		},
		"calls whole under one index": {
			body: `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}` + "\n\n" +
				`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n",
			sink: sink, want: "tool_calls: f/a/{} g/b/{}",
		},
		"CRLF, comments, no space": {
			body: ": hello\r\n\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata:[DONE]\r\n\r\n",
			sink: sink, want: "stop: x",
		},
		"an error in a good answer": {body: `{"error":{"message":"busy upstream","code":429}}`, kind: llm.Unavailable},
		"an error in a stream":      {body: "data: {\"error\":{\"message\":\"no such\",\"code\":404}}\n\n", sink: sink, kind: llm.NotFound},
		"no choices":                {body: `{"choices":[]}`, kind: llm.Failed},
		"no choices in a stream":    {body: "data: [DONE]\n\n", sink: sink, kind: llm.Failed},
		"a page":                    {body: `<html>Hello</html>`, kind: llm.Failed},
		"broken JSON in a stream":   {body: "data: {\n\ndata: [DONE]\n\n", sink: sink, kind: llm.Failed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.Answer(llmtest.Answer{Body: test.body})
			got, err := connect(t, s).Generate(t.Context(), ask("x"), test.sink)
			if test.kind != "" {
				if kindOf(t, err) != test.kind {
					t.Errorf("got %v, want %s", err, test.kind)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			said := got.FinishReason + ": " + got.Content
			for i, c := range got.ToolCalls {
				if i > 0 {
					said += " "
				}
				said += c.Name + "/" + c.ID + "/" + c.Arguments.String()
			}
			if said != test.want {
				t.Errorf("got %q, want %q", said, test.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer llmtest.Answer
		kind   llm.Kind
		wait   time.Duration
	}{
		"rate":       {llmtest.Answer{Status: 429, RetryAfter: "7", Error: "slow down"}, llm.Unavailable, 7 * time.Second},
		"quota":      {llmtest.Answer{Status: 429, Code: "insufficient_quota"}, llm.Denied, 0},
		"key":        {llmtest.Answer{Status: 401, Error: "wrong key sk-secret"}, llm.Unauthorized, 0},
		"forbidden":  {llmtest.Answer{Status: 403}, llm.Denied, 0},
		"model":      {llmtest.Answer{Status: 404}, llm.NotFound, 0},
		"length":     {llmtest.Answer{Status: 400, Code: "context_length_exceeded"}, llm.TooLarge, 0},
		"input":      {llmtest.Answer{Status: 400, Error: "bad"}, llm.InvalidInput, 0},
		"server":     {llmtest.Answer{Status: 500}, llm.Unavailable, 0},
		"no JSON":    {llmtest.Answer{Status: 503, Body: "<html>down</html>", RetryAfter: "1.5"}, llm.Unavailable, 1500 * time.Millisecond},
		"compressed": {llmtest.Answer{Status: 400, Gzip: true}, llm.InvalidInput, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t)
			s.Answer(test.answer)
			for _, sink := range []func(llm.Delta){nil, func(llm.Delta) {}} {
				_, err := connect(t, s).Generate(t.Context(), ask("x"), sink)
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != test.kind || e.RetryAfter != test.wait || e.Status != test.answer.Status {
					t.Fatalf("got %#v, want %s", err, test.kind)
				}
				if strings.Contains(e.Message, "sk-secret") {
					t.Errorf("the key is in %q", e.Message)
				}
				if words := test.answer.Error; words != "" && !strings.Contains(words, "sk-") && !strings.Contains(e.Message, words) {
					t.Errorf("%q lacks %q", e.Message, words)
				}
			}
			if n := len(s.Calls()); n != 2 {
				t.Errorf("%d requests for 2 calls: somebody retries", n)
			}
		})
	}
}

func TestTheEndOfTheContext(t *testing.T) {
	t.Parallel()
	for _, sink := range []func(llm.Delta){nil, func(llm.Delta) {}} {
		s := llmtest.New(t)
		hold := make(chan struct{})
		s.Answer(llmtest.Answer{Hold: hold})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := connect(t, s).Generate(ctx, ask("x"), sink)
		cancel()
		close(hold)
		if kindOf(t, err) != llm.Timeout {
			t.Errorf("deadline: %v", err)
		}
	}
	s := llmtest.New(t)
	s.Answer(llmtest.Answer{Text: "a b c d e f", Pause: 30 * time.Millisecond})
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	_, err := connect(t, s).Generate(ctx, ask("x"), func(llm.Delta) { cancel(stop) })
	if kindOf(t, err) != llm.Canceled || !errors.Is(err, stop) {
		t.Errorf("cancelled while streaming: %v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	client, err := openai.New(llm.Config{APIBase: "http://127.0.0.1:1/v1", HTTP: &http.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = client.Generate(t.Context(), ask("x"), nil); kindOf(t, err) != llm.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestEmbeddings(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	s.Answer(llmtest.Answer{Vectors: [][]float64{{0.5, 0.25}, {1, 2}}})
	client := connect(t, s)
	r := llm.EmbedRequest{Model: "text-embedding-3-small", Texts: []string{"a", "b"}, Dimensions: 2, Extra: value.Must(map[string]any{"x": 1})}
	got, err := client.Embed(t.Context(), r)
	if err != nil || len(got.Vectors) != 2 || got.Vectors[0][1] != 0.25 || got.Vectors[1][0] != 1 || got.Usage.PromptTokens != 12 || got.Model != r.Model {
		t.Errorf("got %+v, %v", got, err)
	}
	want, _ := value.Parse([]byte(`{"dimensions":2,"encoding_format":"float","input":["a","b"],"model":"text-embedding-3-small","x":1}`))
	if body := s.Calls()[0].Body; !value.Equal(body, want) {
		t.Errorf("sent %s", body)
	}
	for name, body := range map[string]string{
		"too few": `{"data":[{"index":0,"embedding":[1]}]}`,
		"a gap":   `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`,
	} {
		s.Answer(llmtest.Answer{Body: body})
		if _, err := client.Embed(t.Context(), r); kindOf(t, err) != llm.Failed {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range len(got.Raw) {
		s.Answer(llmtest.Answer{Vectors: [][]float64{{0.5, 0.25}, {1, 2}}}.CutAfter(n, true))
		if got, err := client.Embed(t.Context(), r); err == nil {
			t.Fatalf("cut after %d: %+v", n, got)
		}
	}
}

func TestWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t)
	image := []llm.Part{{URL: "https://a/b"}}
	for name, r := range map[string]llm.Request{
		"image of the system": {Model: "m", Messages: []llm.Message{{Role: llm.System, Parts: image}}},
		"image of a tool":     {Model: "m", Messages: []llm.Message{{Role: llm.FromTool, Parts: image}}},
		"role":                {Model: "m", Messages: []llm.Message{{Role: "owner"}}},
		"extra":               {Model: "m", Extra: value.Must(map[string]any{"stream": true})},
		"extra is no object":  {Model: "m", Extra: value.Int(1)},
	} {
		if _, err := connect(t, s).Generate(t.Context(), r, nil); kindOf(t, err) != llm.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Calls()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
