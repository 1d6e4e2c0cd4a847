package engine_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine"
	"github.com/tea-agents/tea/value"
)

type shoutInput struct {
	Text string `json:"text" doc:"What to shout."`
}

type shoutOutput struct {
	Text string `json:"text" doc:"The same, louder."`
}

// A program of its own with an action of its own.
func Example() {
	shout := actions.Define(actions.Spec{
		Name: "my.shout", Version: 1, Summary: "Shouts.", Effect: actions.Pure,
	}, func(_ context.Context, _ actions.Env, in shoutInput) (shoutOutput, error) {
		return shoutOutput{Text: strings.ToUpper(in.Text) + "!"}, nil
	})
	e, err := engine.New(&engine.Options{Actions: []actions.Action{shout}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() {
		if err := e.Close(); err != nil {
			fmt.Println(err)
		}
	}()
	agent, err := e.LoadBytes("greeter.yaml", []byte(`
name: greeter
nodes:
  - name: shout
    uses: my.shout
    with: {text: "hello {{ state.who }}"}
    output: {greeting: "{{ result.text }}"}
`))
	if err != nil {
		fmt.Println(err) // every problem, with its line
		return
	}
	run, err := e.Start(context.Background(), agent, value.Must(map[string]any{"who": "world"}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for ev := range run.Events() {
		fmt.Println(ev.Body.Type())
	}
	result, err := run.Wait()
	fmt.Println(result.State, err)
	// Output:
	// run_started
	// node_started
	// node_finished
	// route_taken
	// run_finished
	// {"greeting":"HELLO WORLD!","who":"world"} <nil>
}
