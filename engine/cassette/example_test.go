package cassette_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
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

// ExampleOpen is a test whose model calls come from testdata/cassettes. Run it
// with TEA_LLM_MODE=record to make them.
func ExampleOpen() {
	test := func(t *testing.T) {
		s := cassette.Open(t, "")
		answer, err := s.Do(t.Context(), cassette.Request{Provider: "openai", Model: "gpt-4o", Key: value.String("hi")}, nil, live)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Text != "hello" {
			t.Errorf("got %q", answer.Text)
		}
	}
	_ = test
}

// live asks the model.
func live(context.Context, func(cassette.Chunk)) (cassette.Response, error) {
	return cassette.Response{Output: value.String("hello"), Text: "hello", Complete: true, Duration: time.Second}, nil
}

// ExampleForbidCalls is a test of code that must not ask a model.
func ExampleForbidCalls() {
	test := func(t *testing.T) {
		s := cassette.Open(t, "", cassette.ForbidCalls())
		_ = s // hand it to what is tested
	}
	_ = test
}

func ExampleParseMode() {
	_, err := cassette.ParseMode("recrod")
	fmt.Println(err)
	// Output:
	// bad configuration of a cassette: "recrod" is not a mode of recording, which are live, record, record-missing, replay; did you mean "record"?
}
