package ltmactions

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

type searchInput struct {
	Query    string                 `json:"query,omitempty" doc:"Words that must all stand in key, value or metadata, without regard to case."`
	Metadata map[string]value.Value `json:"metadata_filter,omitempty" doc:"What the metadata must equal, per key; a list is a choice, a dot goes into an object."`
	Prefix   string                 `json:"prefix,omitempty" doc:"How the key must begin."`
	Limit    int                    `json:"limit" doc:"At most so many results." default:"10" min:"1" max:"1000"`
}

type found struct {
	Key      string      `json:"key" doc:"The key."`
	Value    value.Value `json:"value" doc:"The value."`
	Metadata value.Value `json:"metadata" doc:"Its metadata."`
	Score    float64     `json:"score" doc:"How well it answers the query; higher is better, 0 without a query."`
}

type searchOutput struct {
	Results []found `json:"results" doc:"What was found: the best first with a query, else by key."`
	Count   int     `json:"count" doc:"Number of results."`
	More    bool    `json:"more" doc:"Whether there are more than the limit."`
}

func search() actions.Action {
	return actions.Define(actions.Spec{
		Name: "ltm.search", Version: 1, Effect: actions.Read,
		Summary: "Finds values in long-term memory by words, metadata or key.",
		Doc:     "All that is given must hold; with nothing given everything is found. Values that have expired are not.",
		Examples: []actions.Example{{
			Title: "Find by words and metadata",
			YAML: `- name: remember
  uses: ltm.store
  with: {key: "note:1", value: Ada likes tea, metadata: {kind: note}}
  output: stored
- name: find
  uses: ltm.search
  with: {query: tea, metadata_filter: {kind: [note, letter]}}
  output: found`,
		}},
	}, runSearch)
}

func runSearch(ctx context.Context, env actions.Env, in searchInput) (searchOutput, error) {
	m, err := memory(env)
	if err != nil {
		return searchOutput{}, err
	}
	page, err := m.Search(ctx, ltm.Query{
		Text: in.Query, Prefix: in.Prefix, Metadata: conditions(in.Metadata), Limit: in.Limit,
	})
	if err != nil {
		return searchOutput{}, err
	}
	out := searchOutput{Count: len(page.Entries), More: page.Next != ""}
	for _, e := range page.Entries {
		out.Results = append(out.Results, found{Key: e.Key, Value: e.Value, Metadata: e.Metadata, Score: e.Score})
	}
	return out, nil
}

// conditions makes filters of a map: equality, or membership for a list.
func conditions(want map[string]value.Value) []ltm.Filter {
	var filters []ltm.Filter
	for _, key := range slices.Sorted(maps.Keys(want)) {
		f := ltm.Filter{Path: strings.Split(key, "."), Op: ltm.Eq, Value: want[key]}
		if f.Value.Kind() == value.KindList {
			f.Op = ltm.In
		}
		filters = append(filters, f)
	}
	return filters
}
