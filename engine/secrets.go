package engine

import (
	"slices"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/internal/diag"
)

// secretsOf returns what finds the secrets of an agent: those that it lists
// and no others, whoever asks.
func (e *Engine) secretsOf(g *graph.Graph) func(name string) (string, error) {
	return func(name string) (string, error) {
		if !slices.Contains(g.Secrets, name) {
			return "", actions.Errorf(actions.CodeDenied,
				"this agent may not read the secret %s, as it does not list it under `secrets:`; %s", name, diag.DidYouMean(name, g.Secrets))
		}
		text, err := e.options.Secrets(name)
		if err == nil && len(text) < chain.MinSecret {
			return "", actions.Errorf(actions.CodeInvalidInput,
				"the secret %s has less than %d bytes: too few to keep it out of what the run tells; what is no secret belongs under `settings.env`",
				name, chain.MinSecret)
		}
		return text, err
	}
}

// scrubberOf returns a scrubber that knows from the start what the environment
// holds under the names of the agent's secrets: a text may get into a run by
// another way before the secret is first asked for.
func (e *Engine) scrubberOf(g *graph.Graph) *chain.Scrubber {
	s := &chain.Scrubber{}
	for _, name := range g.Secrets {
		if text, ok := e.options.Getenv(name); ok {
			s.Add(text)
		}
	}
	return s
}
