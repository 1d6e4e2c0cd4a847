package gemini

import (
	"encoding/base64"
	"fmt"
	"math"
	"mime"
	"net/url"
	"path"
	"strings"

	"google.golang.org/genai"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// call is a request in the SDK's words.
type call struct {
	contents []*genai.Content
	config   *genai.GenerateContentConfig
}

func newCall(r llm.Request) (call, error) {
	cfg := &genai.GenerateContentConfig{
		Temperature:       narrow(r.Temperature),
		TopP:              narrow(r.TopP),
		MaxOutputTokens:   int32(min(r.MaxTokens, math.MaxInt32)),
		StopSequences:     r.Stop,
		Tools:             tools(r.Tools),
		ToolConfig:        toolConfig(r.ToolChoice),
		SystemInstruction: system(r.Messages),
		// The SDK's own further requests are not asked for.
		AutomaticContinuation: genai.Ptr(false),
	}
	if r.Seed != nil {
		if *r.Seed != int64(int32(*r.Seed)) {
			return call{}, &llm.Error{Kind: llm.InvalidInput, Message: fmt.Sprintf("gemini: seed %d: Gemini takes 32 bits, -2147483648 to 2147483647", *r.Seed)}
		}
		cfg.Seed = genai.Ptr(int32(*r.Seed))
	}
	switch r.Format.Type {
	case "json_object":
		cfg.ResponseMIMEType = "application/json"
	case "json_schema":
		cfg.ResponseMIMEType, cfg.ResponseJsonSchema = "application/json", r.Format.Schema.Any()
	}
	return call{contents: contents(r.Messages), config: cfg}, nil
}

func narrow(f *float64) *float32 {
	if f == nil {
		return nil
	}
	return genai.Ptr(float32(*f))
}

func system(turns []llm.Message) *genai.Content {
	var parts []*genai.Part
	for _, m := range turns {
		if m.Role == llm.System {
			parts = append(parts, mapParts(m.Parts)...)
		}
	}
	if parts == nil {
		return nil
	}
	return &genai.Content{Parts: parts}
}

// contents returns all turns but the system's. The results of tools are turns
// of the user; turns of one speaker that follow each other become one, because
// the API wants as many results in a turn as there were calls.
func contents(turns []llm.Message) []*genai.Content {
	var out []*genai.Content
	names := map[string]string{} // of the functions, by the ids of their calls
	for _, m := range turns {
		if m.Role == llm.System {
			continue
		}
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
		}
		turn := content(m, names)
		if last := len(out) - 1; last >= 0 && out[last].Role == turn.Role {
			out[last].Parts = append(out[last].Parts, turn.Parts...)
			continue
		}
		out = append(out, turn)
	}
	return out
}

func content(m llm.Message, names map[string]string) *genai.Content {
	switch m.Role {
	case llm.Assistant:
		parts := mapParts(m.Parts)
		for _, c := range m.ToolCalls {
			signature, _ := base64.StdEncoding.DecodeString(c.Signature) // checked where calls are read
			parts = append(parts, &genai.Part{ThoughtSignature: signature, FunctionCall: &genai.FunctionCall{
				ID: theirs(c.ID), Name: c.Name, Args: object(c.Arguments, "arguments"),
			}})
		}
		return &genai.Content{Role: genai.RoleModel, Parts: parts}
	case llm.FromTool:
		name := m.Name
		if name == "" {
			name = names[m.ToolCallID]
		}
		return &genai.Content{Role: genai.RoleUser, Parts: []*genai.Part{{FunctionResponse: &genai.FunctionResponse{
			ID: theirs(m.ToolCallID), Name: name, Response: object(result(m.Parts), "output"),
		}}}}
	default:
		return &genai.Content{Role: genai.RoleUser, Parts: mapParts(m.Parts)}
	}
}

// result is what a tool said: the JSON it wrote, else its text.
func result(parts []llm.Part) value.Value {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	if v, err := value.Parse([]byte(b.String())); err == nil {
		return v
	}
	return value.String(b.String())
}

// object returns an object as Go data; anything else becomes the member key of
// one, because the API takes objects only.
func object(v value.Value, key string) map[string]any {
	switch v.Kind() {
	case value.KindObject:
	case value.KindNull:
		v = value.Object()
	default:
		v = value.Object(value.M(key, v))
	}
	plain, _ := v.Any().(map[string]any) // an object is one
	return plain
}

func mapParts(parts []llm.Part) []*genai.Part {
	var out []*genai.Part
	for _, p := range parts {
		switch {
		case p.URL != "":
			out = append(out, &genai.Part{FileData: &genai.FileData{FileURI: p.URL, MIMEType: mediaType(p)}})
		case p.Data != nil:
			out = append(out, &genai.Part{InlineData: &genai.Blob{Data: p.Data, MIMEType: p.MediaType}})
		case p.Text != "":
			out = append(out, &genai.Part{Text: p.Text})
		}
	}
	return out
}

// mediaType tells what is behind an address by its ending, where nobody said.
func mediaType(p llm.Part) string {
	if p.MediaType != "" {
		return p.MediaType
	}
	u, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return mime.TypeByExtension(path.Ext(u.Path))
}

func tools(list []llm.Tool) []*genai.Tool {
	if len(list) == 0 {
		return nil
	}
	t := &genai.Tool{}
	for _, tool := range list {
		f := &genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description}
		if tool.Parameters.Kind() == value.KindObject {
			f.ParametersJsonSchema = tool.Parameters.Any()
		}
		t.FunctionDeclarations = append(t.FunctionDeclarations, f)
	}
	return []*genai.Tool{t}
}

func toolConfig(choice string) *genai.ToolConfig {
	f := &genai.FunctionCallingConfig{}
	switch choice {
	case "":
		return nil
	case "auto":
		f.Mode = genai.FunctionCallingConfigModeAuto
	case "none":
		f.Mode = genai.FunctionCallingConfigModeNone
	case "required":
		f.Mode = genai.FunctionCallingConfigModeAny
	default:
		f.Mode, f.AllowedFunctionNames = genai.FunctionCallingConfigModeAny, []string{choice}
	}
	return &genai.ToolConfig{FunctionCallingConfig: f}
}
