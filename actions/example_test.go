package actions_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

type countInput struct {
	Text string `json:"text" doc:"What to count in."`
	Word string `json:"word" doc:"What to count." default:"tea"`
}

type countOutput struct {
	Count int `json:"count" doc:"How often it occurs."`
}

// An action is a typed function and a Spec; decoding, checks and
// documentation follow from the two structs.
func ExampleDefine() {
	count := actions.Define(actions.Spec{
		Name: "text.count", Version: 1, Summary: "Counts a word.", Effect: actions.Pure,
	}, func(_ context.Context, _ actions.Env, in countInput) (countOutput, error) {
		return countOutput{Count: strings.Count(in.Text, in.Word)}, nil
	})
	for _, input := range []value.Value{
		value.Object(value.M("text", value.String("tea for two, two for tea"))),
		value.Object(value.M("txt", value.String("?"))),
	} {
		result, err := count.Handle(context.Background(), actions.Env{}, &actions.Call{Input: input})
		fmt.Println(result.Output, err)
	}
	// Output:
	// {"count":2,"success":true} <nil>
	// null text.count: missing required key "text" (What to count in.); unknown key "txt" (did you mean "text"?)
}
