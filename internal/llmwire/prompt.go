package llmwire

import (
	"strings"

	"github.com/tea-agents/tea/value"
)

// prompt returns the readable prompt of a request.
func prompt(d Dialect, v value.Value) string {
	var p script
	switch d {
	case OpenAIChat, OllamaChat:
		p.messages(v.At("messages"), "content")
	case OpenAIResponses:
		p.say("system", content(v.At("instructions")))
		p.input(v.At("input"))
	case OpenAICompletions, OllamaGenerate:
		p.say("system", content(v.At("system")))
		p.say("user", content(v.At("prompt")))
	case OpenAIEmbeddings, OllamaEmbed:
		return content(v.At("input"))
	case AnthropicMessages:
		p.say("system", content(v.At("system")))
		p.messages(v.At("messages"), "content")
	case GeminiGenerate:
		p.say("system", content(either(v, "systemInstruction", "system_instruction").At("parts")))
		p.messages(v.At("contents"), "parts")
	case GeminiEmbed:
		p.embedded(v)
	}
	return strings.Join(p.turns, "\n")
}

// script is a conversation as text, a line or more each turn.
type script struct{ turns []string }

func (p *script) say(role, text string) {
	if text != "" {
		p.turns = append(p.turns, role+": "+text)
	}
}

func (p *script) messages(list value.Value, key string) {
	for _, m := range list.Items() {
		role := m.At("role").Text()
		if role == "" {
			role = "user"
		}
		p.say(role, join(content(m.At(key)), calls(m.At("tool_calls"))))
	}
}

// input reads the input of the responses API: a text, or items.
func (p *script) input(v value.Value) {
	if v.Kind() == value.KindString {
		p.say("user", v.Text())
		return
	}
	for _, item := range v.Items() {
		switch item.At("type").Text() {
		case "function_call":
			p.say("assistant", callText(item.At("name").Text(), item.At("arguments")))
		case "function_call_output":
			p.say("tool", content(item.At("output")))
		default:
			p.messages(value.List(item), "content")
		}
	}
}

func (p *script) embedded(v value.Value) {
	texts := []string{content(v.At("content", "parts"))}
	for _, r := range v.At("requests").Items() {
		texts = append(texts, content(r.At("content", "parts")))
	}
	p.turns = append(p.turns, join(texts...))
}

// content returns the text of a message's content: a text, or parts of any
// dialect. Of parts that are no text it tells the kind.
func content(v value.Value) string {
	switch v.Kind() {
	case value.KindString:
		return v.Text()
	case value.KindList:
		texts := make([]string, 0, v.Len())
		for _, part := range v.Items() {
			texts = append(texts, partText(part))
		}
		return join(texts...)
	case value.KindObject:
		return partText(v)
	case value.KindNull:
		return ""
	}
	return v.String()
}

func partText(part value.Value) string {
	if part.Kind() != value.KindObject {
		return content(part)
	}
	if text, ok := part.At("text").AsString(); ok {
		return text
	}
	kind := part.At("type").Text()
	if call := either(part, "functionCall", "function_call"); call.Kind() == value.KindObject {
		return callText(call.At("name").Text(), call.At("args"))
	}
	if answer := either(part, "functionResponse", "function_response"); answer.Kind() == value.KindObject {
		return answer.At("name").Text() + " = " + answer.At("response").String()
	}
	switch {
	case kind == "tool_use":
		return callText(part.At("name").Text(), part.At("input"))
	case kind == "tool_result":
		return content(part.At("content"))
	case kind == "" && part.Len() > 0:
		kind = part.Keys()[0]
	}
	return "[" + kind + "]"
}

// calls returns the tool calls of OpenAI's and Ollama's assistant turns.
func calls(list value.Value) string {
	texts := make([]string, 0, list.Len())
	for _, c := range list.Items() {
		texts = append(texts, callText(c.At("function", "name").Text(), c.At("function", "arguments")))
	}
	return join(texts...)
}

func callText(name string, arguments value.Value) string {
	text, isText := arguments.AsString()
	if !isText {
		text = arguments.String()
	}
	return name + "(" + text + ")"
}

func join(texts ...string) string {
	kept := texts[:0]
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}

// either returns the member under the first key that is there.
func either(v value.Value, keys ...string) value.Value {
	for _, k := range keys {
		if m, ok := v.Get(k); ok {
			return m
		}
	}
	return value.Null()
}
