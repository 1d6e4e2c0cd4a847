package llmactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// invokeModel has a model answer, through the whole chain: cache, recorder and
// events see the call like any other.
func invokeModel(ctx context.Context, env actions.Env, input value.Value, streamed bool) (answer, error) {
	name := callName
	if streamed {
		name = streamName
	}
	result, err := env.Invoke(ctx, name, input, actions.Policy{})
	if err != nil {
		return answer{}, err
	}
	return readAnswer(result.Output), nil
}

// parameters returns structs of parameters as one object.
func parameters(structs ...any) (value.Value, error) {
	out := value.Object()
	for _, s := range structs {
		v, err := schema.Encode(s)
		if err != nil {
			return value.Null(), err
		}
		out = out.Merge(v)
	}
	return out, nil
}

// turns returns the conversation as a list of messages, by the same rules by
// which a call of a model reads it. Who is asked is that call's affair.
func (c conversation[T]) turns(action string) ([]value.Value, error) {
	said, err := parameters(c)
	if err != nil {
		return nil, err
	}
	effective, err := llm.Effective(action, said.With("provider", value.String(llm.Shell)), value.Null(), nil)
	if err != nil {
		return nil, coded(err)
	}
	if effective.At("messages").Len() == 0 {
		return nil, wrong("messages: give messages or a prompt")
	}
	return items(effective.At("messages")), nil
}

// shown returns turns as a result may show them: without secrets.
func shown(turns []value.Value) ([]value.Value, error) {
	masked, err := value.Resolve(value.List(turns...), func(string) (string, error) { return value.Mask, nil })
	if err != nil {
		return nil, err
	}
	return items(masked), nil
}

func items(list value.Value) []value.Value {
	out := make([]value.Value, 0, list.Len())
	for _, v := range list.Items() {
		out = append(out, v)
	}
	return out
}
