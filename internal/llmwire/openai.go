package llmwire

import (
	"strconv"

	"github.com/tea-agents/tea/value"
)

// openai reads one part of a chat completion, completion or embedding. Whole
// answers have a message where parts have a delta. Of several choices, only the
// first one is told. The end of a stream is [DONE], which is no part.
func (g *gather) openai(v value.Value) {
	for _, choice := range v.At("choices").Items() {
		if n, _ := choice.At("index").AsInt(); n != 0 {
			continue
		}
		g.text.WriteString(choice.At("text").Text())
		message := either(choice, "delta", "message")
		g.text.WriteString(content(message.At("content")))
		for i, call := range message.At("tool_calls").Items() {
			g.openaiTool(i, call)
		}
	}
	g.openaiUsage(v.At("usage"))
}

func (g *gather) openaiTool(i int, call value.Value) {
	key := strconv.Itoa(i)
	if n, ok := call.At("index").AsInt(); ok {
		key = strconv.FormatInt(n, 10)
	}
	f := call.At("function")
	g.toolAt(key).named(call.At("id"), f.At("name")).take(f.At("arguments"))
}

func (g *gather) openaiUsage(v value.Value) {
	set(&g.usage.prompt, v.At("prompt_tokens"))
	set(&g.usage.completion, v.At("completion_tokens"))
	set(&g.usage.total, v.At("total_tokens"))
	set(&g.usage.cached, v.At("prompt_tokens_details", "cached_tokens"))
}

// responses reads a whole answer of the responses API, or one event of its
// stream, whose last one holds the whole answer again.
func (g *gather) responses(v value.Value) {
	switch v.At("type").Text() {
	case "response.completed", "response.incomplete", "response.failed":
		g.ended = true
		g.response(v.At("response"))
	case "response.output_text.delta":
		g.text.WriteString(v.At("delta").Text())
	case "response.output_item.done":
		g.responseTool(v.At("item"))
	case "":
		g.response(v)
	}
}

// response reads a whole answer, in place of what its parts have said.
func (g *gather) response(v value.Value) {
	if output := v.At("output"); output.Len() > 0 {
		g.text.Reset()
		g.tools = nil
		for _, item := range output.Items() {
			if item.At("type").Text() == "message" {
				g.text.WriteString(content(item.At("content")))
			}
			g.responseTool(item)
		}
	}
	u := v.At("usage")
	set(&g.usage.prompt, u.At("input_tokens"))
	set(&g.usage.completion, u.At("output_tokens"))
	set(&g.usage.total, u.At("total_tokens"))
	set(&g.usage.cached, u.At("input_tokens_details", "cached_tokens"))
}

func (g *gather) responseTool(item value.Value) {
	if item.At("type").Text() == "function_call" {
		g.addTool("").named(item.At("call_id"), item.At("name")).take(item.At("arguments"))
	}
}
