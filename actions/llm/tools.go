package llmactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

type toolsInput struct {
	conversation[value.Value]
	passed
	Tools          []value.Value `json:"tools" min:"1" doc:"What the model may call: names of actions (http.get; http.* are those of the group that only read), {action, name, description, with: {fixed parameters}}, or {mcp: {url or command, …}, allow: [names]}." example:"[\"http.get\"]"`
	ToolChoice     value.Value   `json:"tool_choice,omitempty" example:"\"auto\"" doc:"auto, none, required, or the name of the tool to ask for; it counts for the first question only."`
	MaxToolRounds  int           `json:"max_tool_rounds" default:"8" min:"1" doc:"How often tools may be called and the results given back."`
	MaxCalls       int           `json:"max_calls,omitempty" min:"1" doc:"How many tool calls there may be in all. By default any number."`
	MaxTokensTotal int64         `json:"max_tokens_total,omitempty" min:"1" doc:"With how many tokens, of all answers together, no further question is asked. By default there is no such bound."`
	OnToolError    string        `json:"on_tool_error" default:"tell" enum:"tell,fail" doc:"What a tool's failure does: the model is told, or the action fails."`
	OnLimit        string        `json:"on_limit" default:"fail" enum:"fail,return" doc:"What a reached bound does: fail the action (too_large), or end it with what there is."`
	Stream         bool          `json:"stream" default:"false" doc:"True shows the answers as they come."`
}

type toolsOutput struct {
	Content      string        `json:"content" doc:"The text of the last answer."`
	Parsed       *value.Value  `json:"parsed,omitempty" doc:"It as data, where response_format asks for JSON."`
	Messages     []value.Value `json:"messages" doc:"The whole conversation, tool calls and their results among it."`
	Rounds       int           `json:"rounds" doc:"How often tools were called and the results given back."`
	ToolCalls    []toolRun     `json:"tool_calls" doc:"All calls of tools, in their order."`
	Usage        usage         `json:"usage" doc:"Tokens of all answers together."`
	Model        string        `json:"model" doc:"The model that answered."`
	Provider     string        `json:"provider" doc:"Who ran it."`
	FinishReason string        `json:"finish_reason" doc:"Why the last answer ends, as in llm.call; tool_rounds where a bound ended it."`
	Limit        string        `json:"limit,omitempty" doc:"The bound that was reached, with on_limit: return." enum:"max_tool_rounds,max_calls,max_tokens_total"`
	CostUSD      *float64      `json:"cost_usd,omitempty" doc:"What all answers cost together; absent when a price is not known."`
}

// toolRun is what became of one tool call.
type toolRun struct {
	Name      string       `json:"name" doc:"Name of the tool, as the model knows it."`
	Action    string       `json:"action,omitempty" doc:"The action behind it; absent for a tool that does not exist."`
	Arguments value.Value  `json:"arguments" doc:"What the model gave."`
	Result    *value.Value `json:"result,omitempty" doc:"What the tool returned."`
	Error     string       `json:"error,omitempty" doc:"Why it failed."`
}

const toolsDoc = "The model may call actions: those that are listed, and no others. A pattern such as `http.*` stands for the actions that only read or compute; " +
	"one that writes, asks a model or composes others has to be named, and can do whatever its parameters say unless `with` fixes them. A tool's name for the model is the action's with underscores for dots, " +
	"its parameters are the action's without those that `with` fixes: these the model never sees.\n\n" +
	"Tools of an MCP server are listed by `{mcp: {url: …}, allow: [names or patterns]}`; what stands under `mcp` is the `server` of mcp.tools.\n\n" +
	"The calls of one answer run one after the other. A call of an unknown tool, or with wrong arguments, is told to the model; " +
	"so is a tool's failure, unless `on_tool_error: fail`. Every question is a call of llm.call (or llm.stream), every tool call one of its action: " +
	"caches and recordings know them one by one."

func tools() actions.Action {
	return actions.Define(actions.Spec{
		Name: "llm.tools", Version: 1, Effect: actions.Compose, Model: true,
		Summary: "Lets a language model call actions until it has an answer.", Doc: toolsDoc,
		Examples: []actions.Example{
			{
				Title: "Let the model fetch pages",
				YAML: `- name: research
  uses: llm.tools
  with:
    model: gpt-4o-mini
    prompt: "What do you find on {{ state.query }} at https://example.org?"
    tools: [http.get]
    max_tool_rounds: 4
  output: answer`,
			},
			{
				Title: "Fix what the model need not know",
				YAML: `- name: research
  uses: llm.tools
  with:
    model: gpt-4o-mini
    prompt: "Which items are about {{ state.query }}?"
    tools:
      - action: http.get
        name: list_items
        description: Lists all items.
        with: {url: "https://api.example.org/items", headers: {Authorization: "Bearer {{ secrets.API_KEY }}"}}
      - json.*
  output: answer`,
			},
		},
	}, runTools)
}

func runTools(ctx context.Context, env actions.Env, in toolsInput) (toolsOutput, error) {
	input, err := parameters(in.passed)
	if err != nil {
		return toolsOutput{}, err
	}
	messages, err := in.turns("llm.tools")
	if err != nil {
		return toolsOutput{}, err
	}
	set, err := newToolset(ctx, env, in.Tools)
	if err != nil {
		return toolsOutput{}, err
	}
	l := &loop{
		env: env, in: in, tools: set, messages: messages,
		input: input.With("tools", set.declared()),
	}
	return l.run(ctx)
}
