package dataactions

import (
	"context"
	"slices"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

type mergeInput struct {
	Sources  []value.Value `json:"sources" doc:"Objects, or lists, to merge in this order; null is left out."`
	Strategy string        `json:"strategy" doc:"deep merges objects inside objects, too; shallow lets the later member win as a whole; replace takes the last source alone." enum:"deep,shallow,replace" default:"deep"`
	Lists    string        `json:"lists" doc:"What becomes of lists that meet." enum:"replace,concat" default:"replace"`
}

type mergeOutput struct {
	Result      value.Value `json:"result" doc:"The merged object or list."`
	SourceCount int         `json:"source_count" doc:"Number of sources that are not null."`
}

func merge() actions.Action {
	return actions.Define(actions.Spec{
		Name: "data.merge", Version: 1, Effect: actions.Pure,
		Summary: "Merges objects or lists; what comes later wins.",
		Examples: []actions.Example{{
			Title: "Merge settings",
			YAML: `- name: merge
  uses: data.merge
  with:
    sources: [{log: {level: info, color: true}}, {log: {level: debug}}]`,
			Output: `{"result":{"log":{"color":true,"level":"debug"}},"source_count":2,"success":true}`,
		}},
	}, runMerge)
}

func runMerge(_ context.Context, _ actions.Env, in mergeInput) (mergeOutput, error) {
	var result value.Value
	count := 0
	for i, source := range in.Sources {
		switch kind := source.Kind(); {
		case kind == value.KindNull:
			continue
		case kind != value.KindObject && kind != value.KindList:
			return mergeOutput{}, actions.Errorf(actions.CodeInvalidInput,
				"sources[%d] is a %s; only objects and lists can be merged", i, kind)
		case count > 0 && in.Strategy != "replace" && kind != result.Kind():
			return mergeOutput{}, actions.Errorf(actions.CodeInvalidInput,
				"sources[%d] is a %s, but those before it are a %s", i, kind, result.Kind())
		}
		count++
		switch {
		case count == 1 || in.Strategy == "replace":
			result = source
		case in.Strategy == "shallow" && source.Kind() == value.KindObject:
			result = result.Merge(source)
		default:
			result = deep(result, source, in.Lists == "concat")
		}
	}
	if count == 0 {
		result = value.Object()
	}
	return mergeOutput{Result: result, SourceCount: count}, nil
}

// deep puts b on top of a.
func deep(a, b value.Value, concat bool) value.Value {
	switch {
	case a.Kind() == value.KindObject && b.Kind() == value.KindObject:
		members := map[string]value.Value{}
		for key, v := range a.Members() {
			members[key] = v
		}
		for key, v := range b.Members() {
			if old, ok := members[key]; ok {
				v = deep(old, v, concat)
			}
			members[key] = v
		}
		return value.Map(members)
	case concat && a.Kind() == value.KindList && b.Kind() == value.KindList:
		return value.List(slices.Concat(elements(a), elements(b))...)
	}
	return b
}

func elements(list value.Value) []value.Value {
	out := make([]value.Value, 0, list.Len())
	for _, item := range list.Items() {
		out = append(out, item)
	}
	return out
}
