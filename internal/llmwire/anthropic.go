package llmwire

import "github.com/tea-agents/tea/value"

// anthropic reads a whole message, or one event of its stream.
func (g *gather) anthropic(v value.Value) {
	index := v.At("index").String()
	switch v.At("type").Text() {
	case "message":
		for _, block := range v.At("content").Items() {
			g.anthropicBlock("", block)
		}
		g.anthropicUsage(v.At("usage"))
	case "message_start":
		g.anthropicUsage(v.At("message", "usage"))
	case "content_block_start":
		g.anthropicBlock(index, v.At("content_block"))
	case "content_block_delta":
		delta := v.At("delta")
		g.text.WriteString(delta.At("text").Text())
		if piece, ok := delta.Get("partial_json"); ok {
			g.toolAt(index).take(piece)
		}
	case "message_delta":
		g.anthropicUsage(v.At("usage"))
	case "message_stop":
		g.ended = true
	}
}

func (g *gather) anthropicBlock(index string, block value.Value) {
	switch block.At("type").Text() {
	case "text":
		g.text.WriteString(block.At("text").Text())
	case "tool_use", "server_tool_use":
		t := g.addTool(index).named(block.At("id"), block.At("name"))
		t.arguments = block.At("input")
	}
}

// anthropicUsage adds what was read from and written to the provider's cache to
// the prompt, as the other providers count.
func (g *gather) anthropicUsage(u value.Value) {
	if input, ok := u.At("input_tokens").AsInt(); ok {
		read, _ := u.At("cache_read_input_tokens").AsInt()
		written, _ := u.At("cache_creation_input_tokens").AsInt()
		prompt := input + read + written
		g.usage.prompt = &prompt
	}
	set(&g.usage.completion, u.At("output_tokens"))
	set(&g.usage.cached, u.At("cache_read_input_tokens"))
}
