package ltmactions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

type storeManyInput struct {
	Items []item `json:"items" doc:"What to store." min:"1"`
}

type item struct {
	Key      string                 `json:"key" doc:"The name to find the value by." min:"1"`
	Value    value.Value            `json:"value" doc:"Any value; null counts as one."`
	Metadata map[string]value.Value `json:"metadata,omitempty" doc:"What to find it by with ltm.search."`
	TTL      *time.Duration         `json:"ttl,omitempty" doc:"How long it is kept, such as 90m or 30d; for ever when absent." min:"1ms"`
}

type storeManyOutput struct {
	Stored  int `json:"stored" doc:"How many values were stored."`
	Created int `json:"created" doc:"How many of them had none under their key before."`
}

func storeMany() actions.Action {
	return actions.Define(actions.Spec{
		Name: "ltm.store_many", Version: 1, Effect: actions.Write, Keeps: true,
		Summary: "Stores many values in long-term memory in one go.",
		Doc:     "Each is stored wholly or not at all; when it fails, some may have been. A key that is there twice keeps its last value.",
		Examples: []actions.Example{{
			Title: "Remember two things",
			YAML: `- name: remember
  uses: ltm.store_many
  with:
    items:
      - {key: "note:1", value: Ada likes tea, metadata: {kind: note}}
      - {key: "note:2", value: Bob likes coffee, ttl: 30d}`,
			Output: `{"created":2,"stored":2,"success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in storeManyInput) (storeManyOutput, error) {
		m, err := memory(env)
		if err != nil {
			return storeManyOutput{}, err
		}
		items := make([]ltm.Item, len(in.Items))
		for i, it := range in.Items {
			items[i] = ltm.Item{Key: it.Key, Value: it.Value, Options: putOptions(it.Metadata, it.TTL)}
		}
		created, err := m.PutMany(ctx, items)
		return storeManyOutput{Stored: len(items), Created: created}, err
	})
}

// putOptions are those that every value may have.
func putOptions(metadata map[string]value.Value, ttl *time.Duration) *ltm.PutOptions {
	o := &ltm.PutOptions{Metadata: value.Map(metadata)}
	if ttl != nil {
		o.TTL = *ttl
	}
	return o
}

type retrieveManyInput struct {
	Keys []string `json:"keys" doc:"The names of the values."`
}

type retrieveManyOutput struct {
	Values  value.Value `json:"values" doc:"What was found: an object of values by key."`
	Missing []string    `json:"missing" doc:"The keys without a value, in their order."`
	Count   int         `json:"count" doc:"How many were found."`
}

func retrieveMany() actions.Action {
	return actions.Define(actions.Spec{
		Name: "ltm.retrieve_many", Version: 1, Effect: actions.Read,
		Summary: "Returns many values from long-term memory in one go.",
		Examples: []actions.Example{{
			Title:  "Get two values",
			YAML:   "- name: recall\n  uses: ltm.retrieve_many\n  with: {keys: [user, team]}",
			Output: `{"count":0,"missing":["user","team"],"success":true,"values":{}}`,
		}},
	}, func(ctx context.Context, env actions.Env, in retrieveManyInput) (retrieveManyOutput, error) {
		m, err := memory(env)
		if err != nil {
			return retrieveManyOutput{}, err
		}
		entries, err := m.GetMany(ctx, in.Keys...)
		if err != nil {
			return retrieveManyOutput{}, err
		}
		out := retrieveManyOutput{Values: value.Object(), Missing: []string{}}
		for _, key := range in.Keys {
			if e, ok := entries[key]; ok && !e.Expired(m.Now()) {
				out.Values = out.Values.With(key, e.Value)
			} else {
				out.Missing = append(out.Missing, key)
			}
		}
		out.Count = out.Values.Len()
		return out, nil
	})
}

type deleteManyInput struct {
	Keys     schema.Rendered `json:"keys,omitempty" mode:"late" doc:"A list of the names of the values. Not together with the others." example:"[\"note:1\", \"note:2\"]"`
	Pattern  schema.Rendered `json:"pattern,omitempty" mode:"late" doc:"What the key must be, where * stands for any characters." example:"\"note:*\""`
	Metadata schema.Rendered `json:"metadata_filter,omitempty" mode:"late" doc:"An object: what the metadata must be, as in ltm.search." example:"{\"year\": {\"$lt\": 2020}}"`
}

type deleteManyOutput struct {
	Deleted int64 `json:"deleted" doc:"How many there were."`
}

func removeMany() actions.Action {
	return actions.Define(actions.Spec{
		Name: "ltm.delete_many", Version: 1, Effect: actions.Write,
		Summary: "Deletes many values from long-term memory, by their keys, by a pattern or by metadata.",
		Doc: "What is given must all hold, and something must be. One that turns out null or empty is an error, and nothing is deleted; an empty list of keys deletes nothing. " +
			"Values that have expired do not count.",
		Examples: []actions.Example{{
			Title:  "Forget old notes",
			YAML:   "- name: forget\n  uses: ltm.delete_many\n  with: {pattern: \"note:*\", metadata_filter: {year: {$lt: 2020}}}",
			Output: `{"deleted":0,"success":true}`,
		}},
	}, func(ctx context.Context, env actions.Env, in deleteManyInput) (deleteManyOutput, error) {
		m, err := memory(env)
		if err != nil {
			return deleteManyOutput{}, err
		}
		keys, q, err := in.selection()
		if err != nil {
			return deleteManyOutput{}, actions.Errorf(actions.CodeInvalidInput, "nothing was deleted: %w", err)
		}
		if keys == nil {
			n, err := m.DeleteWhere(ctx, q, nil)
			return deleteManyOutput{n}, err
		}
		n, err := deleteKeys(ctx, m, keys)
		return deleteManyOutput{n}, err
	})
}

func deleteKeys(ctx context.Context, m *ltm.Memory, keys []string) (deleted int64, err error) {
	for _, key := range keys {
		had, err := m.Delete(ctx, key)
		if err != nil {
			return deleted, err
		}
		if had {
			deleted++
		}
	}
	return deleted, nil
}

// selection returns the keys that are to be deleted, or nil and the query that
// selects them.
func (in deleteManyInput) selection() (keys []string, q ltm.Query, err error) {
	byKey, errKeys := in.Keys.Given()
	byPattern, errPattern := in.Pattern.Given()
	byMetadata, errMetadata := in.Metadata.Given()
	switch err := errors.Join(named("keys", errKeys), named("pattern", errPattern), named("metadata_filter", errMetadata)); {
	case err != nil:
		return nil, q, err
	case byKey && (byPattern || byMetadata):
		return nil, q, errors.New("keys are given, and something that selects them too")
	case byKey:
		keys, err := texts(in.Keys.Value)
		return keys, q, err
	case byMetadata && in.Metadata.Value.Len() == 0 && in.Metadata.Value.Kind() == value.KindObject:
		return nil, q, errors.New("metadata_filter: it is empty")
	case !byPattern && !byMetadata:
		return nil, q, errors.New("nothing selects a value: give keys, pattern or metadata_filter")
	}
	if byPattern && in.Pattern.Value.Kind() != value.KindString {
		return nil, q, fmt.Errorf("pattern: expected a string, got %s", in.Pattern.Value.Kind())
	}
	q.Glob = in.Pattern.Value.Text()
	q.Metadata, err = ltm.ParseFilters(in.Metadata.Value)
	return nil, q, err
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// texts returns the strings of a list; it is not nil.
func texts(list value.Value) ([]string, error) {
	if list.Kind() != value.KindList {
		return nil, fmt.Errorf("keys: expected a list, got %s", list.Kind())
	}
	keys := make([]string, 0, list.Len())
	for _, item := range list.Items() {
		key, ok := item.AsString()
		if !ok {
			return nil, fmt.Errorf("keys: expected strings, got %s %s", item.Kind(), item)
		}
		keys = append(keys, key)
	}
	return keys, nil
}
