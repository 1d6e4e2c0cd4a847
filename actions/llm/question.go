package llmactions

import (
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// question is one call of a model, ready to be made.
type question struct {
	endpoint endpoint[string]
	request  llm.Request
	form     form
	lenient  bool // an answer of another form is no failure
}

// newQuestion reads the parameters. The error names all that is wrong.
func newQuestion(action string, in callInput) (question, error) {
	effective, err := complete(action, in)
	if err != nil {
		return question{}, err
	}
	q := question{endpoint: found(in.endpoint, effective), lenient: in.OnInvalid == "return"}
	q.request = llm.Request{
		Model: q.endpoint.Model, MaxTokens: in.MaxTokens,
		Temperature: in.Temperature, TopP: in.TopP, Seed: in.Seed, Extra: extraOf(q.endpoint, in.Extra),
	}
	var errs [6]error
	if effective.At("messages").Len() == 0 {
		errs[0] = errors.New("messages: give messages or a prompt")
	} else {
		q.request.Messages, errs[0] = llm.ParseMessages(effective.At("messages"))
	}
	q.request.Tools, errs[1] = llm.ParseTools(in.Tools)
	if errs[1] == nil {
		q.request.ToolChoice, errs[5] = llm.ParseToolChoice(in.ToolChoice, q.request.Tools)
	}
	q.request.Stop, errs[2] = texts("stop", in.Stop)
	q.request.Format, errs[3] = llm.ParseFormat(in.ResponseFormat)
	if errs[3] == nil {
		q.form, errs[4] = newForm(q.request.Format)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return question{}, &actions.Error{Code: actions.CodeInvalidInput, Message: err.Error(), Err: err}
	}
	return q, nil
}

// complete returns the input in its canonical form: with the provider found
// out, and the conversation a list of messages. In the engine it is that
// already.
func complete(action string, in any) (value.Value, error) {
	input, err := schema.Encode(in)
	if err != nil {
		return value.Null(), err
	}
	effective, err := llm.Effective(action, input, value.Null(), nil)
	return effective, coded(err)
}

// found returns e with what was found out.
func found(e endpoint[string], effective value.Value) endpoint[string] {
	e.Model, e.Provider, e.APIBase = effective.At("model").Text(), effective.At("provider").Text(), effective.At("api_base").Text()
	return e
}

// texts reads a text, or a list of texts.
func texts(name string, v value.Value) ([]string, error) {
	if v.IsNull() {
		return nil, nil
	}
	if s, ok := v.AsString(); ok {
		return []string{s}, nil
	}
	out := make([]string, 0, v.Len())
	for _, item := range v.Items() {
		s, ok := item.AsString()
		if !ok {
			return nil, wrong("%s: must be a text or a list of texts, has a %s in it", name, item.Kind())
		}
		out = append(out, s)
	}
	if v.Kind() != value.KindList {
		return nil, wrong("%s: must be a text or a list of texts, is a %s", name, v.Kind())
	}
	return out, nil
}

// answer makes the result.
func (q question) answer(resp llm.Response) (answer, error) {
	out := answer{
		Success: true, Content: resp.Content, ToolCalls: toolCallsOf(resp.ToolCalls), Usage: usageOf(resp.Usage),
		Model: resp.Model, Provider: q.endpoint.Provider, FinishReason: resp.FinishReason,
		CostUSD: cost(q.endpoint.Prices, q.endpoint.Model, resp.Usage),
	}
	if out.Model == "" {
		out.Model = q.endpoint.Model
	}
	if len(resp.ToolCalls) > 0 {
		return out, nil // the answer is still to come
	}
	parsed, problem := q.form.read(resp.Content)
	if problem == "" {
		out.Parsed = parsed
		return out, nil
	}
	said := invalid(resp, problem)
	if !q.lenient {
		return answer{}, said
	}
	out.Success, out.Error, out.ErrorType = false, said.Error(), string(actions.CodeOf(said))
	return out, nil
}

// invalid says why an answer is not of the form that was asked for.
func invalid(resp llm.Response, problem string) error {
	why := ""
	switch resp.FinishReason {
	case "length":
		why = "; it was cut off at the bound of its length (finish_reason: length), so raise max_tokens"
	case "content_filter":
		why = "; the provider filtered it (finish_reason: content_filter)"
	}
	start := beginning(resp.Content)
	if start == "" {
		return actions.Errorf(actions.CodeFailed, "the answer is not what response_format asks for: it is empty%s", why)
	}
	return actions.Errorf(actions.CodeFailed, "the answer is not what response_format asks for: %s%s. It begins: %s", problem, why, start)
}
