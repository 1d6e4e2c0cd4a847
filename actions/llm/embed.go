package llmactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

type embedInput struct {
	Input value.Value `json:"input" doc:"A text, or a list of texts." example:"[\"green tea\", \"black tea\"]"`
	endpoint[string]
	Dimensions int                    `json:"dimensions,omitempty" min:"1" doc:"Length of the vectors, where the model lets one choose."`
	Extra      map[string]value.Value `json:"extra,omitempty" doc:"Further parameters by the provider's own names, put into the request as they are."`
	caching
}

type embedOutput struct {
	Embeddings [][]float64 `json:"embeddings" doc:"A vector for each text, in their order."`
	Model      string      `json:"model" doc:"The model that answered."`
	Provider   string      `json:"provider" doc:"Who ran it."`
	Usage      usage       `json:"usage" doc:"Counted tokens; 0 where the provider does not tell."`
	CostUSD    *float64    `json:"cost_usd,omitempty" doc:"What the call cost; absent when the price is not known."`
}

func embed(open Open) actions.Action {
	return actions.Define(actions.Spec{
		Name: embedName, Version: 1, Effect: actions.Read, Outward: true, Model: true,
		Summary: "Turns texts into vectors, so that likeness can be counted.",
		Examples: []actions.Example{{
			Title: "Embed a question",
			YAML: `- name: embed
  uses: llm.embed
  with: {model: text-embedding-3-small, input: "{{ state.query }}"}
  output: vectors`,
		}},
	}, func(ctx context.Context, env actions.Env, in embedInput) (embedOutput, error) {
		return runEmbed(ctx, env, open, in)
	})
}

func runEmbed(ctx context.Context, env actions.Env, open Open, in embedInput) (embedOutput, error) {
	effective, err := complete(embedName, in)
	if err != nil {
		return embedOutput{}, err
	}
	list, err := texts("input", effective.At("input"))
	if err != nil {
		return embedOutput{}, err
	}
	if len(list) == 0 {
		return embedOutput{}, wrong("input: there is no text to embed")
	}
	e := found(in.endpoint, effective)
	client, err := connect(open, env, embedName, e)
	if err != nil {
		return embedOutput{}, err
	}
	var resp llm.EmbedResponse
	err = within(ctx, e, func(ctx context.Context) (err error) {
		resp, err = client.Embed(ctx, llm.EmbedRequest{
			Model: e.Model, Texts: list, Dimensions: in.Dimensions, Extra: extraOf(e, in.Extra),
		})
		return err
	})
	if err != nil {
		return embedOutput{}, err
	}
	env.Keep(resp.Raw)
	out := embedOutput{
		Embeddings: resp.Vectors, Model: resp.Model, Provider: e.Provider,
		Usage: usageOf(resp.Usage), CostUSD: cost(e.Prices, e.Model, resp.Usage),
	}
	if out.Model == "" {
		out.Model = e.Model
	}
	return out, nil
}
