package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// chat turns a request into the SDK's.
func chat(r llm.Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{Model: r.Model, ResponseFormat: format(r.Format), ToolChoice: choice(r.ToolChoice)}
	for i, m := range r.Messages {
		converted, err := message(m)
		if err != nil {
			return p, invalid("messages[%d]: %v", i, err)
		}
		p.Messages = append(p.Messages, converted)
	}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, tool(t))
	}
	if r.Temperature != nil {
		p.Temperature = param.NewOpt(*r.Temperature)
	}
	if r.TopP != nil {
		p.TopP = param.NewOpt(*r.TopP)
	}
	if r.Seed != nil {
		p.Seed = param.NewOpt(*r.Seed)
	}
	if r.MaxTokens > 0 && reasons(r.Model) {
		p.MaxCompletionTokens = param.NewOpt(int64(r.MaxTokens))
	} else if r.MaxTokens > 0 {
		p.MaxTokens = param.NewOpt(int64(r.MaxTokens))
	}
	p.Stop.OfStringArray = r.Stop
	extra, err := fields(r.Extra)
	if err != nil {
		return p, err
	}
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return p, nil
}

// embedding turns a request into the SDK's.
func embedding(r llm.EmbedRequest) (openai.EmbeddingNewParams, error) {
	p := openai.EmbeddingNewParams{
		Model: r.Model, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: r.Texts},
		EncodingFormat: openai.EmbeddingNewParamsEncodingFormatFloat,
	}
	if r.Dimensions > 0 {
		p.Dimensions = param.NewOpt(int64(r.Dimensions))
	}
	extra, err := fields(r.Extra)
	if err != nil {
		return p, err
	}
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return p, nil
}

func invalid(format string, args ...any) error {
	return &llm.Error{Kind: llm.InvalidInput, Message: fmt.Sprintf(format, args...)}
}

// fields turns extra parameters into the SDK's.
func fields(extra value.Value) (map[string]any, error) {
	if extra.IsNull() {
		return nil, nil
	}
	if extra.Kind() != value.KindObject {
		return nil, invalid("extra must be an object, not a %s", extra.Kind())
	}
	all := make(map[string]any, extra.Len())
	for key, v := range extra.Members() {
		switch key {
		case "model", "messages", "stream", "input":
			return nil, invalid("extra cannot hold %s: it has a parameter of its own", key)
		}
		all[key] = raw(v)
	}
	return all, nil
}

// raw is a value as JSON that the SDK writes as it is.
func raw(v value.Value) json.RawMessage { return v.AppendJSON(nil) }

// reasons tells whether a model wants max_completion_tokens, which counts its
// hidden thinking too: o1 and its successors, GPT-5 and later.
func reasons(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	if rest, ok := strings.CutPrefix(name, "gpt-"); ok {
		return rest != "" && rest[0] >= '5' && rest[0] <= '9'
	}
	return len(name) >= 2 && name[0] == 'o' && name[1] >= '1' && name[1] <= '9' && (len(name) == 2 || name[2] == '-')
}

func tool(t llm.Tool) openai.ChatCompletionToolUnionParam {
	f := shared.FunctionDefinitionParam{Name: t.Name, Parameters: parameters(t.Parameters)}
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	if t.Strict {
		f.Strict = param.NewOpt(true)
	}
	return openai.ChatCompletionFunctionTool(f)
}

// parameters turns a schema into the SDK's form, number for number.
func parameters(schema value.Value) shared.FunctionParameters {
	all := make(shared.FunctionParameters, schema.Len())
	for key, v := range schema.Members() {
		all[key] = raw(v)
	}
	return all
}

func choice(name string) (c openai.ChatCompletionToolChoiceOptionUnionParam) {
	switch name {
	case "":
	case "auto", "none", "required":
		c.OfAuto = param.NewOpt(name)
	default:
		c = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: name})
	}
	return c
}

func format(f llm.Format) (u openai.ChatCompletionNewParamsResponseFormatUnion) {
	switch f.Type {
	case "json_object":
		u.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case "json_schema":
		schema := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: f.Name, Schema: raw(f.Schema)}
		if f.Strict {
			schema.Strict = param.NewOpt(true)
		}
		u.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: schema}
	}
	return u
}
