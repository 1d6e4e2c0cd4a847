package anthropic

import (
	"cmp"
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// maxTokens is what the API is asked for where the request has no bound: it
// wants one.
const maxTokens = 4096

// params turns a request into the SDK's.
func params(r llm.Request) sdk.MessageNewParams {
	p := sdk.MessageNewParams{
		Model:         r.Model,
		MaxTokens:     int64(cmp.Or(r.MaxTokens, maxTokens)),
		StopSequences: r.Stop,
		Messages:      messages(r.Messages),
		Tools:         tools(r.Tools),
		ToolChoice:    toolChoice(r),
	}
	if r.Temperature != nil {
		p.Temperature = param.NewOpt(*r.Temperature)
	}
	if r.TopP != nil {
		p.TopP = param.NewOpt(*r.TopP)
	}
	for _, m := range r.Messages {
		if text := texts(m.Parts); m.Role == llm.System && text != "" {
			p.System = append(p.System, sdk.TextBlockParam{Text: text})
		}
	}
	switch r.Format.Type {
	case "json_object":
		p.System = append(p.System, sdk.TextBlockParam{Text: r.Format.Instruction()})
	case "json_schema":
		p.OutputConfig.Format.Schema = outputSchema(r.Format.Schema)
	}
	return p
}

// outputSchema says a schema in the words that the API enforces: the SDK closes
// objects and moves other constraints into descriptions.
func outputSchema(v value.Value) map[string]any {
	if v.Kind() != value.KindObject {
		return map[string]any{}
	}
	plain, _ := v.Any().(map[string]any) // an object is one
	if closed, ok := sdk.BetaJSONSchemaOutputFormat(plain).Schema.(map[string]any); ok {
		return closed
	}
	return plain
}

// object returns the members of v for a field of the SDK, which writes each as
// the JSON it is.
func object(v value.Value) map[string]any {
	m := make(map[string]any, v.Len())
	for key, member := range v.Members() {
		m[key] = member
	}
	return m
}

func texts(parts []llm.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// messages returns all turns but the system's. The results of tools are turns
// of the user; turns of one speaker that follow each other become one, because
// the API wants all results of an answer's calls in one turn.
func messages(turns []llm.Message) []sdk.MessageParam {
	var out []sdk.MessageParam
	for _, m := range turns {
		if m.Role == llm.System {
			continue
		}
		turn := message(m)
		if len(turn.Content) == 0 {
			continue // the API refuses empty turns
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == turn.Role {
			out[last].Content = slices.Concat(out[last].Content, turn.Content)
			continue
		}
		out = append(out, turn)
	}
	return out
}

func message(m llm.Message) sdk.MessageParam {
	switch m.Role {
	case llm.FromTool:
		return sdk.NewUserMessage(toolResult(m))
	case llm.Assistant:
		blocks := content(m.Parts)
		for _, c := range m.ToolCalls {
			blocks = append(blocks, sdk.NewToolUseBlock(c.ID, arguments(c.Arguments), c.Name))
		}
		return sdk.NewAssistantMessage(blocks...)
	default:
		return sdk.NewUserMessage(content(m.Parts)...)
	}
}

// arguments returns what a tool was called with: the API takes objects only.
func arguments(v value.Value) value.Value {
	if v.Kind() == value.KindObject {
		return v
	}
	if v.IsNull() {
		return value.Object()
	}
	return value.Object(value.M("arguments", v))
}

func toolResult(m llm.Message) sdk.ContentBlockParamUnion {
	block := sdk.ToolResultBlockParam{ToolUseID: m.ToolCallID}
	for _, c := range content(m.Parts) {
		block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{
			OfText: c.OfText, OfImage: c.OfImage,
		})
	}
	return sdk.ContentBlockParamUnion{OfToolResult: &block}
}

func content(parts []llm.Part) []sdk.ContentBlockParamUnion {
	var blocks []sdk.ContentBlockParamUnion
	for _, p := range parts {
		switch {
		case p.URL != "":
			blocks = append(blocks, sdk.NewImageBlock(sdk.URLImageSourceParam{URL: p.URL}))
		case p.Data != nil:
			data := base64.StdEncoding.EncodeToString(p.Data)
			blocks = append(blocks, sdk.NewImageBlockBase64(p.MediaType, data))
		case p.Text != "":
			blocks = append(blocks, sdk.NewTextBlock(p.Text))
		}
	}
	return blocks
}

func tools(list []llm.Tool) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for _, t := range list {
		tool := sdk.ToolParam{Name: t.Name, InputSchema: inputSchema(t.Parameters)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		if t.Strict {
			tool.Strict = param.NewOpt(true)
		}
		out = append(out, sdk.ToolUnionParam{OfTool: &tool})
	}
	return out
}

// inputSchema is the schema as it stands; the SDK adds the type, object.
func inputSchema(v value.Value) sdk.ToolInputSchemaParam {
	fields := object(v)
	maps.DeleteFunc(fields, func(key string, _ any) bool { return key == "type" })
	return sdk.ToolInputSchemaParam{ExtraFields: fields}
}

func toolChoice(r llm.Request) sdk.ToolChoiceUnionParam {
	switch r.ToolChoice {
	case "":
		return sdk.ToolChoiceUnionParam{}
	case "auto":
		return sdk.ToolChoiceUnionParam{OfAuto: &sdk.ToolChoiceAutoParam{}}
	case "none":
		return sdk.ToolChoiceUnionParam{OfNone: &sdk.ToolChoiceNoneParam{}}
	case "required":
		return sdk.ToolChoiceUnionParam{OfAny: &sdk.ToolChoiceAnyParam{}}
	default:
		return sdk.ToolChoiceParamOfTool(r.ToolChoice)
	}
}
