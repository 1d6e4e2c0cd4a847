package openai

import (
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/tea-agents/tea/internal/llm"
)

// message turns a turn into the SDK's. A lone text stays a string: not every
// server takes parts.
func message(m llm.Message) (u openai.ChatCompletionMessageParamUnion, err error) {
	switch m.Role {
	case llm.User:
		return user(m), nil
	case llm.System, llm.FromTool, llm.Assistant:
	default:
		return u, fmt.Errorf("unknown role %q", m.Role)
	}
	text, parts, err := texts(m.Parts)
	if err != nil {
		return u, err
	}
	switch m.Role {
	case llm.System:
		p := openai.ChatCompletionSystemMessageParam{Name: name(m)}
		p.Content.OfString, p.Content.OfArrayOfContentParts = text, parts
		u.OfSystem = &p
	case llm.FromTool:
		p := openai.ChatCompletionToolMessageParam{ToolCallID: m.ToolCallID}
		p.Content.OfString, p.Content.OfArrayOfContentParts = text, parts
		u.OfTool = &p
	default:
		u.OfAssistant = assistant(m, text, parts)
	}
	return u, nil
}

func name(m llm.Message) (n param.Opt[string]) {
	if m.Name != "" {
		n = param.NewOpt(m.Name)
	}
	return n
}

// texts turns parts that must be texts into a string, or a list if there are
// several.
func texts(parts []llm.Part) (text param.Opt[string], list []openai.ChatCompletionContentPartTextParam, err error) {
	for _, p := range parts {
		if p.Address() != "" {
			return text, nil, errors.New("only a turn of the user can hold an image")
		}
	}
	switch len(parts) {
	case 0:
		return text, nil, nil
	case 1:
		return param.NewOpt(parts[0].Text), nil, nil
	}
	for _, p := range parts {
		list = append(list, openai.ChatCompletionContentPartTextParam{Text: p.Text})
	}
	return text, list, nil
}

func user(m llm.Message) openai.ChatCompletionMessageParamUnion {
	p := openai.ChatCompletionUserMessageParam{Name: name(m)}
	if len(m.Parts) == 1 && m.Parts[0].Address() == "" {
		p.Content.OfString = param.NewOpt(m.Parts[0].Text)
		return openai.ChatCompletionMessageParamUnion{OfUser: &p}
	}
	for _, part := range m.Parts {
		if address := part.Address(); address != "" {
			image := openai.ChatCompletionContentPartImageImageURLParam{URL: address, Detail: part.Detail}
			p.Content.OfArrayOfContentParts = append(p.Content.OfArrayOfContentParts, openai.ImageContentPart(image))
			continue
		}
		p.Content.OfArrayOfContentParts = append(p.Content.OfArrayOfContentParts, openai.TextContentPart(part.Text))
	}
	return openai.ChatCompletionMessageParamUnion{OfUser: &p}
}

func assistant(m llm.Message, text param.Opt[string], parts []openai.ChatCompletionContentPartTextParam) *openai.ChatCompletionAssistantMessageParam {
	p := &openai.ChatCompletionAssistantMessageParam{Name: name(m)}
	p.Content.OfString = text
	for i := range parts {
		part := openai.ChatCompletionAssistantMessageParamContentArrayOfContentPartUnion{OfText: &parts[i]}
		p.Content.OfArrayOfContentParts = append(p.Content.OfArrayOfContentParts, part)
	}
	for _, c := range m.ToolCalls {
		arguments, isText := c.Arguments.AsString()
		if !isText {
			arguments = c.Arguments.String()
		}
		p.ToolCalls = append(p.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: arguments},
			},
		})
	}
	return p
}
