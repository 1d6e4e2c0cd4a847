package llm

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/tea-agents/tea/value"
)

// ParseMessages reads a conversation as agents write it: a list of {role,
// content, name, tool_call_id, tool_calls}.
//
//   - role is system (or developer), user, assistant or tool.
//   - content is a text, or a list of texts and parts, {type: text, text} or
//     {type: image_url, image_url: {url, detail}}; what a tool returned may be
//     any JSON. It may be missing where there are tool calls.
//   - tool_calls are {id, name, arguments} or OpenAI's {id, type, function:
//     {name, arguments}}, the arguments an object or its JSON text.
//   - A turn of a tool has the tool_call_id of the call that it answers; its
//     name is found out where it is not said.
//
// The error is an *Error of kind InvalidInput that names everything that is
// wrong.
func ParseMessages(v value.Value) ([]Message, error) {
	var p problems
	if v.Kind() != value.KindList || v.Len() == 0 {
		p.add("messages must be a list of at least one {role, content}")
		return nil, p.err()
	}
	messages := make([]Message, 0, v.Len())
	names := map[string]string{} // of the tools called, by call ID
	for i, item := range v.Items() {
		m := p.message(fmt.Sprintf("messages[%d]", i), item)
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
		}
		if m.Role == FromTool && m.Name == "" {
			m.Name = names[m.ToolCallID]
		}
		messages = append(messages, m)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return messages, nil
}

func (p *problems) message(path string, v value.Value) Message {
	if v.Kind() != value.KindObject {
		p.add("%s must be an object {role, content}, not a %s", path, v.Kind())
		return Message{}
	}
	p.unknown(path, v.Without("refusal"), "role", "content", "name", "tool_call_id", "tool_calls")
	m := Message{
		Role: p.role(path, v), Name: v.At("name").Text(),
		ToolCallID: v.At("tool_call_id").Text(), ToolCalls: p.calls(path, v),
	}
	content := v.At("content")
	if m.Role == FromTool {
		content = resultContent(content)
	}
	m.Parts = p.parts(path+".content", content)
	switch {
	case m.Role == FromTool && m.ToolCallID == "":
		p.add("%s: a turn of a tool needs the tool_call_id that it answers", path)
	case m.Role != FromTool && m.ToolCallID != "":
		p.add("%s: only a turn of a tool has a tool_call_id", path)
	case m.Role != Assistant && len(m.ToolCalls) > 0:
		p.add("%s: only a turn of the assistant has tool_calls", path)
	case content.IsNull() && len(m.ToolCalls) == 0:
		p.add("%s has no content", path)
	}
	return m
}

func (p *problems) role(path string, v value.Value) Role {
	known := []string{string(System), string(User), string(Assistant), string(FromTool)}
	role := v.At("role").Text()
	switch {
	case role == "developer":
		return System
	case role == "":
		p.add("%s has no role (%s)", path, strings.Join(known, ", "))
	case !slices.Contains(known, role):
		p.add("%s has an unknown role %q%s", path, role, hint(role, known))
	}
	return Role(role)
}

// resultContent returns the text of what a tool returned, where it is neither
// a text nor a list of parts.
func resultContent(v value.Value) value.Value {
	switch v.Kind() {
	case value.KindString, value.KindSecret:
		return v
	case value.KindList:
		for _, item := range v.Items() {
			if !has(item, "type") {
				return value.String(v.String())
			}
		}
		if v.Len() > 0 {
			return v
		}
	}
	return value.String(v.String())
}

// parts reads the content of a turn.
func (p *problems) parts(path string, v value.Value) []Part {
	if v.IsNull() {
		return nil
	}
	if s, ok := text(v); ok {
		return []Part{{Text: s}}
	}
	if v.Kind() != value.KindList {
		p.add("%s must be a text or a list of parts, not a %s", path, v.Kind())
		return nil
	}
	parts := make([]Part, 0, v.Len())
	for i, item := range v.Items() {
		parts = append(parts, p.part(fmt.Sprintf("%s[%d]", path, i), item))
	}
	return parts
}

func (p *problems) part(path string, v value.Value) Part {
	if s, ok := text(v); ok {
		return Part{Text: s}
	}
	known := []string{"text", "image_url"}
	switch kind := v.At("type").Text(); kind {
	case "text":
		p.unknown(path, v, "type", "text")
		s, ok := text(v.At("text"))
		if !ok {
			p.add("%s.text must be a text", path)
		}
		return Part{Text: s}
	case "image_url":
		p.unknown(path, v, "type", "image_url")
		return p.image(path+".image_url", v.At("image_url"))
	case "":
		p.add("%s must be a text, {type: text, text} or {type: image_url, image_url: {url}}", path)
	default:
		p.add("%s has an unknown type %q%s", path, kind, hint(kind, known))
	}
	return Part{}
}

// image reads {url, detail}, or the address alone.
func (p *problems) image(path string, v value.Value) Part {
	address, detail := v.Text(), ""
	if v.Kind() == value.KindObject {
		p.unknown(path, v, "url", "detail")
		address, detail = v.At("url").Text(), v.At("detail").Text()
	}
	if rest, ok := strings.CutPrefix(address, "data:"); ok {
		part := p.data(path, rest)
		part.Detail = detail
		return part
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		p.add("%s must be an address, http(s): or data:", path)
	}
	return Part{URL: address, Detail: detail}
}

// data takes apart what follows "data:".
func (p *problems) data(path, rest string) Part {
	head, body, ok := strings.Cut(rest, ",")
	media, encoded := strings.CutSuffix(head, ";base64")
	media, _, _ = strings.Cut(media, ";")
	if !ok || !encoded || !strings.HasPrefix(media, "image/") {
		p.add("%s: a data: address must be of the form data:image/png;base64,…", path)
		return Part{}
	}
	bytes, err := base64.StdEncoding.DecodeString(body)
	if err != nil || len(bytes) == 0 {
		p.add("%s: the data: address holds no base64", path)
		return Part{}
	}
	return Part{Data: bytes, MediaType: media}
}

// Address returns the address of an image: its URL, or a data: URL of its
// bytes. It is "" for a text.
func (p Part) Address() string {
	if p.MediaType != "" {
		return "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
	}
	return p.URL
}

// calls reads the tool calls of a turn.
func (p *problems) calls(path string, v value.Value) []ToolCall {
	list := v.At("tool_calls")
	if list.IsNull() {
		return nil
	}
	if list.Kind() != value.KindList {
		p.add("%s.tool_calls must be a list, not a %s", path, list.Kind())
		return nil
	}
	calls := make([]ToolCall, 0, list.Len())
	for i, item := range list.Items() {
		calls = append(calls, p.call(fmt.Sprintf("%s.tool_calls[%d]", path, i), item))
	}
	return calls
}

func (p *problems) call(path string, v value.Value) ToolCall {
	if v.Kind() != value.KindObject {
		p.add("%s must be an object {id, name, arguments}, not a %s", path, v.Kind())
		return ToolCall{}
	}
	body := v
	if inner, ok := v.Get("function"); ok {
		p.unknown(path, v, "id", "type", "function", "index")
		body = inner
		p.unknown(path+".function", body, "name", "arguments")
	} else {
		p.unknown(path, v, "id", "type", "name", "arguments", "signature")
	}
	c := ToolCall{ID: v.At("id").Text(), Name: body.At("name").Text()}
	if c.ID == "" || c.Name == "" {
		p.add("%s needs an id and a name", path)
	}
	c.Signature = v.At("signature").Text()
	if _, err := base64.StdEncoding.DecodeString(c.Signature); err != nil {
		p.add("%s.signature is not what the provider gave: %v", path, err)
	}
	switch a := body.At("arguments"); a.Kind() {
	case value.KindObject:
		c.Arguments = a
	case value.KindNull, value.KindString:
		c.Arguments = ParseArguments(a.Text())
	default:
		p.add("%s.arguments must be an object or its JSON text, not a %s", path, a.Kind())
	}
	return c
}
