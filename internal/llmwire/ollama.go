package llmwire

import "github.com/tea-agents/tea/value"

// ollama reads a whole answer, or one line of its stream: they look the same.
func (g *gather) ollama(v value.Value) {
	g.text.WriteString(v.At("message", "content").Text())
	g.text.WriteString(v.At("response").Text())
	for _, call := range v.At("message", "tool_calls").Items() {
		f := call.At("function")
		g.addTool("").named(call.At("id"), f.At("name")).take(f.At("arguments"))
	}
	set(&g.usage.prompt, v.At("prompt_eval_count"))
	set(&g.usage.completion, v.At("eval_count"))
	done, _ := v.At("done").AsBool()
	g.ended = done
}
