package ollama

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

func chatRequest(r llm.Request, stream bool) (*api.ChatRequest, error) {
	out := &api.ChatRequest{Model: r.Model, Stream: &stream, Options: options(r)}
	for _, m := range r.Messages {
		turn, err := message(m)
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, turn)
	}
	switch r.Format.Type {
	case "json_object":
		out.Format = json.RawMessage(`"json"`)
	case "json_schema":
		out.Format = r.Format.Schema.AppendJSON(nil)
	}
	return out, nil
}

func options(r llm.Request) map[string]any {
	o := map[string]any{}
	if r.Temperature != nil {
		o["temperature"] = *r.Temperature
	}
	if r.TopP != nil {
		o["top_p"] = *r.TopP
	}
	if r.Seed != nil {
		o["seed"] = *r.Seed
	}
	if r.MaxTokens > 0 {
		o["num_predict"] = r.MaxTokens
	}
	if len(r.Stop) > 0 {
		o["stop"] = r.Stop
	}
	return o
}

func message(m llm.Message) (api.Message, error) {
	out := api.Message{Role: string(m.Role)}
	var text strings.Builder
	for _, p := range m.Parts {
		switch {
		case p.URL != "":
			return out, &llm.Error{Kind: llm.Unsupported, Message: fmt.Sprintf("ollama: image %s: Ollama takes images by their bytes only; give a data: URL", p.URL)}
		case p.Data != nil:
			out.Images = append(out.Images, p.Data)
		default:
			text.WriteString(p.Text)
		}
	}
	out.Content = text.String()
	if m.Role == llm.FromTool {
		out.ToolCallID, out.ToolName = m.ToolCallID, m.Name
	}
	for i, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{
			Index: i, Name: c.Name, Arguments: arguments(c.Arguments),
		}})
	}
	return out, nil
}

// arguments returns what a tool was called with: the API takes objects only.
func arguments(v value.Value) api.ToolCallFunctionArguments {
	out := api.NewToolCallFunctionArguments()
	if v.Kind() == value.KindObject {
		for key, member := range v.Members() {
			out.Set(key, member)
		}
	} else if !v.IsNull() {
		out.Set("arguments", v)
	}
	return out
}

// more returns what goes into the body besides: the tools, whose schemas have
// words that the SDK's types have not, and the request's Extra.
func more(r llm.Request) (value.Value, error) {
	switch r.ToolChoice {
	case "", "auto":
	case "none":
		return r.Extra, nil
	default:
		return value.Null(), &llm.Error{Kind: llm.Unsupported, Message: fmt.Sprintf("ollama: tool_choice %q: Ollama knows auto and none only", r.ToolChoice)}
	}
	if len(r.Tools) == 0 {
		return r.Extra, nil
	}
	tools := make([]value.Value, 0, len(r.Tools))
	for _, t := range r.Tools {
		parameters := t.Parameters
		if parameters.Kind() != value.KindObject {
			parameters = value.Object(value.M("type", value.String("object")), value.M("properties", value.Object()))
		}
		function := []value.Member{value.M("name", value.String(t.Name)), value.M("parameters", parameters)}
		if t.Description != "" {
			function = append(function, value.M("description", value.String(t.Description)))
		}
		tools = append(tools, value.Object(
			value.M("type", value.String("function")),
			value.M("function", value.Object(slices.Clip(function)...))))
	}
	return merge(value.Object(value.M("tools", value.List(tools...))), r.Extra), nil
}

// merge puts over on top of v, objects within objects too.
func merge(v, over value.Value) value.Value {
	if v.Kind() != value.KindObject || over.Kind() != value.KindObject {
		return over
	}
	for key, member := range over.Members() {
		old, _ := v.Get(key)
		v = v.With(key, merge(old, member))
	}
	return v
}
