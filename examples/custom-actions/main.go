// Command custom-actions is the whole tea command with an action of its own.
package main

import (
	"context"
	"strings"

	"github.com/tea-agents/tea"
	"github.com/tea-agents/tea/actions"
)

type text struct {
	Text string `json:"text" doc:"A text."`
}

func shout(_ context.Context, _ actions.Env, in text) (text, error) {
	return text{strings.ToUpper(in.Text) + "!"}, nil
}

func main() {
	spec := actions.Spec{Name: "text.shout", Version: 1, Summary: "Puts a text into capitals.", Effect: actions.Pure}
	tea.Main(tea.WithActions(actions.Define(spec, shout)))
}
