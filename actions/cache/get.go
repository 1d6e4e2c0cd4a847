package cacheactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

type getInput struct {
	Key             string `json:"key" min:"1" doc:"The key: your own words as given to cache.wrap, or a _cache_key that it returned." example:"search:{{ state.query | lower | sha256 }}"`
	IncludeMetadata bool   `json:"include_metadata" default:"false" doc:"True returns the entry's metadata too."`
	where
}

type getOutput struct {
	Found    bool         `json:"found" doc:"Whether there is an entry, be it an expired one."`
	Value    value.Value  `json:"value" doc:"The stored result; null when not found."`
	Expired  bool         `json:"expired" doc:"Whether the entry's time is over."`
	Metadata *value.Value `json:"metadata" doc:"What was stored beside the result, if asked for; empty when not found."`
}

func get() actions.Action {
	return actions.Define(actions.Spec{
		Name: "cache.get", Version: 1, Effect: actions.Read,
		Summary: "Returns a stored result without running anything.",
		Doc:     "An entry whose time is over is still found, with `expired: true`, until a cleanup removes it.",
		Examples: []actions.Example{{
			Title:  "See what is stored",
			YAML:   "- name: look\n  uses: cache.get\n  with: {key: 'search:prices'}",
			Output: `{"expired":false,"found":false,"success":true,"value":null}`,
		}},
	}, runGet)
}

func runGet(ctx context.Context, env actions.Env, in getInput) (getOutput, error) {
	c, err := of(env)
	if err != nil {
		return getOutput{}, err
	}
	if err := in.check(); err != nil {
		return getOutput{}, err
	}
	namespace := env.Namespace
	switch {
	case in.Namespace == cache.AllNamespaces:
		return getOutput{}, actions.Errorf(actions.CodeInvalidInput, `namespace: "*" is no namespace to get an entry from`)
	case in.Namespace != "":
		namespace = in.Namespace
	case !in.KeyPrefix:
		namespace = cache.Shared
	}
	found, err := c.Get(ctx, namespace, in.Key)
	if err != nil {
		return getOutput{}, err
	}
	out := getOutput{Found: found.Found, Value: found.Value, Expired: found.Expired}
	if in.IncludeMetadata {
		metadata := value.Object()
		if found.Entry != nil {
			metadata = found.Entry.Metadata
		}
		out.Metadata = &metadata
	}
	return out, nil
}
