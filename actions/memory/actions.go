package memoryactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group memory.
func Actions() []actions.Action {
	return []actions.Action{store(), retrieve()}
}

type storeInput struct {
	Key   string      `json:"key" doc:"The name to find the value by." min:"1"`
	Value value.Value `json:"value" doc:"Any value; null counts as one."`
}

type storeOutput struct {
	Stored  bool   `json:"stored" doc:"Always true."`
	Key     string `json:"key" doc:"The key."`
	Created bool   `json:"created" doc:"Whether there was no value under the key before."`
}

func store() actions.Action {
	return actions.Define(actions.Spec{
		Name: "memory.store", Version: 1, Effect: actions.Write,
		Summary: "Keeps a value for the rest of this run.",
		Examples: []actions.Example{{
			Title:  "Keep a value",
			YAML:   "- name: keep\n  uses: memory.store\n  with: {key: user, value: {name: Ada}}",
			Output: `{"created":true,"key":"user","stored":true,"success":true}`,
		}},
	}, func(_ context.Context, env actions.Env, in storeInput) (storeOutput, error) {
		if err := in.Value.Check(); err != nil {
			return storeOutput{}, actions.Errorf(actions.CodeInvalidInput, "value: %w", err)
		}
		out := storeOutput{Stored: true, Key: in.Key}
		env.Scratch.Update(in.Key, func(_ value.Value, had bool) (value.Value, bool) {
			out.Created = !had
			return in.Value, true
		})
		return out, nil
	})
}

type retrieveInput struct {
	Key     string      `json:"key" doc:"The name of the value." min:"1"`
	Default value.Value `json:"default,omitempty" doc:"What to return when there is none."`
}

type retrieveOutput struct {
	Found bool        `json:"found" doc:"Whether there is a value under the key."`
	Value value.Value `json:"value" doc:"The value, or the default."`
}

func retrieve() actions.Action {
	return actions.Define(actions.Spec{
		Name: "memory.retrieve", Version: 1, Effect: actions.Read,
		Summary: "Returns a value that this run keeps.",
		Examples: []actions.Example{{
			Title:  "Get a value, or else another",
			YAML:   "- name: get\n  uses: memory.retrieve\n  with: {key: user, default: nobody}",
			Output: `{"found":false,"success":true,"value":"nobody"}`,
		}},
	}, func(_ context.Context, env actions.Env, in retrieveInput) (retrieveOutput, error) {
		v, ok := env.Scratch.Get(in.Key)
		if !ok {
			v = in.Default
		}
		return retrieveOutput{Found: ok, Value: v}, nil
	})
}
