package mcpactions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
)

// explain makes an error of the library one with a code.
func (s *session) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	refusal := answered(err)
	if s.door != nil {
		if last := s.door.failure(); last != nil && (refusal == nil || !vague(actions.CodeOf(last))) {
			return last
		}
	}
	if refusal != nil {
		return s.errorf(codeOf(refusal), "%s", refusal.Message)
	}
	if broken := s.tap.broke(); broken != nil {
		return s.errorf(actions.CodeFailed, "it does not speak MCP as expected: %v", broken)
	}
	if s.local != nil {
		if ended, how := s.local.ended(); ended {
			return s.died(how)
		}
	}
	if errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.EOF) {
		return s.errorf(actions.CodeUnavailable, "it closed the connection")
	}
	return s.errorf(actions.CodeFailed, "it does not speak MCP as expected: %v", err)
}

// vague tells whether a status says less than the answer that came with it.
func vague(c actions.Code) bool {
	return c == actions.CodeInvalidInput || c == actions.CodeNotFound || c == actions.CodeFailed
}

// died says how a program ended that should have answered.
func (s *session) died(how error) error {
	code, message := actions.CodeUnavailable, "the program ended"
	if how != nil {
		message += ": " + how.Error()
	}
	var coded *actions.Error
	if errors.As(how, &coded) {
		code = coded.Code
	}
	if said := strings.TrimSpace(s.local.stderr.String()); said != "" {
		message += "\n" + strings.ToValidUTF8(said, "\ufffd")
	}
	return s.errorf(code, "%s", message)
}

func (s *session) errorf(code actions.Code, format string, args ...any) error {
	return &actions.Error{Code: code, Message: rest.Hide(s.name+": "+fmt.Sprintf(format, args...), s.hidden)}
}

// answered returns the error with which the server answered, or nil where it
// did not: the library has codes of its own for that.
func answered(err error) *jsonrpc.Error {
	const closingClient, closingServer, rejected = -32003, -32004, -32005
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code == closingClient || e.Code == closingServer || e.Code == rejected {
		return nil
	}
	return e
}

func codeOf(e *jsonrpc.Error) actions.Code {
	switch e.Code {
	case jsonrpc.CodeInvalidParams:
		return actions.CodeInvalidInput
	case jsonrpc.CodeMethodNotFound:
		return actions.CodeUnsupported
	}
	return actions.CodeFailed
}
