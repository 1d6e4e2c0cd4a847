package mcpactions

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

// mostTools bounds the listing of a server that always has another page.
const mostTools = 10_000

// tools lists the server's tools, page by page.
func (s *session) tools(ctx context.Context) ([]tool, error) {
	all := []tool{}
	for params := new(mcp.ListToolsParams); ; {
		page, err := s.ListTools(ctx, params)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		answer, err := s.answer()
		if err != nil {
			return nil, err
		}
		for _, t := range answer.At("tools").Items() {
			all = append(all, tool{
				Name: t.At("name").Text(), Description: t.At("description").Text(), InputSchema: t.At("inputSchema"),
			})
		}
		if page.NextCursor == "" {
			return all, nil
		}
		if len(all) > mostTools {
			return nil, s.errorf(actions.CodeTooLarge, "it has more than %d tools", mostTools)
		}
		params = &mcp.ListToolsParams{Cursor: page.NextCursor}
	}
}

// call calls a tool.
func (s *session) call(ctx context.Context, in callInput) (callOutput, error) {
	arguments := value.Object()
	for name, v := range in.Arguments {
		arguments = arguments.With(name, v)
	}
	raw, err := arguments.Canonical()
	if err != nil {
		return callOutput{}, actions.Errorf(actions.CodeInvalidInput, "arguments: %w", err)
	}
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: in.Tool, Arguments: json.RawMessage(raw)})
	if err != nil {
		if ctx.Err() == nil && answered(err) != nil {
			if missing := s.missing(ctx, in.Tool); missing != nil {
				return callOutput{}, missing
			}
		}
		return callOutput{}, s.explain(ctx, err)
	}
	if result.NeedsInput() {
		return callOutput{}, s.errorf(actions.CodeUnsupported, "the tool %q asks for more input on the way, which cannot be given", in.Tool)
	}
	answer, err := s.answer()
	if err != nil {
		return callOutput{}, err
	}
	keep := s.tap.answer()
	out := read(answer)
	if out.IsError && in.OnToolError == "fail" {
		if missing := s.missing(ctx, in.Tool); missing != nil { // many servers call it an error of the tool
			return callOutput{}, missing
		}
		return callOutput{}, s.errorf(actions.CodeFailed, "the tool %q failed: %s", in.Tool, short(out.Content))
	}
	s.env.Keep(keep)
	return out, nil
}

// missing returns an error if the server has no tool of the name. Where that
// cannot be found out it returns nil: there is an error already.
func (s *session) missing(ctx context.Context, name string) error {
	all, err := s.tools(ctx)
	if err != nil {
		return nil //nolint:nilerr // the caller has the error that led here
	}
	names := make([]string, len(all))
	for i, t := range all {
		if t.Name == name {
			return nil
		}
		names[i] = t.Name
	}
	message := "it has no tool " + strconv.Quote(name)
	if hint := diag.DidYouMean(name, names); hint != "" {
		message += " (" + hint + ")"
	}
	return s.errorf(actions.CodeNotFound, "%s", message)
}

// answer returns the server's last answer.
func (s *session) answer() (value.Value, error) {
	v, err := value.Parse(s.tap.answer())
	if err != nil {
		return value.Value{}, s.errorf(actions.CodeFailed, "its answer cannot be read: %v", err)
	}
	return v, nil
}

// read turns a tool's result into ours.
func read(answer value.Value) callOutput {
	out := callOutput{Parts: []part{}}
	out.IsError, _ = answer.At("isError").AsBool()
	if v, ok := answer.Get("structuredContent"); ok && !v.IsNull() {
		out.Structured = &v
	}
	var texts []string
	for _, item := range answer.At("content").Items() {
		p := readPart(item)
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
		out.Parts = append(out.Parts, p)
	}
	out.Content = strings.Join(texts, "\n")
	return out
}

func readPart(item value.Value) part {
	from := item
	p := part{Type: item.At("type").Text(), Name: item.At("name").Text()}
	p.Data = item.At("data").Text()
	if p.Type == "resource" {
		from = item.At("resource")
		p.Data = from.At("blob").Text()
	}
	p.Text, p.MIMEType, p.URI = from.At("text").Text(), from.At("mimeType").Text(), from.At("uri").Text()
	return p
}

// short cuts a text for a message.
func short(text string) string {
	const most = 500
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
