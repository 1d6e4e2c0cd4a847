package llmwire

import "github.com/tea-agents/tea/value"

// gemini reads a whole answer, or one part of it: they look the same. The last
// part has a reason to finish, or why the prompt was refused. Of several
// candidates, only the first one is told.
func (g *gather) gemini(v value.Value) {
	if v.At("promptFeedback", "blockReason").Text() != "" {
		g.ended = true
	}
	for _, candidate := range v.At("candidates").Items() {
		if candidate.At("finishReason").Text() != "" {
			g.ended = true
		}
		if n, _ := candidate.At("index").AsInt(); n != 0 {
			continue
		}
		for _, part := range candidate.At("content", "parts").Items() {
			g.geminiPart(part)
		}
	}
	u := v.At("usageMetadata")
	set(&g.usage.prompt, u.At("promptTokenCount"))
	set(&g.usage.completion, u.At("candidatesTokenCount"))
	set(&g.usage.total, u.At("totalTokenCount"))
	set(&g.usage.cached, u.At("cachedContentTokenCount"))
}

func (g *gather) geminiPart(part value.Value) {
	if thought, _ := part.At("thought").AsBool(); !thought {
		g.text.WriteString(part.At("text").Text())
	}
	if call := part.At("functionCall"); call.Kind() == value.KindObject {
		g.addTool("").named(call.At("id"), call.At("name")).take(call.At("args"))
	}
}
