// Command custom-actions is the whole tea command with one action of its own:
// go run ./examples/custom-actions run examples/custom-actions/agent.yaml
package main

import (
	"context"
	"strings"

	"github.com/tea-agents/tea"
	"github.com/tea-agents/tea/actions"
)

type shoutInput struct {
	Text string `json:"text" doc:"What to shout."`
}

type shoutOutput struct {
	Text string `json:"text" doc:"The text in capitals."`
}

func main() {
	tea.Main(tea.WithActions(actions.Define(
		actions.Spec{Name: "text.shout", Version: 1, Summary: "Puts a text into capitals.", Effect: actions.Pure},
		func(_ context.Context, _ actions.Env, in shoutInput) (shoutOutput, error) {
			return shoutOutput{Text: strings.ToUpper(in.Text) + "!"}, nil
		})))
}
