package cacheactions

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

type invalidateInput struct {
	Key            schema.Rendered `json:"key,omitempty" mode:"late" doc:"The key: your own words as given to cache.wrap, or a _cache_key that it returned." example:"\"search:prices\""`
	Pattern        schema.Rendered `json:"pattern,omitempty" mode:"late" doc:"A pattern in which * stands for any characters, for your own words, {action}:{rest} or the full key." example:"\"search:*\""`
	MetadataFilter schema.Rendered `json:"metadata_filter,omitempty" mode:"late" doc:"An object: what the metadata must be, by key. Alone it selects from all namespaces." example:"{\"_cache_action\":\"http.get\"}"`
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
			"One that turns out null or empty is an error, and nothing is deleted. " +
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
	s, err := in.selector(env.Namespace)
	if err != nil {
		return invalidateOutput{}, err
	}
	done, err := c.Invalidate(ctx, s)
	return invalidateOutput{DeletedCount: done.Count, DeletedKeys: done.Keys, Truncated: done.Truncated}, err
}

// selector reads what is to be deleted. What is given but has no value would
// select more than is meant, so it is an error.
func (in invalidateInput) selector(agent string) (cache.Selector, error) {
	key, errKey := words("key", in.Key)
	pattern, errPattern := words("pattern", in.Pattern)
	_, errFilter := have("metadata_filter", in.MetadataFilter)
	filter := in.MetadataFilter.Value
	if errFilter == nil && in.MetadataFilter.Set && filter.Kind() != value.KindObject {
		errFilter = actions.Errorf(actions.CodeInvalidInput, "metadata_filter: expected an object, got %s", filter.Kind())
	}
	return cache.Selector{
		Agent: agent, Namespace: in.Namespace, Shared: !in.KeyPrefix,
		Key: key, Pattern: pattern, Metadata: filter,
	}, errors.Join(errKey, errPattern, errFilter)
}

// words returns the text of a selector, "" if it is not given.
func words(name string, o schema.Rendered) (string, error) {
	given, err := have(name, o)
	if err != nil || !given {
		return "", err
	}
	switch o.Value.Kind() {
	case value.KindString:
		return o.Value.Text(), nil
	case value.KindList, value.KindObject, value.KindSecret:
		return "", actions.Errorf(actions.CodeInvalidInput, "%s: expected a string, got %s", name, o.Value.Kind())
	default:
		return o.Value.String(), nil
	}
}

// have tells whether a selector is given.
func have(name string, o schema.Rendered) (bool, error) {
	given, err := o.Given()
	if err == nil {
		return given, nil
	}
	code := actions.CodeOf(err)
	if code == actions.CodeFailed {
		code = actions.CodeInvalidInput
	}
	return false, actions.Errorf(code, "%s: %w, so nothing was deleted", name, err)
}
