package ltmactions

import (
	"context"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

type searchInput struct {
	Query    string      `json:"query,omitempty" doc:"Words that must all stand in key, value or metadata, without regard to case."`
	Metadata value.Value `json:"metadata_filter,omitempty" doc:"An object: what the metadata must be, by key; a dot goes into an object. A list is a choice; {$gte: 1, $lt: 9} compares, as do $gt, $lte, $eq, $in and $exists." example:"{\"kind\": \"note\", \"year\": {\"$gte\": 2020}}"`
	Prefix   string      `json:"prefix,omitempty" doc:"How the key must begin."`
	Pattern  string      `json:"pattern,omitempty" doc:"What the whole key must be, where * stands for any characters." example:"note:*:draft"`
	Order    string      `json:"order" doc:"What the results are sorted by. Not with a query, which sorts by score." enum:"key,created,updated,accessed,expiry" default:"key"`
	Desc     bool        `json:"descending,omitempty" doc:"Sorts the other way round."`
	Limit    int         `json:"limit" doc:"At most so many results." default:"10" min:"1" max:"1000"`
	Cursor   string      `json:"cursor,omitempty" doc:"Where to go on: next of the page before, with all else as it was then."`
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
	Next    string  `json:"next" doc:"The cursor of the next page, empty on the last."`
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
		}, {
			Title: "The newest of a kind, page by page",
			YAML: `- name: recent
  uses: ltm.search
  with: {pattern: "note:*", metadata_filter: {year: {$gte: 2020}}, order: updated, descending: true, limit: 20}
  output: page`,
		}},
	}, runSearch)
}

func runSearch(ctx context.Context, env actions.Env, in searchInput) (searchOutput, error) {
	m, err := memory(env)
	if err != nil {
		return searchOutput{}, err
	}
	filters, err := ltm.ParseFilters(in.Metadata)
	if err != nil {
		return searchOutput{}, err
	}
	page, err := m.Search(ctx, ltm.Query{
		Text: in.Query, Prefix: in.Prefix, Glob: in.Pattern, Metadata: filters,
		Order: orders()[in.Order], Desc: in.Desc, Limit: in.Limit, Cursor: in.Cursor,
	})
	if err != nil {
		return searchOutput{}, err
	}
	out := searchOutput{Count: len(page.Entries), More: page.Next != "", Next: page.Next}
	for _, e := range page.Entries {
		out.Results = append(out.Results, found{Key: e.Key, Value: e.Value, Metadata: e.Metadata, Score: e.Score})
	}
	return out, nil
}

func orders() map[string]driver.Order {
	return map[string]driver.Order{
		"key": driver.ByKey, "created": driver.ByCreated, "updated": driver.ByUpdated,
		"accessed": driver.ByAccessed, "expiry": driver.ByExpiry,
	}
}
