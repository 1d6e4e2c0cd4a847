package event_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/value"
)

var call = event.Call{Node: "fetch", ID: "fetch@2"}

// samples has every type of event, bare and with everything in it.
func samples() []event.Body {
	cache := &event.Cache{Status: "hit", Key: "cache:ns:llm.call:ab", Reason: "r", SavedMS: 1200}
	state := value.Must(map[string]any{"n": 1})
	failure := &event.Error{Code: "unavailable", Message: "no <route> & no \"host\"", Handled: "goto"}
	return []event.Body{
		event.RunStarted{Agent: "a", Nodes: 3},
		event.RunStarted{Agent: "a", Digest: "00ff", Nodes: 3},
		event.NodeStarted{Call: call, Body: "http.get"},
		event.NodeSkipped{Call: call},
		event.NodeFinished{Call: call, DurationMS: 3},
		event.NodeFinished{Call: call, Cache: cache, Error: failure},
		event.CallStarted{Call: call, Action: "llm.call"},
		event.CallFinished{Call: call, Action: "llm.call", DurationMS: 1},
		event.CallFinished{Call: call, Action: "llm.call", Cache: cache, Error: failure},
		event.Log{Call: call, Level: "info", Message: "line\nline"},
		event.Chunk{Call: call, Data: value.Must(map[string]any{"text": "é", "n": 1})},
		event.LoopExhausted{Call: call, Iterations: 10},
		event.RouteTaken{Call: call, To: "__end__", Rule: -1},
		event.RunFinished{Nodes: 2, Hits: 1, Misses: 1, DurationMS: 5, SavedMS: 7, Output: &state},
		event.RunFinished{Error: failure, Node: "fetch", State: &state},
	}
}

func wrap(body event.Body) event.Event {
	return event.Event{Seq: 7, Time: time.Date(2026, 11, 20, 1, 2, 3, 4e6, time.UTC), Run: "r1", Body: body}
}

func TestEverySampleValidatesAndComesBack(t *testing.T) {
	t.Parallel()
	schema := compile(t)
	seen := map[string]bool{}
	for _, body := range samples() {
		seen[body.Type()] = true
		data, err := json.Marshal(wrap(body))
		if err != nil {
			t.Fatalf("%s: %v", body.Type(), err)
		}
		if err := schema.Validate(parse(t, string(data))); err != nil {
			t.Errorf("%s does not validate: %v\n%s", body.Type(), err, data)
		}
		var back event.Event
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if !reflect.DeepEqual(back, wrap(body)) {
			t.Errorf("came back as %+v, want %+v", back, wrap(body))
		}
	}
	for _, name := range event.Types() {
		if !seen[name] {
			t.Errorf("no sample of %s", name)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := compile(t)
	head := `"v":1,"seq":1,"ts":"2026-11-20T00:00:00Z","run":"r"`
	for name, text := range map[string]string{
		"no type":        `{` + head + `}`,
		"unknown type":   `{` + head + `,"type":"lunch"}`,
		"missing key":    `{` + head + `,"type":"node_skipped","node":"a"}`,
		"newer version":  `{"v":2,"seq":1,"ts":"2026-11-20T00:00:00Z","run":"r","type":"node_skipped","node":"a","id":"a"}`,
		"ill-typed":      `{` + head + `,"type":"node_skipped","node":1,"id":"a"}`,
		"misspelled key": `{` + head + `,"type":"node_skipped","node":"a","id":"a","nod":"b"}`,
	} {
		if schema.Validate(parse(t, text)) == nil {
			t.Errorf("%s: validates: %s", name, text)
		}
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"v":2,"ts":"2026-11-20T00:00:00Z","type":"log"}`:            "version 2 is newer",
		`{"v":1,"ts":"2026-11-20T00:00:00Z","type":"lunch"}`:          `unknown type "lunch"`,
		`{"v":1,"ts":"noon","type":"log"}`:                            "ts:",
		`{"v":1,"ts":"2026-11-20T00:00:00Z","type":"log","level":{}}`: "log:",
	} {
		var e event.Event
		err := json.Unmarshal([]byte(text), &e)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	v, err := event.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("event.json", parse(t, v.String())); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("event.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func parse(t *testing.T, text string) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
