package engine

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/chain"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/ltm/llmcache"
	"github.com/tea-agents/tea/value"
)

// models returns the actions that ask a model.
func models(r *actions.Registry) map[string]actions.Action {
	found := map[string]actions.Action{}
	for _, a := range r.All() {
		if a.Spec().Model {
			found[a.Spec().Name] = a
		}
	}
	return found
}

// modelsOf is what the chain of a run does for the calls that ask a model.
func (e *Engine) modelsOf(a *Agent, st store, s *chain.Scrubber) (chain.Models, error) {
	m := chain.Models{Actions: e.models, Settings: value.Object(), Getenv: e.options.Getenv, Answers: st.answers}
	if written := a.graph.Settings.LLM; written != nil {
		settings, _, err := written.Render(context.Background(), a.names)
		if err != nil {
			return m, configError("settings.llm: %w", err)
		}
		m.Settings = settings
		s.AddCredentials(settings)
	}
	if _, said := m.Settings.Get(paramSeed); e.options.Deterministic && !said {
		m.Settings = m.Settings.With(paramSeed, value.Int(defaultSeed))
	}
	outside, err := firstLLMMode(e.options.LLMCache)
	if err != nil {
		return m, err
	}
	other, err := firstLLMMode(e.options.LLMCache, m.Settings.At("cache").Text(), e.options.DefaultLLMCache)
	if err != nil || other == nil {
		return m, err
	}
	m.Cap, m.Mode = outside, *other
	return m, nil
}

// recording is what the chain of a run does with the cassette.
func recording(g *graph.Graph, o *RunOptions) chain.Recording {
	return chain.Recording{Session: o.Cassette, All: g.Settings.Record.All, FromCache: o.RecordFromCache}
}

// firstLLMMode reads the first of the texts that is not empty; nil for none.
func firstLLMMode(texts ...string) (*llmcache.Mode, error) {
	modes, err := parseLLMModes(texts...)
	if err != nil || len(modes) == 0 {
		return nil, err
	}
	return &modes[0], nil
}

// parseLLMModes reads those of the texts that are not empty.
func parseLLMModes(texts ...string) (modes []llmcache.Mode, err error) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		mode, bad := llmcache.ParseMode(text)
		if bad != nil {
			err = errors.Join(err, configError("%w", bad))
		}
		modes = append(modes, mode)
	}
	return modes, err
}
