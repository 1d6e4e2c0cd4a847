package cacheactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

type invalidateInput struct {
	Key            *string                `json:"key" min:"1" doc:"The key: your own words as given to cache.wrap, or a _cache_key that it returned." example:"search:prices"`
	Pattern        *string                `json:"pattern" min:"1" doc:"A pattern in which * stands for any characters, for your own words, {action}:{rest} or the full key." example:"search:*"`
	MetadataFilter map[string]value.Value `json:"metadata_filter,omitempty" doc:"What the metadata must be, by key. Alone it selects from all namespaces." example:"{\"_cache_action\":\"http.get\"}"`
	where
}

type invalidateOutput struct {
	DeletedCount int64    `json:"deleted_count" doc:"How many entries were deleted."`
	DeletedKeys  []string `json:"deleted_keys" doc:"Their full keys, up to 1,000."`
	Truncated    bool     `json:"truncated" doc:"Whether there were more than deleted_keys tells."`
}

func invalidate() actions.Action {
	return actions.Define(actions.Spec{
		Name: "cache.invalidate", Version: 1, Effect: actions.Write,
		Summary: "Deletes stored results by key, pattern or metadata.",
		Doc: "What is given must all hold; at least one of `key`, `pattern` and `metadata_filter` must be. " +
			"Keys and patterns look in the agent's own namespace; `namespace: \"*\"` is all of them.",
		Examples: []actions.Example{
			{
				Title:  "Forget what an action returned",
				YAML:   "- name: forget\n  uses: cache.invalidate\n  with: {metadata_filter: {_cache_action: http.get}}",
				Output: `{"deleted_count":0,"deleted_keys":[],"success":true,"truncated":false}`,
			},
			{
				Title:  "Forget some keys",
				YAML:   "- name: forget\n  uses: cache.invalidate\n  with: {pattern: 'search:*'}",
				Output: `{"deleted_count":0,"deleted_keys":[],"success":true,"truncated":false}`,
			},
		},
	}, runInvalidate)
}

func runInvalidate(ctx context.Context, env actions.Env, in invalidateInput) (invalidateOutput, error) {
	c, err := of(env)
	if err != nil {
		return invalidateOutput{}, err
	}
	if err := in.check(); err != nil {
		return invalidateOutput{}, err
	}
	s := cache.Selector{
		Agent: env.Namespace, Namespace: in.Namespace, Shared: !in.KeyPrefix, Metadata: value.Map(in.MetadataFilter),
	}
	if in.Key != nil {
		s.Key = *in.Key
	}
	if in.Pattern != nil {
		s.Pattern = *in.Pattern
	}
	done, err := c.Invalidate(ctx, s)
	return invalidateOutput{DeletedCount: done.Count, DeletedKeys: done.Keys, Truncated: done.Truncated}, coded(err)
}
