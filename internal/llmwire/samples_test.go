package llmwire_test

import (
	"strings"

	"github.com/tea-agents/tea/internal/llmwire"
)

// sample is an answer as a provider sends it, and what it says.
type sample struct {
	name     string
	endpoint llmwire.Endpoint
	kind     string // content type
	body     string
	end      string // the end mark of a stream: the last thing that must have come
	text     string
	tools    string // JSON, or ""
	usage    string // JSON, or ""
}

func at(path string) llmwire.Endpoint { return llmwire.Recognize("POST", path, nil) }

func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

// sse writes events: "name data", or only data.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		if name, data, ok := strings.Cut(e, " {"); ok && name != "" {
			b.WriteString("event: " + name + "\n")
			e = "{" + data
		}
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

const (
	stream = "text/event-stream; charset=utf-8"
	json   = "application/json"
	ndjson = "application/x-ndjson"
)

// streams are streamed answers of every dialect.
func streams() []sample {
	return []sample{
		{
			name: "openai chat", endpoint: at("/v1/chat/completions"), kind: stream,
			body: ": keep-alive\n\n" + sse(
				`{"id":"c1","object":"chat.completion.chunk","model":"gpt-4o","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
				`{"id":"c1","choices":[{"index":0,"delta":{"content":"Grüß"},"finish_reason":null}]}`,
				`{"id":"c1","choices":[{"index":0,"delta":{"content":" Gott"},"finish_reason":null}]}`,
				`{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
				`{"id":"c1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":4}}}`,
				`[DONE]`),
			end: "[DONE]", text: "Grüß Gott",
			usage: `{"cached_tokens":4,"completion_tokens":2,"prompt_tokens":9,"total_tokens":11}`,
		},
		{
			name: "openai chat with tools", endpoint: at("/openai/deployments/d/chat/completions"), kind: stream,
			body: sse(
				`{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"weather","arguments":""}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"time","arguments":"{}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Graz\"}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
				`[DONE]`),
			end:   "[DONE]",
			tools: `[{"arguments":{"city":"Graz"},"id":"call_a","name":"weather"},{"arguments":{},"id":"call_b","name":"time"}]`,
		},
		{
			name: "openai completions", endpoint: at("/v1/completions"), kind: stream,
			body: strings.ReplaceAll(sse(`{"choices":[{"index":0,"text":"on"}]}`, `{"choices":[{"index":0,"text":"ce"}]}`, `[DONE]`), "\n", "\r\n"),
			end:  "[DONE]", text: "once",
		},
		{
			name: "openai responses", endpoint: at("/v1/responses"), kind: stream,
			body: sse(
				`response.created {"type":"response.created","response":{"id":"r1","output":[]}}`,
				`response.output_text.delta {"type":"response.output_text.delta","delta":"Hi"}`,
				`response.output_item.done {"type":"response.output_item.done","item":{"type":"function_call","call_id":"k","name":"f","arguments":"{\"a\":1}"}}`,
				`response.completed {"type":"response.completed","response":{"id":"r1","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","call_id":"k","name":"f","arguments":"{\"a\":1}"}],"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4,"input_tokens_details":{"cached_tokens":0}}}}`),
			end: `"cached_tokens":0}}}}`, text: "Hi",
			tools: `[{"arguments":{"a":1},"id":"k","name":"f"}]`,
			usage: `{"cached_tokens":0,"completion_tokens":1,"prompt_tokens":3,"total_tokens":4}`,
		},
		{
			name: "anthropic", endpoint: at("/v1/messages"), kind: stream,
			body: sse(
				`message_start {"type":"message_start","message":{"id":"m1","content":[],"usage":{"input_tokens":25,"cache_read_input_tokens":5,"output_tokens":1}}}`,
				`content_block_start {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
				`ping {"type":"ping"}`,
				`content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me see."}}`,
				`content_block_stop {"type":"content_block_stop","index":0}`,
				`content_block_start {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}}`,
				`content_block_delta {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\": \"Gr"}}`,
				`content_block_delta {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"az\"}"}}`,
				`content_block_stop {"type":"content_block_stop","index":1}`,
				`message_delta {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":15}}`,
				`message_stop {"type":"message_stop"}`),
			end: `{"type":"message_stop"}`, text: "Let me see.",
			tools: `[{"arguments":{"city":"Graz"},"id":"t1","name":"weather"}]`,
			usage: `{"cached_tokens":5,"completion_tokens":15,"prompt_tokens":30,"total_tokens":45}`,
		},
		{
			name: "gemini sse", endpoint: at("/v1beta/models/gemini-2.5-flash:streamGenerateContent"), kind: stream,
			body: strings.ReplaceAll(sse(
				`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}],"role":"model"},"index":0}]}`,
				`{"candidates":[{"content":{"parts":[{"text":"Ja"}],"role":"model"},"index":0}]}`,
				`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"x":1.50}}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":2,"totalTokenCount":6}}`),
				"\n", "\r\n"),
			end: `"totalTokenCount":6}}`, text: "Ja",
			tools: `[{"arguments":{"x":1.5},"name":"f"}]`,
			usage: `{"completion_tokens":2,"prompt_tokens":4,"total_tokens":6}`,
		},
		{
			name: "gemini array", endpoint: at("/v1beta/models/gemini-2.5-flash:streamGenerateContent"), kind: json,
			body: "[" + `{"candidates":[{"content":{"parts":[{"text":"Ja"}]}}]}` + "\n,\r\n" +
				`{"candidates":[{"content":{"parts":[{"text":" doch"}]},"finishReason":"STOP"}]}` + "\n]\n",
			end: "\n]", text: "Ja doch",
		},
		{
			name: "gemini refuses the prompt", endpoint: at("/v1beta/models/g:streamGenerateContent"), kind: stream,
			body: sse(`{"promptFeedback":{"blockReason":"SAFETY"}}`),
			end:  `"SAFETY"}}`,
		},
		{
			name: "ollama chat", endpoint: at("/api/chat"), kind: ndjson,
			body: lines(
				`{"model":"llama3.2","message":{"role":"assistant","content":"Servus"},"done":false}`,
				`{"model":"llama3.2","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":"b"}}}]},"done":false}`,
				`{"model":"llama3.2","message":{"role":"assistant","content":"!"},"done_reason":"stop","done":true,"prompt_eval_count":7,"eval_count":3}`),
			end: `"eval_count":3}`, text: "Servus!",
			tools: `[{"arguments":{"a":"b"},"name":"f"}]`,
			usage: `{"completion_tokens":3,"prompt_tokens":7,"total_tokens":10}`,
		},
		{
			name: "ollama generate", endpoint: at("/api/generate"), kind: ndjson,
			body: lines(`{"response":"a","done":false}`, `{"response":"b","done":true}`),
			end:  `"done":true}`, text: "ab",
		},
	}
}

// answers are plain answers.
func answers() []sample {
	return []sample{
		{
			name: "openai chat", endpoint: at("/v1/chat/completions"), kind: json,
			body:  `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":12345678901234567890}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"not json"}}]}},{"index":1,"message":{"content":"no"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`,
			text:  "Hi",
			tools: `[{"arguments":{"n":12345678901234567890},"id":"a","name":"f"},{"arguments":"not json","id":"b","name":"g"}]`,
			usage: `{"completion_tokens":2,"prompt_tokens":1,"total_tokens":3}`,
		},
		{
			name: "openai responses", endpoint: at("/v1/responses"), kind: json,
			body: `{"output":[{"type":"reasoning"},{"type":"message","content":[{"type":"output_text","text":"Hi"}]}],"usage":{"input_tokens":1,"output_tokens":2}}`,
			text: "Hi", usage: `{"completion_tokens":2,"prompt_tokens":1,"total_tokens":3}`,
		},
		{
			name: "openai embeddings", endpoint: at("/v1/embeddings"), kind: json,
			body:  `{"data":[{"embedding":[0.1,0.2]}],"usage":{"prompt_tokens":5,"total_tokens":5}}`,
			usage: `{"prompt_tokens":5,"total_tokens":5}`,
		},
		{
			name: "anthropic", endpoint: at("/v1/messages"), kind: json,
			body:  `{"type":"message","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"usage":{"input_tokens":2,"output_tokens":3}}`,
			text:  "Hi",
			tools: `[{"arguments":{"a":1},"id":"t","name":"f"}]`,
			usage: `{"completion_tokens":3,"prompt_tokens":2,"total_tokens":5}`,
		},
		{
			name: "gemini", endpoint: at("/v1beta/models/gemini-2.5-pro:generateContent"), kind: json,
			body: "{\n  \"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Hi\"}]}, \"finishReason\": \"STOP\"}]\n}\n",
			text: "Hi",
		},
		{
			name: "ollama", endpoint: at("/api/chat"), kind: json,
			body: "{\n\"message\":{\"content\":\"Hi\"},\"done\":true}", text: "Hi",
		},
		{
			name: "ollama embed", endpoint: at("/api/embed"), kind: json,
			body: `{"embeddings":[[1,2]],"prompt_eval_count":4}`, usage: `{"prompt_tokens":4}`,
		},
		{name: "gemini embed", endpoint: at("/v1beta/models/e:batchEmbedContents"), kind: json, body: `{"embeddings":[{"values":[1]}]}`},
	}
}
