package ltmactions

import (
	"context"
	"errors"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// Actions returns the actions of the group ltm.
func Actions() []actions.Action {
	return []actions.Action{store(), retrieve(), remove(), search(), storeMany(), retrieveMany(), removeMany()}
}

// memory returns the agent's memory.
func memory(env actions.Env) (*ltm.Memory, error) {
	if env.Memory == nil {
		return nil, actions.Errorf(actions.CodeUnavailable, "this agent has no long-term memory")
	}
	return env.Memory, nil
}

type storeInput struct {
	Key       string                 `json:"key" doc:"The name to find the value by." min:"1"`
	Value     value.Value            `json:"value" doc:"Any value; null counts as one."`
	Metadata  map[string]value.Value `json:"metadata,omitempty" doc:"What to find it by with ltm.search."`
	TTL       *time.Duration         `json:"ttl,omitempty" doc:"How long it is kept, such as 90m or 30d; for ever when absent." min:"1ms"`
	Overwrite bool                   `json:"overwrite" doc:"If false, a value that is there already is kept, and stored is false." default:"true"`
	Revision  *int64                 `json:"if_revision,omitempty" doc:"Stores only over the revision that ltm.retrieve told, else stored is false: so nobody overwrites what somebody else changed meanwhile. 0: only where there is none." min:"0"`
}

type storeOutput struct {
	Stored  bool   `json:"stored" doc:"Whether the value was stored."`
	Key     string `json:"key" doc:"The key."`
	Created bool   `json:"created" doc:"Whether there was no value under the key before."`
}

func store() actions.Action {
	return actions.Define(actions.Spec{
		Name: "ltm.store", Version: 1, Effect: actions.Write, Keeps: true,
		Summary: "Stores a value in long-term memory, over what was under its key.",
		Examples: []actions.Example{{
			Title: "Remember something for a month",
			YAML: `- name: remember
  uses: ltm.store
  with: {key: user, value: {name: Ada}, metadata: {kind: person}, ttl: 30d}`,
			Output: `{"created":true,"key":"user","stored":true,"success":true}`,
		}, {
			Title: "Count up, although others do too",
			YAML: `- name: read
  uses: ltm.retrieve
  with: {key: visits, default: 0}
  output: visits
- name: count
  uses: ltm.store
  with: {key: visits, value: "{{ state.visits.value + 1 }}", if_revision: "{{ state.visits.revision }}"}
  output: counted
  goto: [{if: not state.counted.stored, to: read}, {to: __end__}]`,
		}},
	}, runStore)
}

func runStore(ctx context.Context, env actions.Env, in storeInput) (storeOutput, error) {
	m, err := memory(env)
	if err != nil {
		return storeOutput{}, err
	}
	o := putOptions(in.Metadata, in.TTL)
	o.IfAbsent = !in.Overwrite
	switch {
	case in.Revision == nil:
	case o.IfAbsent:
		return storeOutput{}, actions.Errorf(actions.CodeInvalidInput, "both if_revision and overwrite: false are given")
	case *in.Revision == 0:
		o.IfAbsent = true
	default:
		o.IfRevision = *in.Revision
	}
	created, err := m.Put(ctx, in.Key, in.Value, o)
	out := storeOutput{Stored: created || !o.IfAbsent, Key: in.Key, Created: created}
	if o.IfRevision != 0 && errors.Is(err, ltm.ErrConflict) {
		out.Stored, err = false, nil
	}
	return out, err
}

type retrieveInput struct {
	Key     string      `json:"key" doc:"The name of the value." min:"1"`
	Default value.Value `json:"default,omitempty" doc:"What to return when there is none."`
}

type retrieveOutput struct {
	Found    bool        `json:"found" doc:"Whether there is a value under the key that has not expired."`
	Value    value.Value `json:"value" doc:"The value, or the default."`
	Metadata value.Value `json:"metadata" doc:"Its metadata; empty when not found."`
	Revision int64       `json:"revision" doc:"Another one after each change, for if_revision of ltm.store; 0 when not found."`
}

func retrieve() actions.Action {
	return actions.Define(actions.Spec{
		Name: "ltm.retrieve", Version: 1, Effect: actions.Read,
		Summary: "Returns a value from long-term memory.",
		Examples: []actions.Example{{
			Title:  "Get a value, or else another",
			YAML:   "- name: recall\n  uses: ltm.retrieve\n  with: {key: user, default: nobody}",
			Output: `{"found":false,"metadata":{},"revision":0,"success":true,"value":"nobody"}`,
		}},
	}, runRetrieve)
}

func runRetrieve(ctx context.Context, env actions.Env, in retrieveInput) (retrieveOutput, error) {
	m, err := memory(env)
	if err != nil {
		return retrieveOutput{}, err
	}
	e, err := m.Get(ctx, in.Key)
	if errors.Is(err, ltm.ErrNotFound) || err == nil && e.Expired(m.Now()) {
		return retrieveOutput{Value: in.Default, Metadata: value.Object()}, nil
	}
	return retrieveOutput{Found: true, Value: e.Value, Metadata: e.Metadata, Revision: e.Revision}, err
}

type deleteInput struct {
	Key string `json:"key" doc:"The name of the value." min:"1"`
}

type deleteOutput struct {
	Deleted bool   `json:"deleted" doc:"Whether there was one."`
	Key     string `json:"key" doc:"The key."`
}

func remove() actions.Action {
	return actions.Define(actions.Spec{
		Name: "ltm.delete", Version: 1, Effect: actions.Write,
		Summary: "Deletes a value from long-term memory.",
		Doc:     "That there is none is no failure.",
		Examples: []actions.Example{{
			Title:  "Forget",
			YAML:   "- name: forget\n  uses: ltm.delete\n  with: {key: user}",
			Output: `{"deleted":false,"key":"user","success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in deleteInput) (deleteOutput, error) {
		m, err := memory(env)
		if err != nil {
			return deleteOutput{}, err
		}
		had, err := m.Delete(ctx, in.Key)
		return deleteOutput{Deleted: had, Key: in.Key}, err
	})
}
