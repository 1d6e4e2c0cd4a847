package ltmactions_test

import (
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/actions/actiontest"
	ltmactions "github.com/tea-agents/tea/actions/ltm"
	"github.com/tea-agents/tea/internal/grouptest"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/memltm"
)

func TestStoreRetrieveDelete(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Yields("ltm.retrieve", `{"key": "k", "default": [1]}`, `{"found":false,"metadata":{},"revision":0,"success":true,"value":[1]}`)
	a.Yields("ltm.store", `{"key": "k", "value": {"n": 9007199254740993}, "metadata": {"kind": "x"}}`, `{"created":true,"key":"k","stored":true,"success":true}`)
	a.Yields("ltm.store", `{"key": "k", "value": null}`, `{"created":false,"key":"k","stored":true,"success":true}`)
	a.Yields("ltm.retrieve", `{"key": "k", "default": [1]}`, `{"found":true,"metadata":{},"revision":2,"success":true,"value":null}`)
	a.Yields("ltm.store", `{"key": "k", "value": 2, "overwrite": false}`, `{"created":false,"key":"k","stored":false,"success":true}`)
	a.Yields("ltm.delete", `{"key": "k"}`, `{"deleted":true,"key":"k","success":true}`)
	a.Yields("ltm.delete", `{"key": "k"}`, `{"deleted":false,"key":"k","success":true}`)
}

func TestExpiredIsNotFound(t *testing.T) {
	t.Parallel()
	clock := actiontest.NewClock()
	a := newAgent(t, memoryAt(t, clock))
	a.Must("ltm.store", `{"key": "k", "value": "tea", "ttl": "90m"}`)
	clock.Advance(90*time.Minute - time.Millisecond)
	a.Yields("ltm.retrieve", `{"key": "k"}`, `{"found":true,"metadata":{},"revision":1,"success":true,"value":"tea"}`)
	clock.Advance(time.Millisecond)
	a.Yields("ltm.retrieve", `{"key": "k"}`, `{"found":false,"metadata":{},"revision":0,"success":true,"value":null}`)
	a.Yields("ltm.search", `{"query": "tea"}`, `{"count":0,"more":false,"next":"","results":[],"success":true}`)
	a.Yields("ltm.store", `{"key": "k", "value": 1, "overwrite": false}`, `{"created":true,"key":"k","stored":true,"success":true}`)
	a.Fails("ltm.store", `{"key": "k", "value": 1, "ttl": 0}`, actions.CodeInvalidInput, "ttl")
	a.Fails("ltm.store", `{"key": "k", "value": 1, "ttl": "-1h"}`, actions.CodeInvalidInput, "ttl")
}

func TestSearch(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Must("ltm.store", `{"key": "note:1", "value": "Ada likes tea", "metadata": {"kind": "note", "by": {"id": 1}}}`)
	a.Must("ltm.store", `{"key": "note:2", "value": "Bob likes coffee", "metadata": {"kind": "note", "by": {"id": 2}}}`)
	a.Must("ltm.store", `{"key": "pot", "value": {"for": "tea"}, "metadata": {"kind": "thing"}}`)
	for _, tt := range []struct{ input, keys string }{
		{`{}`, `note:1 note:2 pot `},
		{`{"metadata_filter": {"kind": "note"}}`, `note:1 note:2 `},
		{`{"metadata_filter": {"kind": ["thing", "other"]}}`, `pot `},
		{`{"metadata_filter": {"kind": "note", "by.id": 2}}`, `note:2 `},
		{`{"metadata_filter": {"by.id": "2"}}`, ``},
		{`{"prefix": "note:", "query": "TEA"}`, `note:1 `},
		{`{"query": "likes coffee"}`, `note:2 `},
		{`{"query": "nothing"}`, ``},
		{`{"pattern": "*:2"}`, `note:2 `},
		{`{"metadata_filter": {"by.id": {"$gte": 1, "$lt": 2}}}`, `note:1 `},
		{`{"metadata_filter": {"by": {"$exists": true}}, "descending": true}`, `note:2 note:1 `},
	} {
		got := a.Must("ltm.search", tt.input)
		keys := ""
		for _, r := range got.At("results").Items() {
			keys += r.At("key").Text() + " "
		}
		if keys != tt.keys {
			t.Errorf("%s: found %s, want %s", tt.input, keys, tt.keys)
		}
	}
	got := a.Must("ltm.search", `{"limit": 2}`)
	if got.At("count").String() != "2" || got.At("more").String() != "true" {
		t.Errorf("limited: %s", got)
	}
	a.Yields("ltm.search", `{"prefix": "pot"}`,
		`{"count":1,"more":false,"next":"","results":[{"key":"pot","metadata":{"kind":"thing"},"score":0.0,"value":{"for":"tea"}}],"success":true}`)
}

func TestPages(t *testing.T) {
	t.Parallel()
	clock := actiontest.NewClock()
	a := newAgent(t, memoryAt(t, clock))
	for _, key := range []string{"c", "a", "b"} {
		a.Must("ltm.store", `{"key": "`+key+`", "value": 1}`)
		clock.Advance(time.Second)
	}
	first := a.Must("ltm.search", `{"order": "updated", "limit": 2}`)
	next := first.At("next").Text()
	second := a.Must("ltm.search", `{"order": "updated", "limit": 2, "cursor": "`+next+`"}`)
	if got := first.At("results").Index(1).At("key").Text() + second.At("results").Index(0).At("key").Text(); got != "ab" {
		t.Errorf("found %s around the end of the page", got)
	}
	if second.At("next").Text() != "" || second.At("count").String() != "1" {
		t.Errorf("the last page is %s", second)
	}
	a.Fails("ltm.search", `{"cursor": "`+next+`"}`, actions.CodeInvalidInput, "another query")
	a.Fails("ltm.search", `{"query": "x", "order": "updated"}`, actions.CodeInvalidInput, "score")
	a.Fails("ltm.search", `{"metadata_filter": {"n": {"$ge": 1}}}`, actions.CodeInvalidInput, `did you mean`)
	a.Fails("ltm.search", `{"metadata_filter": 1}`, actions.CodeInvalidInput, `must be an object`)
}

func TestStoreOverARevision(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	const stored, kept = `{"created":false,"key":"k","stored":true,"success":true}`, `{"created":false,"key":"k","stored":false,"success":true}`
	a.Yields("ltm.store", `{"key": "k", "value": 1, "if_revision": 7}`, kept)
	a.Yields("ltm.store", `{"key": "k", "value": 1, "if_revision": 0}`, `{"created":true,"key":"k","stored":true,"success":true}`)
	a.Yields("ltm.store", `{"key": "k", "value": 2, "if_revision": 0}`, kept)
	read := a.Must("ltm.retrieve", `{"key": "k"}`).At("revision").String()
	a.Yields("ltm.store", `{"key": "k", "value": 3, "if_revision": `+read+`}`, stored)
	a.Yields("ltm.store", `{"key": "k", "value": 4, "if_revision": `+read+`}`, kept)
	if got := a.Must("ltm.retrieve", `{"key": "k"}`).At("value").String(); got != "3" {
		t.Errorf("the value is %s", got)
	}
	a.Fails("ltm.store", `{"key": "k", "value": 4, "if_revision": 1, "overwrite": false}`, actions.CodeInvalidInput, "both")
}

func TestMany(t *testing.T) {
	t.Parallel()
	clock := actiontest.NewClock()
	a := newAgent(t, memoryAt(t, clock))
	a.Must("ltm.store", `{"key": "a", "value": 0}`)
	a.Yields("ltm.store_many", `{"items": [{"key": "a", "value": 1, "metadata": {"n": 1}}, {"key": "b", "value": null, "metadata": {"n": 2}}, {"key": "c", "value": 3, "ttl": "1h"}]}`,
		`{"created":2,"stored":3,"success":true}`)
	a.Yields("ltm.retrieve_many", `{"keys": ["c", "none", "b", "a"]}`, `{"count":3,"missing":["none"],"success":true,"values":{"a":1,"b":null,"c":3}}`)
	clock.Advance(time.Hour)
	a.Yields("ltm.retrieve_many", `{"keys": ["c", "b"]}`, `{"count":1,"missing":["c"],"success":true,"values":{"b":null}}`)
	a.Fails("ltm.store_many", `{"items": []}`, actions.CodeInvalidInput, "items")
	a.Fails("ltm.store_many", `{"items": [{"key": "ok", "value": 1}, {"key": "", "value": 1}]}`, actions.CodeInvalidInput, "key")

	a.Yields("ltm.delete_many", `{"keys": []}`, `{"deleted":0,"success":true}`)
	a.Yields("ltm.delete_many", `{"metadata_filter": {"n": {"$gt": 1}}}`, `{"deleted":1,"success":true}`)
	a.Yields("ltm.delete_many", `{"keys": ["a", "b"]}`, `{"deleted":1,"success":true}`)
	a.Must("ltm.store_many", `{"items": [{"key": "note:1", "value": 1}, {"key": "note:2", "value": 2}, {"key": "other", "value": 3}]}`)
	a.Yields("ltm.delete_many", `{"pattern": "note:*"}`, `{"deleted":2,"success":true}`)
}

// TestDeletingManyNeedsASelection: what should have narrowed the selection, and is
// null or empty, deletes nothing.
func TestDeletingManyNeedsASelection(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Must("ltm.store", `{"key": "a", "value": 0, "metadata": {"n": 1}}`)
	for input, why := range map[string]string{
		`{}`:                      "nothing selects a value",
		`{"metadata_filter": {}}`: "metadata_filter: it is empty",
		`{"metadata_filter": {"n": 1}, "pattern": null}`: "pattern: it is null",
		`{"metadata_filter": {"n": 1}, "pattern": ""}`:   "pattern: it is empty",
		`{"metadata_filter": null, "pattern": "*"}`:      "metadata_filter: it is null",
		`{"metadata_filter": 1, "pattern": "*"}`:         "must be an object",
		`{"metadata_filter": {"n": {"$x": 1}}}`:          "unknown comparison",
		`{"keys": null, "pattern": "*"}`:                 "keys: it is null",
		`{"keys": ["a"], "pattern": "*"}`:                "keys are given",
		`{"keys": "a"}`:                                  "keys: expected a list",
		`{"keys": [1]}`:                                  "keys: expected strings",
		`{"pattern": ["*"]}`:                             "pattern: expected a string",
	} {
		a.Fails("ltm.delete_many", input, actions.CodeInvalidInput, why)
	}
	a.Yields("ltm.retrieve_many", `{"keys": ["a"]}`, `{"count":1,"missing":[],"success":true,"values":{"a":0}}`)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.Fails("ltm.store", `{"key": "", "value": 1}`, actions.CodeInvalidInput, "key")
	if err := a.Env.Memory.Close(); err != nil {
		t.Fatal(err)
	}
	none := newAgent(t, func(e *actions.Env) { e.Memory = nil })
	for action, input := range map[string]string{
		"ltm.store": `{"key": "k", "value": 1}`, "ltm.retrieve": `{"key": "k"}`,
		"ltm.delete": `{"key": "k"}`, "ltm.search": `{}`,
		"ltm.store_many": `{"items": [{"key": "k", "value": 1}]}`, "ltm.retrieve_many": `{"keys": ["k"]}`,
		"ltm.delete_many": `{"pattern": "*"}`,
	} {
		a.Fails(action, input, actions.CodeUnavailable, "closed")
		none.Fails(action, input, actions.CodeUnavailable, "no long-term memory")
	}
}

// memoryAt gives the agent a memory that tells the time by clock.
func memoryAt(t *testing.T, clock *actiontest.Clock) func(*actions.Env) {
	t.Helper()
	m := ltm.New(memltm.New(), &ltm.Options{Now: clock.Now})
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(e *actions.Env) { e.Memory = m }
}

func newAgent(t *testing.T, change func(*actions.Env)) *grouptest.Agent {
	t.Helper()
	return grouptest.New(t, ltmactions.Actions(), change)
}
