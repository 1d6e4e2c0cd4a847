package cassette

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// clock is a time that tests can rely on.
func clock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// ask is a request with one word in it.
func ask(word string) Request {
	return Request{
		Node: "answer", Provider: "openai", Model: "gpt-4o", Endpoint: "llm.call", Prompt: "user: " + word,
		Key: value.Must(map[string]any{"model": "gpt-4o", "messages": []any{map[string]any{"role": "user", "content": word}}}),
	}
}

func askAs(id, word string) Request {
	r := ask(word)
	r.ID = id
	return r
}

// says is a response with that text.
func says(text string) Response {
	return Response{Output: value.Must(map[string]any{"content": text}), Text: text, Complete: true, Duration: time.Second}
}

func begin(t *testing.T, path string, o Options) *Session {
	t.Helper()
	if o.Now == nil {
		o.Now = clock
	}
	s, err := New(path, &o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// record writes a cassette of these calls.
func record(t *testing.T, path string, o Options, calls ...Call) {
	t.Helper()
	o.Mode = Record
	s := begin(t, path, o)
	for _, c := range calls {
		add(t, s, c.Request, c.Response)
	}
	finish(t, s, true)
}

func add(t *testing.T, s *Session, r Request, res Response) {
	t.Helper()
	if c, err := s.Lookup(r); c != nil || err != nil {
		t.Fatalf("Lookup: %v, %v; want a call to be made", c, err)
	}
	if err := s.Add(r, res); err != nil {
		t.Fatal(err)
	}
}

func finish(t *testing.T, s *Session, passed bool) {
	t.Helper()
	if err := s.Finish(passed); err != nil {
		t.Fatal(err)
	}
}

// served asks and returns the text of the answer.
func served(t *testing.T, s *Session, r Request) string {
	t.Helper()
	c, err := s.Lookup(r)
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return "(to be made)"
	}
	return c.Text
}

func call(r Request, res Response) Call { return Call{Request: r, Response: res} }

func TestRecordThenReplay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"c.yaml", "c.json"} {
		path := filepath.Join(t.TempDir(), "new", name)
		record(t, path, Options{}, call(ask("hi"), says("hello")), call(ask("bye"), says("so long")))
		s := begin(t, path, Options{Mode: Replay})
		if got := served(t, s, ask("bye")); got != "so long" {
			t.Errorf("%s: bye: %q", name, got)
		}
		if got := served(t, s, ask("hi")); got != "hello" {
			t.Errorf("%s: hi: %q", name, got)
		}
		finish(t, s, true)
		if s.Touched() != 2 || s.Made() != 0 || len(s.Calls()) != 2 {
			t.Errorf("%s: touched %d, made %d, calls %d", name, s.Touched(), s.Made(), len(s.Calls()))
		}
	}
}

func TestMissIsFatalInReplay(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	record(t, path, Options{}, call(ask("hi"), says("hello")))
	s := begin(t, path, Options{Mode: Replay, RecordCommand: "tea run --record a.yaml"})
	_, err := s.Lookup(ask("other"))
	var miss *ReplayMissError
	if !errors.As(err, &miss) || actions.CodeOf(err) != actions.CodeReplayMiss {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{path, miss.Key, "gpt-4o", "llm.call", "tea run --record a.yaml"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message lacks %q:\n%v", want, err)
		}
	}
}

func TestDoPassesChunksOnAndReplaysThem(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	do := func(mode Mode) (got []string, res Response) {
		s := begin(t, path, Options{Mode: mode})
		res, err := s.Do(t.Context(), ask("hi"), func(c Chunk) { got = append(got, c.Data.Text()) },
			func(_ context.Context, sink func(Chunk)) (Response, error) {
				sink(Chunk{Data: value.String("hel")})
				sink(Chunk{Data: value.String("lo")})
				return says("hello"), nil
			})
		if err != nil {
			t.Fatal(err)
		}
		finish(t, s, true)
		return got, res
	}
	for _, mode := range []Mode{Record, Replay, Live} {
		if got, res := do(mode); strings.Join(got, "|") != "hel|lo" || res.Text != "hello" {
			t.Errorf("%v: %q, %q", mode, got, res.Text)
		}
	}
}

func TestNothingIsWrittenBeforeFinish(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	s := begin(t, path, Options{Mode: Record})
	add(t, s, ask("hi"), says("hello"))
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatalf("there is a file: %v", err)
	}
	finish(t, s, true)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

// isOnly tells whether err is of that kind and of no other.
func isOnly(err, kind error) bool {
	for _, k := range []error{ErrMissing, ErrTorn, ErrUnreadable, ErrVersion, ErrConfig, ErrForbidden, ErrClosed} {
		if errors.Is(err, k) != errors.Is(kind, k) {
			return false
		}
	}
	return true
}

func mustParse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
