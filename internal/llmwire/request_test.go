package llmwire_test

import (
	"net/http"
	"testing"

	"github.com/tea-agents/tea/internal/llmwire"
	"github.com/tea-agents/tea/value"
)

func TestRecognize(t *testing.T) {
	t.Parallel()
	type e = llmwire.Endpoint
	for _, tc := range []struct {
		method, path, header string
		want                 e
	}{
		{"POST", "/v1/chat/completions", "", e{llmwire.OpenAI, llmwire.OpenAIChat, ""}},
		{"POST", "/chat/completions/", "", e{llmwire.OpenAI, llmwire.OpenAIChat, ""}},
		{"POST", "/api/v1/chat/completions", "", e{llmwire.OpenAI, llmwire.OpenAIChat, ""}},
		{"POST", "/v1/completions", "", e{llmwire.OpenAI, llmwire.OpenAICompletions, ""}},
		{"POST", "/v1/embeddings", "", e{llmwire.OpenAI, llmwire.OpenAIEmbeddings, ""}},
		{"POST", "/v1/responses", "", e{llmwire.OpenAI, llmwire.OpenAIResponses, ""}},
		{"POST", "/responses", "", e{}},
		{"POST", "/v1/messages", "", e{llmwire.Anthropic, llmwire.AnthropicMessages, ""}},
		{"POST", "/v1/messages/count_tokens", "", e{llmwire.Anthropic, llmwire.Plain, ""}},
		{"POST", "/v1beta/models/gemini-2.5-pro:generateContent", "", e{llmwire.Gemini, llmwire.GeminiGenerate, "gemini-2.5-pro"}},
		{"POST", "/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent", "", e{llmwire.Gemini, llmwire.GeminiGenerate, "m"}},
		{"POST", "/v1beta/models/e:embedContent", "", e{llmwire.Gemini, llmwire.GeminiEmbed, "e"}},
		{"POST", "/v1beta/models/e:countTokens", "", e{llmwire.Gemini, llmwire.Plain, "e"}},
		{"POST", "/v1beta/models/e:destroy", "", e{}},
		{"POST", "/api/chat", "", e{llmwire.Ollama, llmwire.OllamaChat, ""}},
		{"POST", "/api/generate", "", e{llmwire.Ollama, llmwire.OllamaGenerate, ""}},
		{"POST", "/api/embed", "", e{llmwire.Ollama, llmwire.OllamaEmbed, ""}},
		{"POST", "/api/embeddings", "", e{llmwire.Ollama, llmwire.OllamaEmbed, ""}},
		{"GET", "/api/tags", "", e{llmwire.Ollama, llmwire.Plain, ""}},
		{"GET", "/v1/models", "", e{llmwire.OpenAI, llmwire.Plain, ""}},
		{"GET", "/v1/models/gpt-4o", "", e{llmwire.OpenAI, llmwire.Plain, ""}},
		{"GET", "/v1/models", "Anthropic-Version", e{llmwire.Anthropic, llmwire.Plain, ""}},
		{"GET", "/v1beta/models", "", e{llmwire.Gemini, llmwire.Plain, ""}},
		{"GET", "/v1/models", "X-Goog-Api-Key", e{llmwire.Gemini, llmwire.Plain, ""}},
		{"GET", "/car/models", "", e{}},
		{"GET", "/v1/chat/completions", "", e{}},
		{"POST", "/", "", e{}},
		{"", "", "", e{}},
	} {
		header := http.Header{}
		if tc.header != "" {
			header.Set(tc.header, "x")
		}
		if got := llmwire.Recognize(tc.method, tc.path, header); got != tc.want {
			t.Errorf("%s %s: %+v, want %+v", tc.method, tc.path, got, tc.want)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, path, body, model, prompt string }{
		{
			"openai chat", "/v1/chat/completions",
			`{"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:"}}]},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"look","arguments":"{\"x\":1}"}}]},{"role":"tool","tool_call_id":"a","content":"a cat"}]}`,
			"gpt-4o", "system: Be brief.\nuser: What is this?\n[image_url]\nassistant: look({\"x\":1})\ntool: a cat",
		},
		{
			"openai responses", "/v1/responses",
			`{"model":"gpt-5","instructions":"Be brief.","input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]},{"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call_output","output":"7"}]}`,
			"gpt-5", "system: Be brief.\nuser: Hi\nassistant: f({})\ntool: 7",
		},
		{"openai responses, short", "/v1/responses", `{"model":"gpt-5","input":"Hi"}`, "gpt-5", "user: Hi"},
		{"openai completions", "/v1/completions", `{"model":"m","prompt":["a","b"]}`, "m", "user: a\nb"},
		{"openai embeddings", "/v1/embeddings", `{"model":"m","input":["a","b"]}`, "m", "a\nb"},
		{
			"anthropic", "/v1/messages",
			`{"model":"claude","system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"7"}]},{"type":"image","source":{}}]}]}`,
			"claude", "system: Be brief.\nuser: Hi\nassistant: f({\"a\":1})\nuser: 7\n[image]",
		},
		{
			"gemini", "/v1beta/models/gemini-x:generateContent",
			`{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"r":7}}},{"inlineData":{}}]}]}`,
			"gemini-x", "system: Be brief.\nuser: Hi\nmodel: f({\"a\":1})\nuser: f = {\"r\":7}\n[inlineData]",
		},
		{"gemini embed", "/v1beta/models/e:embedContent", `{"content":{"parts":[{"text":"a"}]}}`, "e", "a"},
		{"gemini embed many", "/v1beta/models/e:batchEmbedContents", `{"requests":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}`, "e", "a\nb"},
		{"ollama chat", "/api/chat", `{"model":"llama3.2","messages":[{"role":"user","content":"Hi"}]}`, "llama3.2", "user: Hi"},
		{"ollama generate", "/api/generate", `{"model":"m","system":"S","prompt":"P"}`, "m", "system: S\nuser: P"},
		{"ollama embed", "/api/embed", `{"model":"m","input":"a"}`, "m", "a"},
		{"not JSON", "/v1/chat/completions", `{"model`, "", ""},
		{"no call of a model", "/upload", `{"model":"m"}`, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := at(tc.path).Request([]byte(tc.body))
			if r.Model != tc.model || r.Prompt != tc.prompt {
				t.Errorf("%q\n%s\nwant %q\n%s", r.Model, r.Prompt, tc.model, tc.prompt)
			}
		})
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	form := "multipart/form-data; boundary=xyz"
	for _, tc := range []struct{ name, kind, body, as, want string }{
		{"none", json, "", "", `null`},
		{"JSON", json, `{"b":1.0,"a":12345678901234567890}`, "body", `{"a":12345678901234567890,"b":1.0}`},
		{"JSON of a kind", "application/merge-patch+json", `[1]`, "body", `[1]`},
		{"JSON without a type", "", `"x"`, "body", `"x"`},
		{"JSON that says it is text", "text/plain", `{"a":1}`, "body", `{"a":1}`},
		{"not JSON", json, `{"a"`, "body_text", `"{\"a\""`},
		{"a key twice", json, `{"a":1,"a":2}`, "body_text", `"{\"a\":1,\"a\":2}"`},
		{"text", "application/x-www-form-urlencoded", "a=1", "body_text", `"a=1"`},
		{"bytes", "application/octet-stream", "\xff\x00", "body_base64", `"/wA="`},
		{"multipart", form, "--xyz\r\n\r\nA\r\n--xyz--\r\n", "body_base64", `"LS1ib3VuZGFyeQ0KDQpBDQotLWJvdW5kYXJ5LS0NCg=="`},
	} {
		as, got := llmwire.Body(tc.kind, []byte(tc.body))
		if as != tc.as || got.String() != tc.want {
			t.Errorf("%s: %s %s, want %s %s", tc.name, as, got, tc.as, tc.want)
		}
	}
}

// Two forms that differ in their drawn boundary alone are one; what is in them
// counts to the last byte.
func TestBodyForgetsTheBoundary(t *testing.T) {
	t.Parallel()
	body := func(boundary, text string) value.Value {
		_, v := llmwire.Body("multipart/form-data; boundary="+boundary, []byte("--"+boundary+"\r\n\r\n"+text+"\r\n--"+boundary+"--\r\n"))
		return v
	}
	if !value.Equal(body("x1", "A"), body("y2", "A")) {
		t.Error("the boundary takes part")
	}
	if value.Equal(body("x1", "A"), body("x1", "B")) {
		t.Error("the content takes no part")
	}
}

func FuzzRequest(f *testing.F) {
	f.Add("/v1/chat/completions", json, []byte(`{"messages":[{"content":[{}]}]}`))
	f.Add("/v1beta/models/x:generateContent", "", []byte(`{"contents":[{"parts":[{"text":1}]}]}`))
	f.Add("/v1/responses", "multipart/form-data; boundary=a", []byte(`{"input":[{"type":"function_call"}]}`))
	f.Fuzz(func(t *testing.T, path, kind string, body []byte) {
		r := llmwire.Recognize("POST", path, nil).Request(body)
		if len(body) == 0 && r.Prompt != "" {
			t.Errorf("a prompt from nothing: %q", r.Prompt)
		}
		if _, v := llmwire.Body(kind, body); v.Check() != nil {
			t.Errorf("a body without a canonical form: %v", v)
		}
	})
}
