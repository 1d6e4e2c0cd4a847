package cassette_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/value"
)

// Example records two answers and plays them back.
func Example() {
	dir, err := os.MkdirTemp("", "cassette")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "greetings.yaml")

	ask := func(mode cassette.Mode, word string) {
		s, err := cassette.New(path, &cassette.Options{Mode: mode})
		if err != nil {
			fmt.Println(err)
			return
		}
		request := cassette.Request{Provider: "openai", Model: "gpt-4o", Endpoint: "llm.call", Key: value.String(word)}
		answer, err := s.Do(context.Background(), request, nil, func(context.Context, func(cassette.Chunk)) (cassette.Response, error) {
			fmt.Println("(the model is asked)")
			return cassette.Response{Output: value.String("Hello, " + word + "!"), Text: "Hello, " + word + "!", Complete: true}, nil
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.Text)
		if err := s.Finish(true); err != nil {
			fmt.Println(err)
		}
	}
	ask(cassette.Record, "Ada")
	ask(cassette.Replay, "Ada")

	c, err := cassette.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Summary)
	// Output:
	// (the model is asked)
	// Hello, Ada!
	// Hello, Ada!
	// 1 LLM call made.
	// 1 call returned a message response.
}

// example stands for the *testing.T that a test hands to Open.
type example struct{ cleanups []func() }

func (*example) Helper()                        {}
func (e *example) Cleanup(f func())             { e.cleanups = append(e.cleanups, f) }
func (*example) Fatalf(format string, a ...any) { fmt.Printf(format+"\n", a...) }
func (*example) Failed() bool                   { return false }
func (*example) Name() string                   { return "TestGreeting" }
func (e *example) end() {
	for _, f := range e.cleanups {
		f()
	}
}

// ExampleOpen is a test that is recorded once, as TEA_LLM_MODE=record asks for,
// and replayed from then on. A test of your own needs no path: its cassette is
// testdata/cassettes/TestGreeting.yaml.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "cassette")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	testGreeting := func(t cassette.TB, opts ...cassette.Option) {
		s := cassette.Open(t, filepath.Join(dir, "greeting.yaml"), opts...)
		answer, err := s.Do(context.Background(), cassette.Request{Provider: "openai", Model: "gpt-4o", Key: value.String("hi")}, nil, live)
		fmt.Println(answer.Text, err, s.Mode(), s.Made())
	}
	recorded, replayed := &example{}, &example{}
	testGreeting(recorded, cassette.WithMode(cassette.Record))
	recorded.end()
	testGreeting(replayed)
	replayed.end()
	// Output:
	// hello <nil> record 1
	// hello <nil> replay 0
}

// live asks the model.
func live(context.Context, func(cassette.Chunk)) (cassette.Response, error) {
	return cassette.Response{Output: value.String("hello"), Text: "hello", Complete: true, Duration: time.Second}, nil
}

// ExampleForbidCalls is a test of code that must not ask a model.
func ExampleForbidCalls() {
	t := &example{}
	s := cassette.Open(t, "", cassette.ForbidCalls())
	_, err := s.Lookup(cassette.Request{Endpoint: "llm.call", Model: "gpt-4o"})
	fmt.Println(err)
	t.end() // which fails the test
	// Output:
	// a call was made although calls are forbidden here: llm.call gpt-4o
	// a call was made although calls are forbidden here: llm.call gpt-4o
}

func ExampleParseMode() {
	_, err := cassette.ParseMode("recrod")
	fmt.Println(err)
	// Output:
	// bad configuration of a cassette: "recrod" is not a mode of recording, which are live, record, record-missing, replay; did you mean "record"?
}
