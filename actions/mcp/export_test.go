package mcpactions

import "github.com/tea-agents/tea/actions"

// Program and Runner are what the tests start servers with.
type (
	Program = program
	Runner  = runner
)

// ActionsWith returns the actions for environments that let programs run.
func ActionsWith(run Runner) []actions.Action {
	return group(func(actions.Env) runner { return run })
}
