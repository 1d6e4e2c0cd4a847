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
	a.Yields("ltm.retrieve", `{"key": "k", "default": [1]}`, `{"found":false,"metadata":{},"success":true,"value":[1]}`)
	a.Yields("ltm.store", `{"key": "k", "value": {"n": 9007199254740993}, "metadata": {"kind": "x"}}`, `{"created":true,"key":"k","stored":true,"success":true}`)
	a.Yields("ltm.store", `{"key": "k", "value": null}`, `{"created":false,"key":"k","stored":true,"success":true}`)
	a.Yields("ltm.retrieve", `{"key": "k", "default": [1]}`, `{"found":true,"metadata":{},"success":true,"value":null}`)
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
	a.Yields("ltm.retrieve", `{"key": "k"}`, `{"found":true,"metadata":{},"success":true,"value":"tea"}`)
	clock.Advance(time.Millisecond)
	a.Yields("ltm.retrieve", `{"key": "k"}`, `{"found":false,"metadata":{},"success":true,"value":null}`)
	a.Yields("ltm.search", `{"query": "tea"}`, `{"count":0,"more":false,"results":[],"success":true}`)
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
		`{"count":1,"more":false,"results":[{"key":"pot","metadata":{"kind":"thing"},"score":0.0,"value":{"for":"tea"}}],"success":true}`)
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
