package llmactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

const callDoc = "The provider follows from the model's name, from `provider`, or from `api_base` for a server that speaks OpenAI's protocol. " +
	"What stands under `settings.llm` holds for every call that does not say otherwise.\n\n" +
	"With `response_format` the answer is read as JSON, checked against the schema, and stands in `parsed`; " +
	"an answer that does not conform fails the node (`failed`). " +
	"429 and other refusals for a while are `unavailable`, and their `Retry-After` is kept for `retry`."

func call(open Open) actions.Action {
	return actions.Define(actions.Spec{
		Name: callName, Version: 1, Effect: actions.Read, Outward: true, Model: true,
		Summary: "Asks a language model.", Doc: callDoc,
		Examples: []actions.Example{
			{
				Title: "Ask a question",
				YAML: `- name: ask
  uses: llm.call
  with:
    model: gpt-4o-mini
    system: You are brief.
    prompt: "What is {{ state.query }}?"
  output: answer`,
			},
			{
				Title: "Get data of a given form",
				YAML: `- name: classify
  uses: llm.call
  with:
    model: gpt-4o-mini
    temperature: 0
    messages:
      - {role: user, content: "What kind of drink is {{ state.query }}?"}
    response_format:
      type: json_schema
      schema:
        type: object
        properties: {kind: {type: string}}
        required: [kind]
  output: answer`,
			},
		},
	}, func(ctx context.Context, env actions.Env, in callInput) (answer, error) {
		return ask(ctx, env, open, callName, in, nil)
	})
}

func stream(open Open) actions.Action {
	return actions.Define(actions.Spec{
		Name: streamName, Version: 1, Effect: actions.Read, Outward: true, Model: true,
		Summary: "Asks a language model and shows the answer as it comes.",
		Doc: "The same as llm.call, with the pieces of the answer as chunks: `{text}`, or `{tool_call: {index, id, name, arguments}}` " +
			"with a piece of the arguments' JSON. The result is that of llm.call. A stream that breaks off is a failure.",
		Examples: []actions.Example{{
			Title: "Write while the reader reads",
			YAML: `- name: write
  uses: llm.stream
  with:
    model: gpt-4o-mini
    prompt: "Write a poem on {{ state.query }}."
  output: poem`,
		}},
	}, func(ctx context.Context, env actions.Env, in callInput) (answer, error) {
		return ask(ctx, env, open, streamName, in, func(d llm.Delta) {
			env.Sink(actions.Chunk{Data: chunk(d), At: env.Clock.Now()})
		})
	})
}

// chunk is a piece of an answer as data.
func chunk(d llm.Delta) value.Value {
	if d.ToolCall == nil {
		return value.Object(value.M("text", value.String(d.Text)))
	}
	piece := value.Object(
		value.M("index", value.Int(int64(d.ToolCall.Index))), value.M("arguments", value.String(d.ToolCall.Arguments)))
	if d.ToolCall.ID != "" {
		piece = piece.With("id", value.String(d.ToolCall.ID))
	}
	if d.ToolCall.Name != "" {
		piece = piece.With("name", value.String(d.ToolCall.Name))
	}
	out := value.Object(value.M("tool_call", piece))
	if d.Text != "" {
		out = out.With("text", value.String(d.Text))
	}
	return out
}

// ask makes one call of a model. With a nil sink it does not stream.
func ask(ctx context.Context, env actions.Env, open Open, action string, in callInput, sink func(llm.Delta)) (answer, error) {
	q, err := newQuestion(action, in)
	if err != nil {
		return answer{}, err
	}
	client, err := connect(open, env, action, q.endpoint)
	if err != nil {
		return answer{}, err
	}
	var resp llm.Response
	err = within(ctx, q.endpoint, func(ctx context.Context) (err error) {
		resp, err = client.Generate(ctx, q.request, sink)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	env.Keep(resp.Raw)
	return q.answer(resp)
}
