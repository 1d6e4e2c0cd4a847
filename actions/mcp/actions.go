package mcpactions

import (
	"context"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group mcp.
func Actions() []actions.Action { return group(processes) }

// processes returns what starts programs for an environment, or nil where
// nobody may.
func processes(env actions.Env) runner { return env.Exec }

// group returns the actions, which start servers on this machine with what run
// gives for their environment.
func group(run func(actions.Env) runner) []actions.Action {
	return []actions.Action{list(run), call(run)}
}

// server says how a server is reached: at a URL, or by a command.
type server struct {
	URL       string            `json:"url,omitempty" doc:"Address of a server that is reached by HTTP." example:"https://example.org/mcp"`
	Headers   map[string]string `json:"headers,omitempty" doc:"Headers of every request to the URL; sent to no other host."`
	Transport string            `json:"transport,omitempty" doc:"How to speak with it: http (streamable HTTP, the default with a url), sse (the older way), stdio (the default with a command)." enum:"http,sse,stdio"`
	Command   string            `json:"command,omitempty" doc:"Program that is a server on its standard input and output. It has to be granted."`
	Args      []string          `json:"args,omitempty" doc:"Arguments of the command."`
	Env       map[string]string `json:"env,omitempty" doc:"Environment variables that the command gets besides its own."`
}

type toolsInput struct {
	Server  server        `json:"server" doc:"The server."`
	Timeout time.Duration `json:"timeout" doc:"Bound of the whole session." default:"30s" min:"1ms"`
}

type tool struct {
	Name        string      `json:"name" doc:"Name, as mcp.call takes it."`
	Description string      `json:"description" doc:"What it does; empty where the server does not say."`
	InputSchema value.Value `json:"input_schema" doc:"JSON Schema of its arguments."`
}

type toolsOutput struct {
	Tools []tool `json:"tools" doc:"The tools, in the server's order."`
}

type callInput struct {
	Server      server                 `json:"server" doc:"The server."`
	Tool        string                 `json:"tool" doc:"Name of the tool." min:"1"`
	Arguments   map[string]value.Value `json:"arguments,omitempty" doc:"Arguments of the tool."`
	OnToolError string                 `json:"on_tool_error" doc:"What an error that the tool tells of is: a failure of the node (fail), or a result with is_error (return)." enum:"fail,return" default:"fail"`
	Timeout     time.Duration          `json:"timeout" doc:"Bound of the whole session." default:"60s" min:"1ms"`
}

type part struct {
	Type     string `json:"type" doc:"text, image, audio, resource or resource_link."`
	Text     string `json:"text,omitempty" doc:"Of a text, or of a resource that is one."`
	Data     string `json:"data,omitempty" doc:"Of an image, audio or another resource, in base64."`
	MIMEType string `json:"mime_type,omitempty" doc:"Media type of the data."`
	URI      string `json:"uri,omitempty" doc:"Of a resource."`
	Name     string `json:"name,omitempty" doc:"Of a resource that is linked to."`
}

type callOutput struct {
	Content    string       `json:"content" doc:"The texts among the parts, a line break between two."`
	Parts      []part       `json:"parts" doc:"All that the tool returned."`
	Structured *value.Value `json:"structured,omitempty" doc:"The result as data, where the tool gives it. Integers keep every digit."`
	IsError    bool         `json:"is_error" doc:"Whether the tool tells of an error."`
}

const failures = "A server that cannot be reached fails as `unavailable`, one that wants other credentials as `credential_missing` or " +
	"`denied`. A server given by `command` runs as a program on this machine, which the user has to grant: otherwise it is `denied`."

func list(run func(actions.Env) runner) actions.Action {
	return actions.Define(actions.Spec{
		Name: "mcp.tools", Version: 1, Effect: actions.Read, Outward: true,
		Summary: "Lists the tools of an MCP server.", Doc: failures,
		Examples: []actions.Example{{
			Title: "What a server offers",
			YAML: `- name: offer
  uses: mcp.tools
  with:
    server: {url: "https://example.org/mcp", headers: {Authorization: "Bearer {{ secrets.MCP_TOKEN }}"}}
  output: offer`,
		}},
	}, func(ctx context.Context, env actions.Env, in toolsInput) (toolsOutput, error) {
		out := toolsOutput{Tools: []tool{}}
		err := within(ctx, env, run(env), in.Server, in.Timeout, func(ctx context.Context, s *session) (err error) {
			out.Tools, err = s.tools(ctx)
			return err
		})
		return out, err
	})
}

func call(run func(actions.Env) runner) actions.Action {
	return actions.Define(actions.Spec{
		Name: "mcp.call", Version: 1, Effect: actions.Read, Outward: true,
		Summary: "Calls a tool of an MCP server.",
		Doc: failures + " A tool that the server does not have is `not_found`; what a tool itself calls an error is `failed`, " +
			"unless `on_tool_error: return`.",
		Examples: []actions.Example{{
			Title: "Call a tool",
			YAML: `- name: forecast
  uses: mcp.call
  with:
    server: {url: "https://example.org/mcp"}
    tool: get_forecast
    arguments: {city: "{{ state.city }}"}
  output: forecast`,
		}},
	}, func(ctx context.Context, env actions.Env, in callInput) (callOutput, error) {
		var out callOutput
		err := within(ctx, env, run(env), in.Server, in.Timeout, func(ctx context.Context, s *session) (err error) {
			out, err = s.call(ctx, in)
			return err
		})
		return out, err
	})
}
