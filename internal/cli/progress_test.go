package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/engine/event"
	"github.com/tea-agents/tea/value"
)

func shown(live bool, level verbosity, bodies ...event.Body) string {
	var out bytes.Buffer
	p := newProgress(&out, level, []string{"ask", "tell"})
	p.live = live
	p.show(event.Event{Time: time.Unix(0, 0), Body: event.NodeStarted{Call: event.Call{Node: "ask", ID: "ask"}}})
	for _, b := range bodies {
		p.show(event.Event{Time: time.Unix(0, 0), Body: b})
	}
	return out.String()
}

func piece(id, text string) event.Body {
	return event.Chunk{Call: event.Call{Node: id, ID: id}, Data: value.Object(value.M("text", value.String(text)))}
}

func TestStreamsShowOnATerminal(t *testing.T) {
	t.Parallel()
	ask := event.NodeFinished{Call: event.Call{Node: "ask", ID: "ask"}}
	for name, c := range map[string]struct {
		live   bool
		level  verbosity
		bodies []event.Body
		want   string
	}{
		"as they come":          {true, normal, []event.Body{piece("ask", "a "), piece("ask", "b"), ask}, "a b\n✓ ask                0.0 ms\n"},
		"with their lines":      {true, normal, []event.Body{piece("ask", "a\n"), ask}, "a\n✓ ask                0.0 ms\n"},
		"one text a line":       {true, normal, []event.Body{piece("ask", "a"), piece("tell", "b"), piece("tell", "c"), ask}, "a\nbc\n✓ ask                0.0 ms\n"},
		"nothing but text":      {true, normal, []event.Body{piece("ask", "\x1b[2Ja\a\r"), ask}, "[2Ja\n✓ ask                0.0 ms\n"},
		"not into a file":       {false, normal, []event.Body{piece("ask", "a"), ask}, "✓ ask                0.0 ms\n"},
		"not where it is quiet": {true, quiet, []event.Body{piece("ask", "a"), ask}, ""},
	} {
		if got := shown(c.live, c.level, c.bodies...); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestWhatCachesOfAnswersDid(t *testing.T) {
	t.Parallel()
	hit := &event.Cache{Status: "hit", SavedMS: 1200, SavedUSD: 0.00312}
	ask := event.Call{Node: "ask", ID: "ask"}
	for want, b := range map[string]event.Body{
		"✓ ask       HIT llm  0.0 ms  (saved 1.2 s, $0.0031)\n": event.NodeFinished{Call: ask, LLMCache: hit},
		"✓ ask       MISS     0.0 ms  (saved 1.2 s, $0.0031)\n": event.NodeFinished{Call: ask, Cache: &event.Cache{Status: "miss"}, LLMCache: hit},
		"1 node, 1 hit, 0 misses, 0.0 ms, saved $12.50\n":       event.RunFinished{Nodes: 1, Hits: 1, SavedUSD: 12.5},
	} {
		if got := shown(false, normal, event.RunStarted{}, b); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestRecordCommandsCanBeTyped(t *testing.T) {
	t.Setenv(cassette.EnvDir, "")
	for want, c := range map[string]struct {
		file, path string
		input      []string
	}{
		"tea run a.yaml --record-missing":                                    {"a.yaml", "cassettes/a.yaml", nil},
		"tea run dir/a.yaml --record-missing=b.json":                         {"dir/a.yaml", "b.json", nil},
		`tea run 'my agent.yaml' --input 'x=it'\''s' --record-missing='a b'`: {"my agent.yaml", "a b", []string{"x=it's"}},
		`tea run a.yaml --input n=1 --input '{"a": 1}' --record-missing`:     {"a.yaml", "cassettes/a.yaml", []string{"n=1", `{"a": 1}`}},
	} {
		if got := recordCommand(c.file, c.path, c.input); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
