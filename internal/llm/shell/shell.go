package shell

import (
	"context"
	"errors"
	"strings"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

type client struct {
	run  func(ctx context.Context, argv []string, stdin []byte) ([]byte, error)
	argv []string
}

// New returns a client that runs c.Command by c.Shell, once for each request.
func New(c llm.Config) (llm.Client, error) {
	if c.Shell == nil {
		return nil, &llm.Error{Kind: llm.Unsupported, Message: "shell: local commands cannot be run here"}
	}
	if len(c.Command) == 0 {
		return nil, &llm.Error{Kind: llm.InvalidInput, Message: "shell: no command to run; expected its name and arguments"}
	}
	return client{run: c.Shell, argv: c.Command}, nil
}

// Generate implements [llm.Client]. The answer comes in one piece.
func (c client) Generate(ctx context.Context, r llm.Request, sink func(llm.Delta)) (llm.Response, error) {
	if err := check(r); err != nil {
		return llm.Response{}, err
	}
	stdout, err := c.run(ctx, c.argv, []byte(prompt(r)))
	if err != nil {
		return llm.Response{}, c.failure(ctx, err)
	}
	out := answer(r, stdout)
	if sink != nil && out.Content != "" {
		sink(llm.Delta{Text: out.Content})
	}
	return out, nil
}

// Embed implements [llm.Client].
func (client) Embed(context.Context, llm.EmbedRequest) (llm.EmbedResponse, error) {
	return llm.EmbedResponse{}, &llm.Error{Kind: llm.Unsupported, Message: "shell: a command has no embeddings"}
}

// check refuses what cannot be said on a standard input.
func check(r llm.Request) error {
	var missing []string
	if len(r.Tools) > 0 && r.ToolChoice != "none" {
		missing = append(missing, "tools")
	}
	if r.Extra.Len() > 0 {
		missing = append(missing, "extra")
	}
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.URL != "" || p.Data != nil {
				missing = append(missing, "images")
			}
		}
	}
	if missing == nil {
		return nil
	}
	return &llm.Error{Kind: llm.Unsupported, Message: "shell: a command takes text only, no " + strings.Join(missing, ", no ")}
}

func (c client) failure(ctx context.Context, err error) error {
	var known *llm.Error
	switch message := "shell: " + c.argv[0] + ": " + err.Error(); {
	case errors.As(err, &known):
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &llm.Error{Kind: llm.Timeout, Message: message, Err: err}
	case ctx.Err() != nil:
		return &llm.Error{Kind: llm.Canceled, Message: message, Err: err}
	default:
		return &llm.Error{Kind: llm.Failed, Message: message, Err: err}
	}
}

// answer takes stdout apart where it is an object with the member content;
// where JSON was asked for, content must be JSON itself, or the object may well
// be the answer.
func answer(r llm.Request, stdout []byte) llm.Response {
	out := llm.Response{
		Content:      strings.TrimRight(string(stdout), "\r\n"),
		FinishReason: "stop",
		Model:        r.Model,
		Raw:          stdout,
	}
	if v, err := value.Parse(stdout); err == nil {
		content, ok := v.At("content").AsString()
		if ok && (!wantsJSON(r) || isJSON(content)) {
			out.Content = content
			if model := v.At("model").Text(); model != "" {
				out.Model = model
			}
			if reason := v.At("finish_reason").Text(); reason != "" {
				out.FinishReason = reason
			}
		}
	}
	for _, stop := range r.Stop {
		if stop != "" {
			out.Content, _, _ = strings.Cut(out.Content, stop)
		}
	}
	return out
}

func wantsJSON(r llm.Request) bool {
	return r.Format.Type == "json_object" || r.Format.Type == "json_schema"
}

func isJSON(text string) bool {
	_, err := value.Parse([]byte(text))
	return err == nil
}
