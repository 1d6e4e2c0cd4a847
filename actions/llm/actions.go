package llmactions

import (
	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/internal/llm/providers"
)

// The actions that speak to a provider.
const (
	callName   = "llm.call"
	streamName = "llm.stream"
	embedName  = "llm.embed"
)

// Open makes the client of a provider. It is safe for concurrent use. No
// environment lets an action run a program, so for the provider shell it is
// Open that has to put in what does (Config.Shell).
type Open func(provider string, c llm.Config) (llm.Client, error)

// Actions returns the actions of the group llm, for the providers that this
// program knows.
func Actions() []actions.Action { return With(providers.New) }

// With returns the actions of the group llm, whose clients are made by open.
func With(open Open) []actions.Action {
	return []actions.Action{call(open), stream(open), embed(open), tools(), retry(), chat()}
}
