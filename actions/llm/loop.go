package llmactions

import (
	"context"
	"fmt"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// limitReason is the finish_reason of a conversation that a bound ended.
const limitReason = "tool_rounds"

// loop is one conversation with tools.
type loop struct {
	env      actions.Env
	in       toolsInput
	tools    *toolset
	input    value.Value // of every question, but for the messages
	messages []value.Value
	runs     []toolRun
	rounds   int
	sum      bill
}

// run asks and calls tools, in turns, until there is an answer.
func (l *loop) run(ctx context.Context) (toolsOutput, error) {
	for {
		a, err := l.ask(ctx)
		if err != nil {
			return toolsOutput{}, err
		}
		if len(a.ToolCalls) == 0 {
			return l.result(a, "")
		}
		limit, err := l.round(ctx, a.ToolCalls)
		if err != nil {
			return toolsOutput{}, err
		}
		if limit != "" {
			return l.result(a, limit)
		}
	}
}

func (l *loop) ask(ctx context.Context) (answer, error) {
	input := l.input.With("messages", value.List(l.messages...))
	if !l.in.ToolChoice.IsNull() && l.rounds == 0 {
		input = input.With("tool_choice", l.in.ToolChoice)
	}
	a, err := invokeModel(ctx, l.env, input, l.in.Stream)
	if err != nil {
		return answer{}, err
	}
	l.sum.add(a)
	l.messages = append(l.messages[:len(l.messages):len(l.messages)], a.turn())
	return a, nil
}

// round calls the tools that an answer asks for, or says which bound forbids
// it. Every call gets a reply, whatever happens: a conversation with open calls
// could not be carried on.
func (l *loop) round(ctx context.Context, calls []toolCall) (limit string, err error) {
	limit, bound := l.limit()
	if limit == "" {
		l.rounds++
	}
	for _, c := range calls {
		if limit == "" && l.in.MaxCalls > 0 && len(l.runs) >= l.in.MaxCalls {
			limit, bound = "max_calls", int64(l.in.MaxCalls)
		}
		run, reply := toolRun{Name: c.Name, Arguments: c.Arguments}, ""
		if limit != "" {
			if l.in.OnLimit == "fail" {
				return "", exceeded(limit, bound)
			}
			run.Error = fmt.Sprintf("not called: %s (%d) is reached", limit, bound)
			reply = errorText(run.Error, actions.CodeTooLarge)
		} else if reply, err = l.call(ctx, &run); err != nil {
			return "", err
		}
		l.runs = append(l.runs, run)
		l.messages = append(l.messages, message("tool", value.String(reply)).
			With("tool_call_id", value.String(c.ID)).With("name", value.String(c.Name)))
	}
	return limit, nil
}

// limit returns the bound that forbids another round, with its amount, or "".
func (l *loop) limit() (name string, bound int64) {
	switch {
	case l.rounds >= l.in.MaxToolRounds:
		return "max_tool_rounds", int64(l.in.MaxToolRounds)
	case l.in.MaxTokensTotal > 0 && l.sum.usage.TotalTokens >= l.in.MaxTokensTotal:
		return "max_tokens_total", l.in.MaxTokensTotal
	}
	return "", 0
}

func exceeded(limit string, bound int64) error {
	return actions.Errorf(actions.CodeTooLarge,
		"the model asks for more tools, but %s (%d) is reached; raise it, or say on_limit: return to get what there is", limit, bound)
}

// call carries out one tool call and returns what the model is told. The error
// is one that ends the conversation.
func (l *loop) call(ctx context.Context, run *toolRun) (reply string, err error) {
	t, ok := l.tools.byName[run.Name]
	if !ok {
		run.Error = l.tools.unknown(run.Name)
		return errorText(run.Error, actions.CodeNotFound), nil
	}
	run.Action = t.action
	input, err := t.input(run.Arguments)
	if err != nil {
		run.Error = err.Error()
		return errorText(run.Error, actions.CodeInvalidInput), nil
	}
	result, err := t.call(ctx, l.env, input)
	switch {
	case err == nil:
		run.Result = &result
		return resultText(result), nil
	case ctx.Err() != nil, actions.CodeOf(err).Fatal():
		return "", err
	case l.in.OnToolError == "fail":
		return "", &actions.Error{
			Code: actions.CodeOf(err), Message: fmt.Sprintf("tool %s: %v", run.Name, err),
			RetryAfter: actions.RetryAfter(err), Err: err,
		}
	}
	run.Error = err.Error()
	return errorText(run.Error, actions.CodeOf(err)), nil
}

// errorText is what the model is told of a failure.
func errorText(said string, code actions.Code) string {
	return value.Object(value.M("error", value.String(said)), value.M("error_type", value.String(string(code)))).String()
}

// resultText is what the model is told of a result: a text as it is, anything
// else as JSON.
func resultText(v value.Value) string {
	if s, ok := v.AsString(); ok {
		return s
	}
	return v.String()
}

func (l *loop) result(a answer, limit string) (toolsOutput, error) {
	messages, err := shown(l.messages)
	out := toolsOutput{
		Content: a.Content, Parsed: a.Parsed, Messages: messages, Rounds: l.rounds, ToolCalls: l.runs,
		Usage: l.sum.usage, Model: a.Model, Provider: a.Provider, FinishReason: a.FinishReason,
		Limit: limit, CostUSD: l.sum.cost(),
	}
	if limit != "" {
		out.FinishReason = limitReason
	}
	return out, err
}
